// SPDX-License-Identifier: Apache-2.0
// Problems in code with a variable of the kernel that is filled, and with another kernel that is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/toy.hpp"

namespace tune::testing {
namespace {

constexpr const char* tuned = R"(
__constant__ float weights[4];
extern "C" __global__ void weigh(const float* in, float* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = weights[(i + SHIFT) % 4] * in[i];
}
)";

constexpr const char* simple = R"(
extern "C" __global__ void weigh_simply(const float* in, const float* weights, float* out, int n, int stride) {
  for (int i = threadIdx.x; i < n; i += stride) out[i] = weights[i % 4] * in[i];
}
)";

/// Right where SHIFT is 0.
api::Problem weighing() {
  api::Problem problem("weighing");
  problem.size("n", 100)
      .parameter("BLOCK", {32, 64})
      .parameter("SHIFT", {0, 1})
      .input<float>("in", "n")
      .symbol<float>("weights", 4,
                     api::from([](std::size_t i, std::uint64_t) { return 1.0 + static_cast<double>(i); }))
      .output<float>("out", "n")
      .scalar<int>("n", "n")
      .scalar<int>("stride", 7)
      .reference(api::Kernel::from_source(simple, "simple.cu"), "weigh_simply")
      .grid(1)
      .block(7)
      .arguments({"in", "weights", "out", "n", "stride"})
      .kernel(api::Kernel::from_source(tuned, "weigh.cu"), "weigh")
      .grid("ceil_div(n, BLOCK)")
      .block("BLOCK")
      .arguments({"in", "out", "n"});
  return problem;
}

api::Evaluation emulated(const api::Problem& problem, const api::Configuration& configuration) {
  api::Options options;
  options.device = "emulator";
  return api::Tuner(options).evaluate(problem, configuration, {{"n", 77}});
}

TEST(ReferenceKernel, ComputesWhatIsRight) {
  const api::Evaluation right = emulated(weighing(), {{"BLOCK", 64}, {"SHIFT", 0}});
  EXPECT_TRUE(right.right()) << right.failure->detail;
  const api::Evaluation wrong = emulated(weighing(), {{"BLOCK", 64}, {"SHIFT", 1}});
  ASSERT_FALSE(wrong.right());
  EXPECT_EQ(wrong.failure->phase, "verify") << wrong.failure->detail;
}

TEST(ReferenceKernel, MayBeWrongItself) {
  api::Problem problem = weighing();
  problem
      .reference(api::Kernel::from_source(
                     std::string(simple).replace(std::string(simple).find("% 4"), 3, "% 3"), "simple.cu"),
                 "weigh_simply")
      .grid(1)
      .block(7)
      .arguments({"in", "weights", "out", "n", "stride"});
  EXPECT_FALSE(emulated(problem, {{"SHIFT", 0}}).right());
}

// The last reference counts.
TEST(ReferenceKernel, GivesWayToAFunction) {
  api::Problem problem = weighing();
  problem.reference([](api::HostData& data) {
    const auto in = data.input<float>("in");
    const auto weights = data.input<float>("weights");
    const auto out = data.result("out");
    for (std::size_t i = 0; i < out.size; ++i)
      out[i] = static_cast<double>(weights[(i + 1) % 4]) * static_cast<double>(in[i]);
  });
  EXPECT_TRUE(emulated(problem, {{"SHIFT", 1}}).right());
  EXPECT_FALSE(emulated(problem, {{"SHIFT", 0}}).right());
}

TEST(ReferenceKernel, IsHeldAgainstItsOwnDeclaration) {
  api::Problem problem = weighing();
  problem.reference(api::Kernel::from_source(simple, "simple.cu"), "weigh_simply")
      .grid(1)
      .block(7)
      .arguments({"in", "out", "n"});
  try {
    emulated(problem, {});
    FAIL();
  } catch (const api::Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kernel 'weigh_simply' takes 5 arguments"));
  }
}

}  // namespace
}  // namespace tune::testing
