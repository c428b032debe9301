// SPDX-License-Identifier: Apache-2.0
// Timed executions do the work that was checked: on the same data, in a cold cache, and with right results.
#include <algorithm>

#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/verification.hpp"

namespace tune::cuda {
namespace {

using TimedExecutions = GpuTest;

ReferenceData data_of(TensorSet inputs, double result, std::uint64_t n) {
  ReferenceData data;
  data.inputs = std::move(inputs);
  HostTensor reference(ElementType::f64, {n});
  std::ranges::fill(reference.as<double>(), result);
  data.reference.emplace("out", std::move(reference));
  data.tolerance.absolute = 0;
  return data;
}

/// Works while a flag, which begins as zero, is not set, and sets it.
LaunchPlan right_once_plan() {
  constexpr const char* source = R"(
extern "C" __global__ void once(unsigned* flag, float* out) {
  if (*flag == 0) out[threadIdx.x] = 3;
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
})";
  LaunchPlan plan =
      plan_of(source,
              {buffer("flag", Layout::dense({32}), BufferRole::scratch, ElementType::u32),
               buffer("out", Layout::dense({64}), BufferRole::output)},
              launch("once", {1, 1, 1}, {64, 1, 1}, {BufferArgument{"flag"}, BufferArgument{"out"}}));
  plan.buffers[0].fill = BufferFill::zero;
  return plan;
}

TEST_F(TimedExecutions, AKernelThatWorksOnlyOnceFails) {
  const LaunchPlan plan = right_once_plan();
  const ReferenceData data = data_of({}, 3, 64);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared.has_value());
  ASSERT_TRUE(tune::check(**prepared, plan, data).has_value());
  ASSERT_TRUE((*prepared)->measure(exactly(5)).has_value());
  const Result<double> after = check_after_timing(**prepared, plan, data);
  ASSERT_FALSE(after.has_value());
  EXPECT_EQ(after.error().phase, Phase::verify);
}

/// Adds one to every element: takes long where an element is not what the first execution found.
LaunchPlan in_place_plan(std::uint64_t n) {
  constexpr const char* source = R"(
extern "C" __global__ void add(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (out[i] != 41) {
    const long long start = clock64();
    while (clock64() - start < 1000000) {}
  }
  out[i] += 1;
})";
  LaunchPlan plan = plan_of(
      source, {buffer("out", Layout::dense({n}), BufferRole::output)},
      launch("add", {static_cast<std::uint32_t>(n / 256), 1, 1}, {256, 1, 1}, {BufferArgument{"out"}}));
  plan.buffers[0].fill = BufferFill::contents;
  return plan;
}

TEST_F(TimedExecutions, ArraysInPlaceBeginWithTheirFirstContents) {
  for (const std::uint64_t n : {std::uint64_t{256}, std::uint64_t{1} << 22}) {
    const LaunchPlan plan = in_place_plan(n);
    TensorSet inputs;
    std::ranges::fill(inputs.emplace("out", HostTensor(ElementType::f32, {n})).first->second.as<float>(),
                      41.0F);
    const ReferenceData data = data_of(std::move(inputs), 42, n);
    const auto prepared = prepare(plan);
    ASSERT_TRUE(prepared.has_value());
    ASSERT_TRUE(tune::check(**prepared, plan, data).has_value());
    const Result<Timing> timing = (*prepared)->measure(exactly(5));
    ASSERT_TRUE(timing.has_value());
    EXPECT_EQ(timing->executions, 1);
    EXPECT_LT(std::ranges::max(timing->samples), 300e-6) << n << ": a million cycles take 500 us";
    EXPECT_TRUE(check_after_timing(**prepared, plan, data).has_value());
    EXPECT_EQ(floats(*(*prepared)->fetch("out")).back(), 42) << "of the last execution";
  }
}

// It reads one element of a buffer that alone is larger than the cache.
TEST_F(TimedExecutions, FindALargeBufferColdThatIsHardlyTouched) {
  constexpr const char* source = R"(
extern "C" __global__ void touch(const int* in, int* out) { out[0] = 2 * in[5]; })";
  const auto n = static_cast<std::uint64_t>(2 * backend_->properties().l2_cache) / 4;
  const auto plan =
      plan_of(source,
              {buffer("in", Layout::dense({n}), BufferRole::input, ElementType::i32),
               buffer("out", Layout::dense({32}), BufferRole::output, ElementType::i32)},
              launch("touch", {1, 1, 1}, {1, 1, 1}, {BufferArgument{"in"}, BufferArgument{"out"}}));
  const auto prepared = run(plan, {{"in", HostTensor(ElementType::i32, {n})}});
  double times[2] = {0, 0};
  for (const bool flush : {false, true}) {
    MeasureOptions options = exactly(15);
    options.flush_cache = flush;
    const Result<Timing> timing = prepared->measure(options);
    ASSERT_TRUE(timing.has_value());
    EXPECT_GT(timing->executions, 5);
    times[flush ? 1 : 0] = median(timing->samples);
  }
  EXPECT_GT(times[1], times[0] + 0.2e-6) << "a load from memory takes some 0.4 us longer than one from L2";
}

}  // namespace
}  // namespace tune::cuda
