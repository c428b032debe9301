// SPDX-License-Identifier: Apache-2.0
// One kernel at a time, through the whole of the emulator: compiled, run in a worker, judged.
#include "tuner/backends/emulator/jobs/checker.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/backends/emulator/kernel_check.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/scratch_folder.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;
using testing::report_of;

const std::string head = "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n";

std::vector<FindingKind> kinds_of(const CheckVerdict& verdict) {
  std::vector<FindingKind> kinds;
  for (const Finding& finding : verdict.findings) kinds.push_back(finding.kind);
  return kinds;
}

const std::string reversing = head +
                              "__shared__ float tile[64];\n"
                              "const int t = threadIdx.x;\n"
                              "tile[t] = in[blockIdx.x * 64 + t];\n"
                              "__syncthreads();\n"
                              "out[blockIdx.x * 64 + t] = tile[63 - t];\n}\n";

TEST(Checker, FindsNothingInACorrectKernel) {
  for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
    KernelCheck check(reversing, 64, 2);
    std::vector<double> reversed(128);
    for (int i = 0; i < 64; ++i) {
      reversed[static_cast<std::size_t>(i)] = 64 - i;
      reversed[static_cast<std::size_t>(64 + i)] = 128 - i;
    }
    check.expecting(reversed).flavour(flavour);
    EXPECT_EQ(check.report(), "");
    check.expecting(std::vector<double>(128, 1.0));
    EXPECT_EQ(kinds_of(check.verdict()), std::vector{FindingKind::wrong_result});
  }
}

TEST(Checker, NamesThePlaceOfAMissingBarrier) {
  std::string source = reversing;
  source.replace(source.find("__syncthreads();"), 16, "");
  const CheckVerdict verdict = KernelCheck(source, 64, 1).verdict();
  ASSERT_FALSE(verdict.findings.empty());
  const Finding& first = verdict.findings.front();
  EXPECT_EQ(first.kind, FindingKind::race_in_block) << first.text();
  EXPECT_EQ(first.array, "tile");
  EXPECT_EQ(first.kernel, "k");
  EXPECT_EQ(first.source, "k.cu:4") << first.text();  // the write that comes too late for thread 0
}

TEST(Checker, FindsWhatLiesOutsideOfAnArray) {
  const CheckVerdict behind = KernelCheck(head + "out[threadIdx.x + 1] = in[threadIdx.x];\n}\n").verdict();
  ASSERT_EQ(kinds_of(behind), std::vector{FindingKind::out_of_bounds});
  EXPECT_EQ(behind.findings[0].array, "out");
  EXPECT_EQ(behind.findings[0].offset, 256);
  EXPECT_EQ(behind.findings[0].thread.x, 63U);
  EXPECT_EQ(behind.findings[0].source, "k.cu:2");
  const CheckVerdict before =
      KernelCheck(head + "out[threadIdx.x] = in[int(threadIdx.x) - 1];\n}\n").verdict();
  ASSERT_EQ(kinds_of(before), std::vector{FindingKind::out_of_bounds});
  EXPECT_EQ(before.findings[0].array, "in");
  EXPECT_EQ(before.findings[0].offset, -4);
}

TEST(Checker, FindsAnAccessThatIsPartlyOutside) {
  const std::string copy = "reinterpret_cast<float4*>(out)[0] = reinterpret_cast<const float4*>(in)[16];";
  KernelCheck check(head + "if (threadIdx.x == 0) " + copy + "\n}\n", 64, 1, 66);
  const CheckVerdict verdict = check.verdict();
  ASSERT_EQ(kinds_of(verdict), std::vector{FindingKind::out_of_bounds});
  EXPECT_EQ(verdict.findings[0].array, "in");
  EXPECT_EQ(verdict.findings[0].offset, 256);
}

TEST(Checker, FindsACopyThatWasNotWaitedFor) {
  const std::string source = head +
                             "__shared__ float s[2][64]; const int t = threadIdx.x;\n"
                             "for (int i = 0; i < 2; ++i) { __pipeline_memcpy_async(&s[i][t], in + t, 4); "
                             "__pipeline_commit(); }\n"
                             "__pipeline_wait_prior(1);\n"
                             "out[t] = s[1][t];\n}\n";
  std::vector<double> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<double>(i + 1);
  KernelCheck check(source);
  check.expecting(values);
  const CheckVerdict verdict = check.verdict();
  ASSERT_EQ(kinds_of(verdict), std::vector{FindingKind::unfinished_copy});
  EXPECT_EQ(verdict.findings[0].array, "s");
  EXPECT_EQ(verdict.findings[0].source, "k.cu:5");
  EXPECT_EQ(kinds_of(check.flavour(Flavour::plain).verdict()), std::vector{FindingKind::wrong_result});
}

// Without call-backs, too: what is written beside a buffer is compared, what is farther away faults.
TEST(Checker, PlainFindsWhatIsWrittenBesideABuffer) {
  // 60 elements end before their last page does.
  for (const char* place : {"60", "-1", "200000"}) {
    const CheckVerdict verdict =
        KernelCheck(head + "if (threadIdx.x == 0) out[" + place + "] = in[0];\n}\n", 64, 1, 60)
            .flavour(Flavour::plain)
            .verdict();
    ASSERT_EQ(kinds_of(verdict), std::vector{FindingKind::out_of_bounds}) << place;
    EXPECT_EQ(verdict.findings[0].array, "out");
    EXPECT_EQ(verdict.findings[0].offset, 4 * std::stoi(place));
  }
}

TEST(Checker, SaysWhatDoesNotCompileAndWhatCannotBeEmulated) {
  const CheckVerdict broken = KernelCheck(head + "out[0] = nonsense;\n}\n").verdict();
  ASSERT_EQ(kinds_of(broken), std::vector{FindingKind::compile});
  EXPECT_NE(broken.findings[0].detail.find("k.cu:2"), std::string::npos) << broken.findings[0].detail;
  const CheckVerdict ptx = KernelCheck(head + "asm volatile(\"trap;\" ::: \"memory\");\n}\n").verdict();
  EXPECT_TRUE(ptx.findings.empty());
  EXPECT_NE(ptx.not_emulated.find("host twin"), std::string::npos) << ptx.not_emulated;
}

// What a compiler for devices takes is no error of the kernel.
TEST(Checker, WhatOnlyTheHostRefusesIsNotEmulated) {
  KernelCheck check(head + "out[0] = nonsense;\n}\n");
  int questions = 0;
  for (const bool taken : {true, false}) {
    check.options.device_takes = [&](const CompileRequest& request) {
      ++questions;
      return taken && request.source.text.find("nonsense") != std::string::npos;
    };
    const CheckVerdict verdict = check.verdict();
    EXPECT_EQ(verdict.findings.empty(), taken);
    EXPECT_EQ(verdict.not_emulated.substr(0, verdict.not_emulated.find(": ")),
              taken ? "the emulator's compiler refuses what NVRTC takes" : "");
    EXPECT_EQ(verdict.not_emulated.find("'nonsense' was not declared") != std::string::npos, taken);
  }
  EXPECT_EQ(questions, 2);
  KernelCheck clean(head + "out[threadIdx.x] = 1;\n}\n");
  clean.options.device_takes = check.options.device_takes;
  EXPECT_EQ(clean.report(), "");
  EXPECT_EQ(questions, 2);
}

// Errors in files of the emulator do not name its folder.
TEST(Checker, AnErrorNamesNoTemporaryFolder) {
  const CheckVerdict broken =
      KernelCheck(head + "float4 x = make_float2(1, 2); out[0] = __vadd4(x, 1);\n}\n").verdict();
  ASSERT_EQ(kinds_of(broken), std::vector{FindingKind::compile});
  EXPECT_EQ(broken.findings[0].detail.find("/tmp"), std::string::npos) << broken.findings[0].detail;
}

LaunchPlan plan_of(const std::string& source) {
  return KernelCheck(source).plan;
}

/// Checks the plans together, and returns each one's verdict.
std::vector<CheckVerdict> verdicts_of(const std::vector<LaunchPlan>& plans, CheckOptions options = {}) {
  std::vector<CheckVerdict> verdicts(plans.size());
  const auto expected = std::make_shared<const ReferenceData>(KernelCheck(head + "}\n").expected);
  check(
      plans.size(),
      [&](std::size_t number) {
        return CheckJob{{{format("size {}", number), plans[number], expected}}, {}};
      },
      options,
      [&](std::size_t number, CheckVerdict verdict) {
        verdicts[number] = std::move(verdict);
        return true;
      });
  return verdicts;
}

TEST(Checker, AHeaderThatIsMissingIsAMistakeAndOneOfTheToolkitIsAGap) {
  const auto verdicts =
      verdicts_of({plan_of("#include \"helperz.cuh\"\n" + head + "}\n"),
                   plan_of("#include <cub/cub.cuh>\n" + head + "cub::Thing thing;\n}\n"),
                   plan_of("#include \"cuda/latch\"\n" + head + "Latch b;\n}\n"),
                   plan_of("#include <optional>\n" + head + "std::optional<int> n;}\n"),
                   plan_of("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" + head +
                           "cg::this_multi_grid();}\n"),
                   plan_of("__device__ void f(cudaSurfaceObject_t);\n" + head + "}\n"),
                   plan_of("__global__ void other() {}\n" + head + "other<<<1, 1>>>();}\n"),
                   plan_of("#include <cuda/std/chrono>\n" + head + "cuda::std::chrono::seconds s;}\n")});
  ASSERT_EQ(kinds_of(verdicts[0]), std::vector{FindingKind::compile});
  EXPECT_EQ(
      verdicts[0].findings[0].detail,
      "k.cu:1:2: error: cannot find the header \"helperz.cuh\": correct its name, or name its folder in "
      "'include'");
  EXPECT_EQ(verdicts[1].not_emulated, "the emulator has no cub::Thing");
  EXPECT_EQ(verdicts[2].not_emulated.find("the emulator has no header cuda/latch: k.cu:"), 0U)
      << verdicts[2].not_emulated;
  EXPECT_EQ(verdicts[3].not_emulated, "the emulator has no std::optional");
  EXPECT_EQ(verdicts[4].not_emulated, "the emulator has no cooperative_groups::this_multi_grid");
  EXPECT_EQ(verdicts[5].not_emulated, "the emulator has no cudaSurfaceObject_t");
  EXPECT_EQ(verdicts[6].not_emulated, "the emulator has no kernels that launch kernels");
  EXPECT_EQ(verdicts[7].not_emulated, "the emulator has no cuda::std::chrono");
}

// Files name headers for their functions of the host.
TEST(Checker, AHeaderOfWhichNothingIsNeededMayBeMissing) {
  const auto verdicts = verdicts_of(
      {plan_of("#include <cublas_v2.h>\n#include <torch/types.h>\nint unused;\ncublasHandle_t handle;\n"
               "torch::Tensor forward(torch::Tensor x) { return x; }\n" +
               head +
               "float y = 0; memcpy(&y, &in[threadIdx.x], sizeof(uint));\n"
               "out[threadIdx.x] = y < INFINITY && y < INT_MAX ? 2 * y : M_PI;\n}\n")});
  EXPECT_TRUE(verdicts[0].findings.empty()) << verdicts[0].findings[0].detail;
  EXPECT_EQ(verdicts[0].not_emulated, "");
}

TEST(Checker, AnUndefinedFunctionFailsItsOwnJobAlone) {
  const std::string use = "__device__ float helper(float x)";
  const std::string kernel = head + "out[threadIdx.x] = helper(in[threadIdx.x]);\n}\n";
  const auto verdicts =
      verdicts_of({plan_of(use + ";\n" + kernel), plan_of(use + " { return x; }\n" + kernel)});
  ASSERT_EQ(kinds_of(verdicts[0]), std::vector{FindingKind::compile});
  EXPECT_EQ(verdicts[0].findings[0].detail, "'helper(float)' is declared and used, but not defined");
  EXPECT_TRUE(verdicts[1].clean());
}

TEST(Checker, ErrorsOfTheCompilerNameTheKernelAlone) {
  LaunchPlan defined = plan_of(head + "out[0] = VALUE;\n}\n");
  defined.compile.defines.emplace_back("VALUE", "nothing(1)");
  const auto verdicts =
      verdicts_of({plan_of("struct Item { int a; };\n" + head + "Item i; i.b = 1;\n}\n"), defined});
  for (const CheckVerdict& verdict : verdicts) {
    ASSERT_EQ(kinds_of(verdict), std::vector{FindingKind::compile});
    for (const char* inner : {"/tmp", "batch", "tune_", "anonymous", "namespace"})
      EXPECT_EQ(verdict.findings[0].detail.find(inner), std::string::npos) << verdict.findings[0].detail;
  }
  EXPECT_NE(verdicts[0].findings[0].detail.find("'struct Item' has no member named 'b'"), std::string::npos)
      << verdicts[0].findings[0].detail;
}

TEST(Checker, HeadersThatIncludeEachOther) {
  LaunchPlan guarded = plan_of("#include \"a.cuh\"\n" + head + "if (threadIdx.x == 0) out[0] = A + B;\n}\n");
  guarded.compile.headers = {
      {"a.cuh", "#ifndef A_CUH\n#define A_CUH\n#include \"b.cuh\"\n#define A 1\n#endif\n"},
      {"b.cuh", "#pragma once\n#include \"a.cuh\"\n#define B 2\n"}};
  LaunchPlan endless = plan_of("#include \"a.cuh\"\n" + head + "}\n");
  endless.compile.headers = {{"a.cuh", "#include \"a.cuh\"\n#include \"a.cuh\"\n"}};
  const auto verdicts = verdicts_of({guarded, endless});
  EXPECT_TRUE(verdicts[0].clean());
  ASSERT_EQ(kinds_of(verdicts[1]), std::vector{FindingKind::compile});
  EXPECT_NE(verdicts[1].findings[0].detail.find("the header \"a.cuh\" is included again and again"),
            std::string::npos)
      << verdicts[1].findings[0].detail;
}

/// A plan of the kernels `ref` and `k`, of which the second one ends as `body` says.
LaunchPlan two_kernels(const std::string& body) {
  LaunchPlan plan = plan_of("extern \"C\" __global__ void ref(const float* in, float* out, int n) {\n}\n" +
                            head + body + "}\n");
  plan.compile.entries = {"ref", "k"};
  Launch first = std::get<Launch>(plan.launches.front());
  first.entry = "ref";
  plan.launches.insert(plan.launches.begin(), first);
  return plan;
}

TEST(Checker, AHangAndACrashNameTheLaunchInFlight) {
  CheckOptions options;
  options.seconds = 1;
  const auto verdicts = verdicts_of({two_kernels("volatile int stay = 1;\nwhile (stay) {}\n"),
                                     two_kernels("if (threadIdx.x == 3) __builtin_abort();\n")},
                                    options);
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_EQ(kinds_of(verdicts[i]), std::vector{i == 0 ? FindingKind::hang : FindingKind::crash});
    EXPECT_EQ(verdicts[i].findings[0].kernel, "k") << verdicts[i].findings[0].text();
    EXPECT_EQ(verdicts[i].findings[0].size, format("size {}", i));
  }
}

TEST(Checker, AnEndlessKernelIsStopped) {
  const auto start = std::chrono::steady_clock::now();
  CheckOptions options;
  options.stop = [&] { return std::chrono::steady_clock::now() - start > std::chrono::seconds(1); };
  verdicts_of({plan_of(head + "volatile int stay = 1;\nwhile (stay) {}\n}\n")}, options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Checker, APlanThatDoesNotExistIsAFindingAndOneThatDoesNotFitCannotRun) {
  std::vector<LaunchPlan> plans = {plan_of(head + "}\n")};
  plans[0].buffers.push_back(
      {"huge", ElementType::f32, Layout::dense({std::uint64_t{1} << 40}), BufferRole::scratch});
  const CheckVerdict large = verdicts_of(plans)[0];
  ASSERT_TRUE(large.cannot_run && large.findings.empty() && !large.clean());
  EXPECT_EQ(large.cannot_run->phase, Phase::resources);
  EXPECT_TRUE(large.cannot_run->detail.starts_with("buffer 'huge' needs 4398046511104 bytes"))
      << large.cannot_run->detail;
  check(
      1,
      [](std::size_t) {
        return CheckJob{{}, Failure{Phase::constraint, "grid", "no plan: the grid is empty"}};
      },
      {},
      [](std::size_t, const CheckVerdict& verdict) {
        EXPECT_EQ(kinds_of(verdict), std::vector{FindingKind::no_launch});
        return true;
      });
}

// What a killed process has left is removed by the next one, and what another process uses is not.
TEST(Checker, RemovesTheFoldersOfDeadProcesses) {
  const tune::testing::TemporaryFolder folder;
  const auto in_folder = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
  };
  const std::string before = std::filesystem::temp_directory_path();
  setenv("TMPDIR", folder.path().c_str(), 1);
  {
    const ScratchFolder used("tune-emulator-");
    const pid_t child = fork();
    if (child == 0) {
      const ScratchFolder left("tune-emulator-");
      std::ofstream(left.path() / "file") << "x";
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(in_folder(), 2);
    const ScratchFolder next("tune-emulator-");
    EXPECT_EQ(in_folder(), 2);
    EXPECT_TRUE(std::filesystem::exists(used.path()));
    std::filesystem::create_directory(folder / "tune-emulator-new");  // no lock yet
    const ScratchFolder last("tune-emulator-");
    EXPECT_EQ(in_folder(), 4);
  }
  EXPECT_EQ(in_folder(), 1);
  setenv("TMPDIR", before.c_str(), 1);
}

}  // namespace
}  // namespace tune::emulator
