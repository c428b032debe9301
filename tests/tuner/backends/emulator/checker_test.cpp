// SPDX-License-Identifier: Apache-2.0
// One kernel at a time, through the whole of the emulator: compiled, run in a worker, judged.
#include "tuner/backends/emulator/jobs/checker.hpp"

#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

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

}  // namespace
}  // namespace tune::emulator
