// SPDX-License-Identifier: Apache-2.0
// 'tune check --device emulator' as people and scripts see it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/check/check_report.hpp"
#include "cli/output/progress.hpp"
#include "kernels/described/source/syntax.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

const std::string configuration =
    "variant=streaming,block_x=16,block_y=4,vector=2,cells_y=2,chunk=16,queue=inputs,loader=plain,stages=1,"
    "unroll=1,padded=true,store=plain,min_blocks=1";

std::vector<std::string> check_small(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"check",  "--problem", "stencil3d", "--device",   "emulator",
                                  "--size", "13x11x9",   "--config",  configuration};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Kernel files with one barrier removed.
std::filesystem::path broken_kernels(const Sandbox& sandbox) {
  const std::filesystem::path folder = sandbox / "kernels";
  std::filesystem::create_directories(folder / "stencil");
  std::string text = kernels::EmbeddedSources().text("stencil/streaming_inputs.cuh");
  const std::string barrier = "__syncthreads();  // the plane is complete";
  text.replace(text.find(barrier), 16, "");
  std::ofstream(folder / "stencil/streaming_inputs.cuh") << text;
  return folder;
}

TEST(CheckEmulated, SaysThatNothingIsWrong) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(check_small({}));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 1U) << outcome.out;
  EXPECT_NE(outcome.out.find("not comparable with a GPU"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 configuration, 0 failed, 0 cannot be emulated"), std::string::npos)
      << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(sandbox.database())) << "an emulated time is no measurement";
}

/// A kernel that reads a value that nobody wrote, and does not use it.
std::string wasteful_definition(const Sandbox& sandbox) {
  std::ofstream(sandbox / "k.cu") << R"(extern "C" __global__ void k(const float* in, float* out, int n) {
  __shared__ float tile[BLOCK + 1];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  const float waste = tile[threadIdx.x + 1];
  if (i < n) out[i] = tile[threadIdx.x] + (waste == 12345 ? 0.f : 1.f);
}
)";
  const std::string file = sandbox / "waste.json";
  std::ofstream(file) << R"json({"problem": "waste", "kernel": "k.cu", "sizes": {"n": 1000},
  "parameters": {"BLOCK": [32, 64], "UNROLL": [1, 2]},
  "arguments": {"in": {"type": "float", "size": "n"}, "out": {"type": "float", "size": "n", "access": "write"},
                "n": {"type": "int", "value": "n"}},
  "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}})json";
  return file;
}

// The result of a kernel with several steps in a launch depends on their number.
TEST(CheckEmulated, AParameterMayMeanAnotherResult) {
  const Sandbox sandbox;
  std::ofstream(sandbox / "k.cu") << R"(extern "C" __global__ void k(float* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = STEPS;
}
)";
  const auto check = [&](const std::string& reference, const std::string& option = "") {
    const std::string file = sandbox / "steps.json";
    std::ofstream(file) << R"json({"problem": "steps", "kernel": "k.cu", "sizes": {"n": 100},
      "parameters": {"BLOCK": [32, 64], "STEPS": [1, 2, 3]}, )json" +
                               reference + R"json(
      "arguments": {"out": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"}},
      "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}})json";
    std::vector<std::string> all = {"check", "--problem", file, "--device", "emulator", "--all"};
    if (!option.empty()) all.insert(all.end(), {"--reference", option});
    const ProgramResult outcome = sandbox.tune(all);
    return outcome.out + outcome.err;
  };
  // On the command line the same, for definitions that cannot say it.
  EXPECT_NE(check("", "same:STEPS").find("6 configurations, 0 failed"), std::string::npos);
  EXPECT_NE(check("", "none").find("results are not compared: a wrong kernel can win"), std::string::npos);
  EXPECT_NE(check("", "same:STEP").find("--reference: there is no parameter 'STEP' (did you mean 'STEPS'?)"),
            std::string::npos);
  EXPECT_NE(check("", "some").find("--reference: expected none or same:NAME, found 'some'"),
            std::string::npos);
  EXPECT_NE(check("").find("6 configurations, 4 failed"), std::string::npos);
  EXPECT_NE(check(R"("reference": {"same": ["STEPS"]},)").find("6 configurations, 0 failed"),
            std::string::npos);
  const std::string none = check(R"("reference": "none",)");
  EXPECT_NE(none.find("6 configurations, 0 failed"), std::string::npos) << none;
  EXPECT_NE(none.find("compared with nothing: the definition has 'reference': 'none'"), std::string::npos)
      << none;
}

TEST(CheckEmulated, AKernelThatHangsEndsAfterTheTimeout) {
  const Sandbox sandbox;
  std::ofstream(sandbox / "k.cu") << "__global__ void k(float* out) { while (out[BLOCK - 1] < 1) {} }\n";
  const std::string file = sandbox / "k.json";
  std::ofstream(file)
      << R"json({"problem": "k", "kernel": "k.cu", "sizes": {"n": 1}, "parameters": {"BLOCK": [1]},
    "arguments": {"out": {"type": "float", "size": "n", "access": "both", "fill": 0}},
    "launches": {"entry": "k", "grid": 1, "block": 1}})json";
  const auto begin = std::chrono::steady_clock::now();
  const ProgramResult outcome =
      sandbox.tune({"check", "--problem", file, "--device", "emulator", "--timeout", "1s"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("hang"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 configuration, 0 failed, 0 cannot be emulated, 1 exceeded --timeout"),
            std::string::npos)
      << outcome.out;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40)) << "60 without the option";
}

// Without sizes for checks a small problem is checked at its own size.
TEST(CheckEmulated, KindsOfFindingsMayBePassedOver) {
  const Sandbox sandbox;
  const std::string file = wasteful_definition(sandbox);
  const auto check = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"check", "--problem", file, "--device", "emulator", "--all"};
    all.insert(all.end(), more.begin(), more.end());
    return sandbox.tune(all);
  };
  const ProgramResult found = check({});
  EXPECT_EQ(found.status, 1) << found.out;
  EXPECT_TRUE(found.out.starts_with("uninitialised read: ")) << found.out;
  // It is one of the reference: of no configuration, and told once.
  EXPECT_NE(found.out.find(", in the reference at 1000\n"), std::string::npos) << found.out;
  EXPECT_EQ(lines_of(found.out).size(), 2U) << found.out;
  EXPECT_NE(found.err.find("parameter 'UNROLL' changes nothing"), std::string::npos) << found.err;
  const ProgramResult allowed = check({"--allow", "uninitialised"});
  EXPECT_EQ(allowed.status, 0) << allowed.out;
  EXPECT_NE(allowed.out.find("ignoring uninitialised,"), std::string::npos) << allowed.out;
  EXPECT_NE(allowed.out.find("at 1000: 4 configurations, 0 failed"), std::string::npos) << allowed.out;
  EXPECT_EQ(check({"--allow", "race"}).status, 1);
  const ProgramResult unknown = check({"--allow", "wrong"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("expected uninitialised or race"), std::string::npos) << unknown.err;
}

// Zeros empty the last plane: after 137 steps it holds 0.5^137, near the smallest float.
TEST(CheckEmulated, TellsOnceThatTheToleranceIsWide) {
  const Sandbox sandbox;
  const std::string file = sandbox / "transport.stencil";
  std::ofstream(file) << "out[x,y,z] = 0.5*D[x,y,z] + 0.5*D[x,y,z+1]\n";
  const auto check = [&](int steps, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"check",
                                    "--stencil",
                                    file,
                                    "--set",
                                    "boundary=zero,steps=" + std::to_string(steps),
                                    "--device",
                                    "emulator",
                                    "--plain",
                                    "--size",
                                    "24x20x8",
                                    "--where",
                                    "variant == direct and block_x == 32",
                                    "--sample",
                                    "2"};
    all.insert(all.end(), more.begin(), more.end());
    return sandbox.tune(all);
  };
  const ProgramResult text = check(137, {});
  EXPECT_EQ(text.status, 0) << text.out << text.err;
  const std::vector<std::string> lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 2U) << text.out;
  EXPECT_EQ(
      lines[0],
      "note: at 24x20x8 rounding may change half of the values of 'out', or all at an end of an axis, by 17 % or "
      "more, because errors grow over 137 steps: smaller mistakes are not found; take fewer steps or type=double");
  const ProgramResult json = check(137, {"--format", "json"});
  EXPECT_EQ("note: " + nlohmann::json::parse(json.out).at("notice").get<std::string>(), lines[0]);
  const ProgramResult fewer = check(9, {"--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(fewer.out).at("notice"), nullptr) << fewer.out;
  const ProgramResult refused = check(150, {});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(lines_of(refused.err).size(), 1U) << refused.err;
  EXPECT_NE(refused.err.find("so that a wrong kernel could pass: take fewer steps or type=double"),
            std::string::npos);
}

TEST(CheckEmulated, NamesARaceByItsPlace) {
  const Sandbox sandbox;
  const std::filesystem::path kernels = broken_kernels(sandbox);
  const ProgramResult text = sandbox.tune(check_small({"--kernel-dir", kernels.string()}));
  EXPECT_EQ(text.status, 1);
  for (const char* word : {"race within a block", "kernel stencil_step", "dynamic shared memory", "block (",
                           "thread (", "streaming_", "13x11x9", "loader=plain"})
    EXPECT_NE(text.out.find(word), std::string::npos) << "no '" << word << "' in " << text.out;

  const ProgramResult json =
      sandbox.tune(check_small({"--kernel-dir", kernels.string(), "--format", "json"}));
  EXPECT_EQ(json.status, 1);
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object.at("failed"), 1);
  EXPECT_EQ(object.at("device"), "emulator");
  const auto& result = object.at("results").at(0);
  EXPECT_EQ(result.at("failure").at("reason"), "race within a block");
  const auto& finding = result.at("findings").at(0);
  EXPECT_EQ(finding.at("kind"), "race within a block");
  EXPECT_EQ(finding.at("array"), "dynamic shared memory");
  EXPECT_EQ(finding.at("block").size(), 3U);
  EXPECT_FALSE(finding.at("source").get<std::string>().empty());
}

TEST(CheckEmulated, RefusesWhatDoesNotFitTogether) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"check", "stencil3d", "--plain"}), 2, {"--plain", "--device emulator"});
  expect_refused(sandbox.tune(check_small({"--plain", "--sanitize"})), 2, {"choose one"});
  expect_refused(sandbox.tune({"--problem", "stencil3d", "--device", "emulator"}), 2,
                 {"only checks kernels", "tune check"});
}

/// A definition of a kernel `k`, with parameter B of four values.
std::string definition(const Sandbox& sandbox, const std::string& source, const std::string& more = "") {
  written(sandbox, "k.cu", source);
  return written(
      sandbox, "k.json",
      R"({"problem": "own", "kernel": "k.cu", "sizes": {"n": 64}, "parameters": {"B": [8, 16, 32, 64]},
  "arguments": {"out": {"type": "float", "size": "n", "access": "write"}},
  "launches": {"entry": "k", "grid": ")" +
          (more.empty() ? std::string("n / B") : more) + R"(", "block": "B"}})");
}

ProgramResult check_all(const Sandbox& sandbox, const std::string& file,
                        const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"check",    "--problem", file,     "--device",
                                  "emulator", "--all",     "--size", "64"};
  all.insert(all.end(), more.begin(), more.end());
  return sandbox.tune(all);
}

const std::string right =
    "extern \"C\" __global__ void k(float* out) { out[blockIdx.x * B + threadIdx.x] = 1; }\n";

TEST(CheckEmulated, MistakesOfADefinitionFail) {
  const Sandbox sandbox;
  const ProgramResult header = check_all(sandbox, definition(sandbox, "#include \"helperz.cuh\"\n" + right));
  EXPECT_EQ(header.status, 1) << header.out << header.err;
  EXPECT_TRUE(
      has(header.out, "4 x does not compile: k.cu:1:2: error: cannot find the header \"helperz.cuh\""))
      << header.out;
  EXPECT_EQ(lines_of(header.out).size(), 2U) << header.out;
  for (const char* grid : {"-1", "0", "n - n"}) {
    const ProgramResult empty = check_all(sandbox, definition(sandbox, right, grid));
    EXPECT_EQ(empty.status, 1) << empty.out << empty.err;
    EXPECT_TRUE(has(empty.out, "4 x cannot be launched: no plan at 64: grid")) << empty.out;
  }
}

TEST(CheckEmulated, CodeForCertainDevicesIsTold) {
  const Sandbox sandbox;
  const ProgramResult told = check_all(
      sandbox, definition(sandbox, "#define X 1\n# if __CUDA_ARCH__ >= 800\n#error\n#endif\n" + right));
  EXPECT_EQ(told.status, 0) << told.out << told.err;
  EXPECT_TRUE(has(told.out, "note: k.cu:2 tests __CUDA_ARCH__, which the emulator does not define"))
      << told.out;
  EXPECT_FALSE(has(check_all(sandbox, definition(sandbox, "// __CUDA_ARCH__\n" + right)).out, "note:"));
}

// More than a million configurations are made one at a time: the time of the check bounds the call.
TEST(CheckEmulated, AllOfALargeSpaceEndOnTime) {
  const Sandbox sandbox;
  const auto begin = std::chrono::steady_clock::now();
  sandbox.tune({"check", "stencil3d", "--arch", "sm_90", "--all", "--budget-time", "0.1s"});
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5);
}

TEST(CheckEmulated, ThatChecksNothingIsNoSuccess) {
  const Sandbox sandbox;
  const std::string trap = "asm volatile(\"trap;\");";
  const ProgramResult none = check_all(
      sandbox, definition(sandbox, "extern \"C\" __global__ void k(float* out) { " + trap + " }\n"));
  EXPECT_EQ(none.status, 3);
  EXPECT_TRUE(has(none.out, "4 x not emulated: inline PTX")) << none.out;
  EXPECT_TRUE(has(none.err, "tune: nothing was checked: ")) << none.err;
  const ProgramResult some = check_all(
      sandbox, definition(sandbox, "extern \"C\" __global__ void k(float* out) {\n#if B == 16\n" + trap +
                                       "\n#endif\n  out[blockIdx.x * B + threadIdx.x] = 1;\n}\n"));
  EXPECT_EQ(some.status, 0) << some.out << some.err;
  EXPECT_TRUE(has(some.out, "4 configurations, 0 failed, 1 cannot be emulated")) << some.out;
}

TEST(CheckEnd, CountsFromTheCall) {
  const cli::InterruptGuard guard;  // a signal of another test does not count
  while (seconds_of_program() < 0.2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const cli::CheckEnd end(0.2);
  EXPECT_FALSE(end.is_over());
  std::this_thread::sleep_for(std::chrono::milliseconds(210));
  EXPECT_TRUE(end.is_over());
}

TEST(CheckEmulated, WithoutAThreadItSaysWhatToDo) {
  if (geteuid() != 0) GTEST_SKIP() << "only the administrator can act as a user without processes";
  const Sandbox sandbox;
  const std::string file = definition(sandbox, right);
  for (const auto& entry : {std::string(), std::string("home"), std::string("recordings")})
    std::filesystem::permissions(sandbox / entry, std::filesystem::perms(0777));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few = {1, 1};
    setrlimit(RLIMIT_NPROC, &few);
    if (setresuid(54321, 54321, 54321) != 0) _exit(99);
    const ProgramResult outcome = check_all(sandbox, file);
    std::ofstream(sandbox / "said") << outcome.err;
    _exit(outcome.status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const std::string said = read_file(sandbox / "said");
  EXPECT_TRUE(said.starts_with("tune: ")) << said;
  EXPECT_FALSE(has(said, "unexpected")) << said;
  EXPECT_TRUE(has(said, "Resource temporarily unavailable") || has(said, "too many processes")) << said;
}

TEST(CheckEmulated, WithoutAFolderForTemporaryFilesTheVariableIsNamed) {
  Sandbox sandbox;
  const std::string file = definition(sandbox, right);
  sandbox.set_environment("TMPDIR", "/no/such/folder");
  expect_refused(check_all(sandbox, file), 1, {"TMPDIR"});
}

TEST(CheckEmulated, WhatANewKernelWritesInPartHasContentsBefore) {
  const Sandbox sandbox;
  if (const std::string reason = described::why_no_parser(); !reason.empty()) GTEST_SKIP() << reason;
  const ProgramResult made = sandbox.tune(
      {"new", written(sandbox, "part.cu",
                      "__global__ void part(float* y, const float* x, float* z, int n, int m) {\n"
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (i < n) { y[i * m] = x[i]; z[i] = 1; }\n}\n")});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(has(made.out,
                  "the kernel writes only a part of 'y', so the definition fills it first; second check:\n"))
      << made.out;
  EXPECT_TRUE(has(made.out, "4 configurations, 0 failed, 0 cannot be emulated")) << made.out;
  std::istringstream lines(read_file(sandbox / "part.json"));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    EXPECT_TRUE(!has(line, "\"z\":") || has(line, "\"write\"")) << line;
    if (!has(line, "\"y\":")) continue;
    EXPECT_TRUE(has(line, R"("access": "both", "fill": 0})")) << line;
    EXPECT_TRUE(has(line, "; only a part of it is written")) << line;
    EXPECT_TRUE(has(made.out, format("  line {}, y: its size", number))) << made.out;
  }
}

// Reading them would wait for ever, or never end.
TEST(CheckEmulated, FilesThatAreNoFilesAreRefusedAtOnce) {
  const Sandbox sandbox;
  const std::string pipe = (sandbox / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {pipe, std::string("/dev/zero")}) {
    expect_refused(sandbox.tune({"space", "--problem", file, "--count"}), 2, {file});
    expect_refused(sandbox.tune({"new", file}), 2, {file});
    expect_refused(sandbox.tune({"db", "import", file}), 2, {file});
    expect_refused(sandbox.tune({"space", "stencil3d", "--stencil", file, "--count"}), 2, {file});
  }
  const std::string filled = written(
      sandbox, "filled.json",
      R"({"problem": "own", "kernel": "k.cu", "sizes": {"n": 64}, "parameters": {"B": [8]}, "arguments": {
  "in": {"type": "float", "size": "n", "fill": {"file": "pipe"}},
  "out": {"type": "float", "size": "n", "access": "write"}},
  "launches": {"entry": "k", "grid": "n / B", "block": "B"}})");
  written(sandbox, "k.cu", "extern \"C\" __global__ void k(const float* in, float* out) {}\n");
  expect_refused(check_all(sandbox, filled), 2, {"pipe is not a regular file"});
  definition(sandbox, "#include \"/dev/zero\"\n" + right);
  EXPECT_EQ(check_all(sandbox, (sandbox / "k.json").string()).status, 1);
}

TEST(CheckEmulated, SaysWhatItComparedWith) {
  const Sandbox sandbox;
  const std::string file = definition(sandbox, right);
  const std::string words = "compared with the default configuration (no reference given)";
  EXPECT_TRUE(has(check_all(sandbox, file).out, words));
  const auto json = nlohmann::json::parse(check_all(sandbox, file, {"--format", "json"}).out);
  EXPECT_EQ("compared with " + json.at("compared_with").get<std::string>(), words);
  EXPECT_TRUE(has(done(sandbox, check_small({})).out, "compared with a reference in double precision"));
}

TEST(CheckEmulated, NamesTheCureWhereThereIsNoCompiler) {
  Sandbox sandbox;
  sandbox.set_environment("TUNE_EMULATOR_CXX", "no-such-compiler");
  expect_refused(sandbox.tune(check_small({})), 1, {"no-such-compiler", "install g++"});
}

}  // namespace
}  // namespace tune::testing
