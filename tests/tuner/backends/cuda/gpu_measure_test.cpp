// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/plan/execution_graph.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::cuda {
namespace {

using GpuMeasure = GpuTest;

double median_of(std::vector<double> samples) {
  std::ranges::nth_element(samples, samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2));
  return samples[samples.size() / 2];
}

Timing measured(PreparedPlan& prepared, const MeasureOptions& options) {
  auto timing = prepared.measure(options);
  if (!timing) throw std::runtime_error(timing.error().detail);
  return std::move(*timing);
}

constexpr const char* scale = R"(
extern "C" __global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
})";

LaunchPlan scale_plan(std::uint64_t n) {
  const auto layout = Layout::dense({n});
  return plan_of(scale, {buffer("in", layout, BufferRole::input), buffer("out", layout, BufferRole::output)},
                 launch("scale", {static_cast<std::uint32_t>((n + 255) / 256), 1, 1}, {256, 1, 1},
                        {BufferArgument{"in"}, BufferArgument{"out"}, ScalarArgument{as_i32(n)}}));
}

/// One that takes so many cycles.
LaunchPlan spin_plan(std::int64_t cycles) {
  constexpr const char* source = R"(
extern "C" __global__ void spin(float* out, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  out[0] = 1;
})";
  return plan_of(source, {buffer("out", Layout::dense({256}), BufferRole::output)},
                 launch("spin", {1, 1, 1}, {1, 1, 1}, {BufferArgument{"out"}, ScalarArgument{cycles}}));
}

TEST_F(GpuMeasure, TimesShortExecutionsTogether) {
  for (const bool flush : {true, false}) {
    const auto prepared = run(scale_plan(1000), {{"in", counting({1000})}});
    auto options = exactly(9);
    options.flush_cache = flush;
    const auto timing = measured(*prepared, options);
    std::printf("%d executions a sample, %.3f us each (%s)\n", timing.executions,
                median_of(timing.samples) * 1e6, flush ? "cold" : "warm");
    EXPECT_GT(timing.executions, 10);
    EXPECT_EQ(timing.samples.size(), 9u);
    for (const double sample : timing.samples) {
      EXPECT_GT(sample, 0.2e-6);
      EXPECT_LT(sample, short_execution);
    }
    // The plan's own buffers took part, and nothing else happened to them.
    EXPECT_TRUE(prepared->check_memory());
    EXPECT_EQ(floats(*prepared->fetch("out"))[999], 1998);
  }
}

TEST_F(GpuMeasure, TimesOthersOneByOne) {
  const auto prepared = run(scale_plan(1 << 24), {{"in", counting({1 << 24})}});
  EXPECT_EQ(measured(*prepared, exactly(3)).executions, 1);
}

TEST_F(GpuMeasure, OrdersKernelsAcrossTheTwoWaysOfTiming) {
  // Half a microsecond apart, from far below to far above the limit.
  const auto megahertz = static_cast<double>(backend_->properties().core_clock) * 1e-6;
  double previous = 0;
  int together = 0;
  int single = 0;
  for (double wanted = 0.5; wanted < 9; wanted += 0.5) {
    const auto prepared = run(spin_plan(static_cast<std::int64_t>(wanted * megahertz)), {});
    const auto timing = measured(*prepared, exactly(15));
    const double microseconds = median_of(timing.samples) * 1e6;
    std::printf("%4.1f us of spinning: %6.3f us, %d a sample\n", wanted, microseconds, timing.executions);
    EXPECT_GT(microseconds, previous) << "after " << wanted << " us of spinning";
    EXPECT_GT(microseconds, 0.9 * wanted);
    previous = microseconds;
    (timing.executions > 1 ? together : single) += 1;
  }
  EXPECT_GT(together, 2);
  EXPECT_GT(single, 2);
}

TEST_F(GpuMeasure, FindsTheCacheColdInEveryExecution) {
  // One load whose result it waits for.
  constexpr const char* source = R"(
extern "C" __global__ void chase(const int* in, int* out) { out[0] = 2 * in[5]; })";
  constexpr std::uint64_t n = 1 << 15;
  const auto plan =
      plan_of(source,
              {buffer("in", Layout::dense({n}), BufferRole::input, ElementType::i32),
               buffer("out", Layout::dense({32}), BufferRole::output, ElementType::i32)},
              launch("chase", {1, 1, 1}, {1, 1, 1}, {BufferArgument{"in"}, BufferArgument{"out"}}));
  const TensorSet inputs{{"in", HostTensor(ElementType::i32, {n})}};
  const auto prepared = run(plan, inputs);
  double times[2] = {0, 0};
  for (const bool flush : {false, true}) {
    auto options = exactly(15);
    options.flush_cache = flush;
    const auto timing = measured(*prepared, options);
    EXPECT_GT(timing.executions, 10);
    times[flush ? 1 : 0] = median_of(timing.samples);
  }
  std::printf("one load: %.3f us warm, %.3f us cold\n", times[0] * 1e6, times[1] * 1e6);
  EXPECT_GT(times[1], times[0] + 0.2e-6) << "a load from memory takes some 0.4 us longer than one from L2";
}

TEST_F(GpuMeasure, GivesCopiesTheContentsOfTheBuffers) {
  // Takes 50 us where the input is not what it should be.
  constexpr const char* source = R"(
extern "C" __global__ void picky(const float* in, const float* scratch, float* out) {
  if (in[7] != 42 || scratch[3] == scratch[3]) {  // scratch is poisoned with NaN
    const long long start = clock64();
    while (clock64() - start < 100000) {}
  }
  out[0] = 1;
})";
  const Layout shifted{{64}, {1}, 32, 128};
  const auto plan = plan_of(source,
                            {buffer("in", shifted, BufferRole::input),
                             buffer("scratch", Layout::dense({1000}), BufferRole::scratch),
                             buffer("out", shifted, BufferRole::output)},
                            launch("picky", {1, 1, 1}, {1, 1, 1},
                                   {BufferArgument{"in"}, BufferArgument{"scratch"}, BufferArgument{"out"}}));
  const auto timing = measured(*run(plan, {{"in", counting({64}, 35)}}), exactly(5));
  EXPECT_GT(timing.executions, 10);
  EXPECT_LT(timing.samples[0], 10e-6);
}

TEST_F(GpuMeasure, TimesShortPipelinesAndCooperativeKernels) {
  auto pipeline = scale_plan(1000);
  pipeline.launches.push_back(pipeline.launches[0]);
  const auto two = measured(*run(pipeline, {{"in", counting({1000})}}), exactly(5));
  const auto one = measured(*run(scale_plan(1000), {{"in", counting({1000})}}), exactly(5));
  EXPECT_GT(median_of(two.samples), 1.2 * median_of(one.samples));
  auto cooperative = scale_plan(1000);
  std::get<Launch>(cooperative.launches[0]).cooperative = true;
  const auto together = measured(*run(cooperative, {{"in", counting({1000})}}), exactly(5));
  std::printf("%.3f us, two %.3f us, cooperative %.3f us (%d a sample)\n", median_of(one.samples) * 1e6,
              median_of(two.samples) * 1e6, median_of(together.samples) * 1e6, together.executions);
  EXPECT_EQ(together.samples.size(), 5u);
}

TEST_F(GpuMeasure, StopsForEveryReason) {
  constexpr std::uint64_t n = 1 << 25;
  const auto prepared = run(scale_plan(n), {{"in", counting({n})}});
  const auto usual = measured(*prepared, {});
  EXPECT_EQ(usual.stop, StopReason::precise);
  EXPECT_GE(usual.samples.size(), 7u);
  std::printf("%zu samples of %.2f us, %d throttled [%s]\n", usual.samples.size(),
              median_of(usual.samples) * 1e6, usual.throttled, usual.machine.throttle.c_str());

  MeasureOptions race;
  race.incumbent_seconds = median_of(usual.samples) / 2;
  const auto pruned = measured(*prepared, race);
  EXPECT_EQ(pruned.stop, StopReason::pruned);
  EXPECT_GE(pruned.samples.size(), 7u);
  EXPECT_LE(pruned.samples.size(), 60u);
  race.incumbent_seconds = median_of(usual.samples) * 2;
  EXPECT_EQ(measured(*prepared, race).stop, StopReason::precise);

  MeasureOptions never;
  never.spread = -1;
  never.max_samples = 11;
  const auto all = measured(*prepared, never);
  EXPECT_EQ(all.stop, StopReason::samples);
  EXPECT_EQ(all.samples.size(), 11u);

  never.time_cap = 1e-9;
  const auto capped = measured(*prepared, never);
  EXPECT_EQ(capped.stop, StopReason::time);
  EXPECT_EQ(capped.samples.size(), 7u);
}

TEST_F(GpuMeasure, NotesTheMachine) {
  const auto prepared = run(scale_plan(1 << 24), {{"in", counting({1 << 24})}});
  const auto timing = measured(*prepared, exactly(5));
  EXPECT_FALSE(timing.machine.host.empty());
  if (backend_->machine_state().core_clock > 0) {
    EXPECT_GT(timing.machine.core_clock, 1e8);
    EXPECT_GT(timing.machine.temperature, 10);
    EXPECT_GT(timing.machine.power, 10);
  }
  EXPECT_EQ(timing.energy, 0) << "not asked for";
}

TEST_F(GpuMeasure, TakesLittleTimeBesideTheSamples) {
  const auto prepared = run(scale_plan(1 << 24), {{"in", counting({1 << 24})}});
  measured(*prepared, exactly(7));
  const auto start = std::chrono::steady_clock::now();
  measured(*prepared, exactly(7));
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto asking = std::chrono::steady_clock::now();
  backend_->machine_state();
  const double nvml = std::chrono::duration<double>(std::chrono::steady_clock::now() - asking).count();
  std::printf("%.2f ms for a measurement of 9 executions, of which %.2f ms read NVML\n", whole * 1e3,
              nvml * 1e3);
  EXPECT_LT(whole, 0.02);
}

TEST_F(GpuMeasure, MeasuresEnergy) {
  const auto& properties = backend_->properties();
  for (const std::uint64_t n : {std::uint64_t{1} << 26, std::uint64_t{1000}}) {
    const auto prepared = run(scale_plan(n), {{"in", counting({n})}});
    auto options = exactly(7);
    options.energy = true;
    const auto timing = measured(*prepared, options);
    if (!properties.energy_counter) {
      EXPECT_EQ(timing.energy, 0);
      continue;
    }
    const double watts = timing.energy / median_of(timing.samples);
    std::printf("%.3g J an execution of %.3g us: %.0f W\n", timing.energy, median_of(timing.samples) * 1e6,
                watts);
    EXPECT_GT(watts, 10);
    if (properties.power_limit > 0) {
      EXPECT_LT(watts, 1.5 * properties.power_limit);
    }
  }
}

}  // namespace
}  // namespace tune::cuda
