// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tests/tuner/backends/cuda/known_devices.hpp"
#include "tuner/backends/cuda/plan/kernel_limits.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using GpuBackend = GpuTest;

constexpr const char* vector_add = R"(
extern "C" __global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
})";

LaunchPlan add_plan(std::uint64_t n, std::uint32_t threads) {
  const auto layout = Layout::dense({n});
  const auto blocks = static_cast<std::uint32_t>((n + threads - 1) / threads);
  return plan_of(
      vector_add,
      {buffer("a", layout, BufferRole::input), buffer("b", layout, BufferRole::input),
       buffer("sum", layout, BufferRole::output)},
      launch("add", {blocks, 1, 1}, {threads, 1, 1},
             {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"sum"}, ScalarArgument{as_i32(n)}}));
}

TEST_F(GpuBackend, KnowsItsDevice) {
  const auto& properties = backend_->properties();
  RecordProperty("device", properties.name);
  EXPECT_EQ(properties.uuid.size(), 40u) << properties.uuid;
  EXPECT_GE(properties.compute_major, 5);
  EXPECT_GT(properties.multiprocessors, 0);
  EXPECT_GT(properties.l2_cache, 0);
  EXPECT_GT(properties.core_clock, 100'000'000);
  EXPECT_GT(properties.memory_clock, 100'000'000);
  EXPECT_FALSE(properties.driver.empty());
  EXPECT_GT(properties.copy_bandwidth, 1e10);
  EXPECT_LT(properties.copy_bandwidth, 1.05 * std::max(properties.peak_bandwidth(), 1e12));
  const auto state = backend_->machine_state();
  EXPECT_FALSE(state.host.empty());
  std::printf("%s, driver %s, %.0f GB/s copy of %.0f, %.0f W limit, now %.0f MHz, %.0f C, %.0f W [%s]\n",
              properties.name.c_str(), properties.driver.c_str(), properties.copy_bandwidth * 1e-9,
              properties.peak_bandwidth() * 1e-9, properties.power_limit, state.core_clock * 1e-6,
              state.temperature, state.power, state.throttle.c_str());
}

TEST_F(GpuBackend, ReportsTheLimitsThatOtherTestsInvent) {
  const auto& properties = backend_->properties();
  const auto invented = properties.compute_major == 9 ? h200_properties() : a100_properties();
  if (properties.name != invented.name) GTEST_SKIP() << "no recorded limits of " << properties.name;
  EXPECT_EQ(properties.architecture(), invented.architecture());
  EXPECT_EQ(properties.multiprocessors, invented.multiprocessors);
  EXPECT_EQ(properties.max_threads_per_block, invented.max_threads_per_block);
  EXPECT_EQ(properties.max_threads_per_multiprocessor, invented.max_threads_per_multiprocessor);
  EXPECT_EQ(properties.max_blocks_per_multiprocessor, invented.max_blocks_per_multiprocessor);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(properties.max_block_dim[i], invented.max_block_dim[i]);
    EXPECT_EQ(properties.max_grid_dim[i], invented.max_grid_dim[i]);
  }
  EXPECT_EQ(properties.registers_per_block, invented.registers_per_block);
  EXPECT_EQ(properties.registers_per_multiprocessor, invented.registers_per_multiprocessor);
  EXPECT_EQ(properties.shared_memory_per_block, invented.shared_memory_per_block);
  EXPECT_EQ(properties.shared_memory_per_block_optin, invented.shared_memory_per_block_optin);
  EXPECT_EQ(properties.shared_memory_per_multiprocessor, invented.shared_memory_per_multiprocessor);
  EXPECT_EQ(properties.reserved_shared_memory_per_block, invented.reserved_shared_memory_per_block);
}

TEST_F(GpuBackend, AddsVectors) {
  constexpr std::uint64_t n = 1'000'003;
  const auto prepared = run(add_plan(n, 256), {{"a", counting({n})}, {"b", counting({n}, 5)}});
  const auto sum = prepared->fetch("sum");
  ASSERT_TRUE(sum);
  const auto values = floats(*sum);
  ASSERT_EQ(values.size(), n);
  for (std::size_t i = 0; i < n; i += 997) ASSERT_EQ(values[i], static_cast<float>(2 * i + 5));
  EXPECT_EQ(values.back(), static_cast<float>(n - 1) + static_cast<float>(n + 4));

  ASSERT_EQ(prepared->resources().size(), 1u);
  const auto& resources = prepared->resources()[0];
  EXPECT_GT(resources.registers, 0);
  EXPECT_EQ(resources.threads, 256);
  EXPECT_EQ(resources.static_shared_memory, 0);
  EXPECT_DOUBLE_EQ(resources.occupancy, 1.0);
}

TEST_F(GpuBackend, MeasuresAsManySamplesAsAsked) {
  constexpr std::uint64_t n = 1 << 24;
  const auto prepared = run(add_plan(n, 256), {{"a", counting({n})}, {"b", counting({n})}});
  const double min = 3.0 * n * sizeof(float) / (2 * backend_->properties().copy_bandwidth);
  for (const int samples : {1, 9, 200}) {  // 200 are more than are enqueued at a time
    MeasureOptions options;
    options.min_samples = options.max_samples = samples;
    const auto timing = prepared->measure(options);
    ASSERT_TRUE(timing) << timing.error().detail;
    ASSERT_EQ(timing->samples.size(), static_cast<std::size_t>(samples));
    for (const double second : timing->samples) {
      EXPECT_GT(second, min);
      EXPECT_LT(second, 0.1);
    }
  }
}

TEST_F(GpuBackend, FlushesTheCache) {
  // Two inputs and an output that fit in the L2 together.
  const auto n = static_cast<std::uint64_t>(backend_->properties().l2_cache) / 4 / 8;
  const auto prepared = run(add_plan(n, 256), {{"a", counting({n})}, {"b", counting({n})}});
  const auto median = [&](bool flush) {
    MeasureOptions options;
    options.min_samples = options.max_samples = 31;
    options.flush_cache = flush;
    auto seconds = prepared->measure(options)->samples;
    std::nth_element(seconds.begin(), seconds.begin() + 15, seconds.end());
    return seconds[15];
  };
  const double cold = median(true);
  const double warm = median(false);
  std::printf("%.2f us flushed, %.2f us not\n", cold * 1e6, warm * 1e6);
  EXPECT_GT(cold, 1.15 * warm);
}

TEST_F(GpuBackend, RefusesToMeasureWhatItHasNotFilled) {
  const auto prepared = prepare(add_plan(1000, 128));
  ASSERT_TRUE(prepared);
  EXPECT_THROW((*prepared)->measure({}), Error);
}

TEST_F(GpuBackend, PassesScalarsOfAllTypes) {
  constexpr const char* source = R"(
extern "C" __global__ void scalars(double* out, int a, unsigned b, long long c, unsigned long long d, float e,
                                   double f) {
  out[0] = a; out[1] = b; out[2] = (double)c; out[3] = (double)d; out[4] = e; out[5] = f;
})";
  const auto plan =
      plan_of(source, {buffer("out", Layout::dense({6}), BufferRole::output, ElementType::f64)},
              launch("scalars", {1, 1, 1}, {1, 1, 1},
                     {BufferArgument{"out"}, ScalarArgument{std::int32_t{-7}}, ScalarArgument{4'000'000'000u},
                      ScalarArgument{std::int64_t{-5'000'000'000}}, ScalarArgument{std::uint64_t{1} << 50},
                      ScalarArgument{0.5f}, ScalarArgument{-1e300}}));
  const auto prepared = run(plan, {});
  const auto view = prepared->fetch("out");
  ASSERT_TRUE(view);
  const auto* const out = reinterpret_cast<const double*>(view->bytes.data());
  const double expected[] = {-7, 4e9, -5e9, std::ldexp(1.0, 50), 0.5, -1e300};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_F(GpuBackend, RunsPipelinesOfTemplates) {
  constexpr const char* source = R"(
template<int N> __global__ void plus(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] + N; }
)";
  const auto layout = Layout::dense({64});
  auto plan =
      plan_of(source,
              {buffer("in", layout, BufferRole::input), buffer("middle", layout, BufferRole::scratch),
               buffer("out", layout, BufferRole::output)},
              launch("plus<1>", {1, 1, 1}, {64, 1, 1}, {BufferArgument{"in"}, BufferArgument{"middle"}}));
  plan.compile.entries.push_back("plus<10>");
  plan.launches.push_back(
      launch("plus<10>", {1, 1, 1}, {64, 1, 1}, {BufferArgument{"middle"}, BufferArgument{"out"}}));
  const auto prepared = run(plan, {{"in", counting({64})}});
  EXPECT_EQ(prepared->resources().size(), 2u);
  const auto values = floats(*prepared->fetch("out"));
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], static_cast<float>(i + 11));
}

TEST_F(GpuBackend, LaunchesCooperatively) {
  // Every block waits for all others: ends only where all are resident.
  constexpr const char* source = R"(
extern "C" __global__ void meet(unsigned* count, unsigned* out) {
  if (threadIdx.x == 0) {
    atomicAdd(count, 1u);  // from the poison on: 2^32 - 1
    while (*(volatile unsigned*)count + 1 < gridDim.x) {}
    out[blockIdx.x] = 1;
  }
})";
  const auto blocks = static_cast<std::uint32_t>(backend_->properties().multiprocessors);
  auto plan =
      plan_of(source,
              {buffer("count", Layout::dense({1}), BufferRole::scratch, ElementType::u32),
               buffer("out", Layout::dense({blocks}), BufferRole::output, ElementType::u32)},
              launch("meet", {blocks, 1, 1}, {32, 1, 1}, {BufferArgument{"count"}, BufferArgument{"out"}}));
  std::get<Launch>(plan.launches[0]).cooperative = true;
  const auto prepared = run(plan, {});
  const auto view = prepared->fetch("out");
  ASSERT_TRUE(view);
  for (std::size_t i = 0; i < blocks; ++i)
    ASSERT_EQ(reinterpret_cast<const std::uint32_t*>(view->bytes.data())[i], 1u);
}

/// Static shared memory and registers that follow from defines.
constexpr const char* demanding = R"(
extern "C" __global__ void __launch_bounds__(BOUND) demanding(float* values) {
  __shared__ float stage[STATIC / 4];
  extern __shared__ float more[];
  stage[threadIdx.x % (STATIC / 4)] = values[threadIdx.x];
  more[0] = 1;
  __syncthreads();
  float sum[COUNT];
  for (int i = 0; i < COUNT; ++i) sum[i] = stage[(threadIdx.x + i) % (STATIC / 4)] + more[0];
  for (int k = 0; k < 100; ++k) {
    #pragma unroll
    for (int i = 0; i < COUNT; ++i) sum[i] = sum[i] * sum[(i + 1) % COUNT] + values[k];
  }
  #pragma unroll
  for (int i = 0; i < COUNT; ++i) values[threadIdx.x * COUNT + i] = sum[i];
})";

TEST_F(GpuBackend, AgreesWithTheOccupancyComputedOnTheHost) {
  int compared = 0;
  for (const int count : {4, 48, 120})
    for (const int bytes : {512, 20480}) {
      auto plan = plan_of(demanding, {buffer("values", Layout::dense({1 << 20}), BufferRole::scratch)},
                          launch("demanding", {1, 1, 1}, {32, 1, 1}, {BufferArgument{"values"}}));
      plan.compile.defines = {
          {"BOUND", "256"}, {"COUNT", std::to_string(count)}, {"STATIC", std::to_string(bytes)}};
      const auto binary = compile(plan);
      for (const std::uint32_t threads : {32u, 96u, 224u, 256u})
        for (const std::uint64_t dynamic : {0u, 4096u, 40000u, 66000u}) {
          auto& launched = std::get<Launch>(plan.launches[0]);
          launched.block.x = threads;
          launched.dynamic_shared_memory = dynamic;
          const auto prepared = backend_->runner().prepare(plan, binary);
          ASSERT_TRUE(prepared) << prepared.error().detail;
          const auto& asked = (*prepared)->resources()[0];
          EXPECT_EQ(asked.registers, binary.resources.at("demanding").registers);
          EXPECT_EQ(asked.static_shared_memory, bytes);
          const auto host = occupancy(
              backend_->properties(),
              {asked.threads, asked.registers, asked.static_shared_memory, asked.dynamic_shared_memory});
          EXPECT_EQ(asked.blocks_per_multiprocessor, host.blocks)
              << threads << " threads, " << asked.registers << " registers, " << bytes << " + " << dynamic;
          EXPECT_DOUBLE_EQ(asked.occupancy, host.fraction);
          EXPECT_FALSE(asked.limiter.empty());
          ++compared;
        }
    }
  EXPECT_EQ(compared, 96);
}

}  // namespace
}  // namespace tune::cuda
