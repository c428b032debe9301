// SPDX-License-Identifier: Apache-2.0
// Communication that needs no barrier: what declares it, and what does not.
#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

/// Every block writes its part of `partial`, the last one to come reads all of them.
std::string last_block(const std::string& fence) {
  return "extern \"C\" __global__ void k(const float* in, float* out, float* partial, unsigned* count, int "
         "n) {\n"
         "  __shared__ bool last;\n"
         "  if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;\n"  // blocks run in order here
         "  partial[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];\n  " +
         fence +
         "\n  __syncthreads();\n"
         "  if (threadIdx.x == 0) { " +
         fence + " last = atomicAdd(count, 1u) == gridDim.x - 1; " + fence +
         " }\n"
         "  __syncthreads();\n"
         "  if (last) out[threadIdx.x] = partial[threadIdx.x] + partial[32 + threadIdx.x];\n}\n";
}

KernelCheck check_of(const std::string& source) {
  KernelCheck check(source, 32, 2);
  check.with_buffer("partial", ElementType::f32, 64, BufferRole::scratch);
  check.with_buffer("count", ElementType::u32, 1, BufferRole::scratch);
  return check;
}

bool has_race(const CheckVerdict& verdict, const std::string& array) {
  for (const Finding& finding : verdict.findings)
    if (finding.kind == FindingKind::race_between_blocks && finding.array == array) return true;
  return false;
}

TEST(Order, FencesAndAnAtomicDeclareCommunicationBetweenBlocks) {
  const CheckVerdict fenced = check_of(last_block("__threadfence();")).verdict();
  EXPECT_FALSE(has_race(fenced, "partial"));
  const CheckVerdict bare = check_of(last_block("")).verdict();
  EXPECT_TRUE(has_race(bare, "partial"));
}

TEST(Order, AVolatileFlagIsWaitedFor) {
  const std::string source =
      "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
      "  __shared__ volatile int flag;\n"
      "  if (threadIdx.x == 0) flag = 0;\n  __syncthreads();\n"
      "  if (threadIdx.x == 63) flag = 1;\n"
      "  while (flag == 0) {}\n  out[threadIdx.x] = flag;\n}\n";
  KernelCheck check(source);
  check.expecting(std::vector<double>(64, 1.0));
  EXPECT_EQ(check.report(), "");
}

TEST(Order, WhatNobodyBringsIsADeadlock) {
  const CheckVerdict verdict =
      KernelCheck(
          "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
          "  __shared__ unsigned flag; if (threadIdx.x == 0) flag = 0; __syncthreads();\n"
          "  while (atomicAdd(&flag, 0u) == 0) {}\n}\n",
          2)
          .verdict();
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].kind, FindingKind::deadlock);
}

#if defined(__x86_64__)
// On a busy machine a job waits for the processor; here it sleeps, by a call of nanosleep.
TEST(Order, WaitingIsNoHang) {
  const KernelCheck made(
      "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
      "  long time[2] = {0, 700000000}, status;\n"
      "  __asm__ volatile(\"syscall\" : \"=a\"(status) : \"a\"(35), \"D\"(time), \"S\"(0)\n"
      "                   : \"rcx\", \"r11\", \"memory\");\n}\n",
      1);
  CheckOptions options;
  options.seconds = 0.5;
  const CheckVerdict verdict = check(made.plan, made.expected, options);
  EXPECT_TRUE(verdict.clean()) << verdict.findings.at(0).text();
}

/// The verdict on so many launches of a kernel that computes for some milliseconds each.
CheckVerdict verdict_of_launches(int milliseconds, std::size_t launches, double limit) {
  KernelCheck made(
      "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
      "  long time[2], status, begin = -1, now = 0;\n"
      "  do {\n"  // clock_gettime of the thread's processor time
      "    __asm__ volatile(\"syscall\" : \"=a\"(status) : \"a\"(228), \"D\"(3L), \"S\"(time)\n"
      "                     : \"rcx\", \"r11\", \"memory\");\n"
      "    now = time[0] * 1000 + time[1] / 1000000;\n"
      "    if (begin < 0) begin = now;\n"
      "  } while (now - begin < " +
          std::to_string(milliseconds) + ");\n}\n",
      1);
  made.plan.launches.assign(launches, made.plan.launches.front());
  CheckOptions options;
  options.seconds = limit;
  return check(made.plan, made.expected, options);
}

// As many launches of a stencil take their time, too.
TEST(Order, AJobThatGoesFromStepToStepDoesNotHang) {
  const CheckVerdict verdict = verdict_of_launches(300, 4, 0.6);
  EXPECT_TRUE(verdict.clean()) << verdict.not_emulated << verdict.findings.size();
}

TEST(Order, AJobOfTooManyStepsCannotBeEmulated) {
  const CheckVerdict verdict = verdict_of_launches(80, 60, 0.2);
  EXPECT_TRUE(verdict.findings.empty()) << verdict.findings[0].text();
  EXPECT_EQ(verdict.not_emulated,
            "takes more than 2 s of processor time: choose a smaller size or fewer steps");
}
#endif

// A loop without any call: only the clock ends it, and the other jobs are done all the same.
TEST(Order, AnEndlessLoopCostsItsTimeLimitOnly) {
  std::vector<CheckVerdict> verdicts(3);
  CheckOptions options;
  options.seconds = 1;
  options.workers = 1;
  check(
      3,
      [](std::size_t number) {
        const KernelCheck made(
            "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n  int i = n;\n"
            "  while (" +
                std::string(number == 1 ? "true" : "i > 100") + ") { i += 1; __asm__ volatile(\"\"); }\n}\n",
            1);
        return CheckJob{{{"", made.plan, std::make_shared<ReferenceData>(made.expected)}}, {}};
      },
      options,
      [&](std::size_t number, CheckVerdict verdict) {
        verdicts[number] = std::move(verdict);
        return true;
      });
  EXPECT_TRUE(verdicts[0].clean());
  ASSERT_EQ(verdicts[1].findings.size(), 1U);
  EXPECT_EQ(verdicts[1].findings[0].kind, FindingKind::hang);
  EXPECT_TRUE(verdicts[2].clean());
}

}  // namespace
}  // namespace tune::emulator
