// SPDX-License-Identifier: Apache-2.0
// The grid's barrier on a device: nobody is ahead, nobody reads what is old, however often it is used.
#include <algorithm>
#include <cstdio>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"

namespace tune::cuda {
namespace {

using GpuGridBarrier = GpuTest;

/// In every round all blocks write what round it is, by turns in two rows, and read what others wrote:
/// another one each round. out[block]: rounds in which it was right.
constexpr const char* source = R"(
#include "grid_barrier.cuh"
extern "C" __global__ void meet(unsigned* slots, unsigned* counter, unsigned* out, int rounds) {
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned last = blockDim.x * blockDim.y * blockDim.z - 1;
  unsigned right = 0;
  for (int round = 0; round < rounds; ++round) {
    unsigned* const row = slots + round % 2 * blocks;
    if (rank == last) row[block] = 3 * round + block;  // not the thread that counts the block
    grid_barrier(counter);
    const unsigned other = (block + 1 + round % blocks) % blocks;
    right += row[other] == 3 * round + other;
  }
  if (rank == last) out[block] = right;
})";

LaunchPlan meeting(Dim3 grid, Dim3 block, std::int32_t rounds) {
  const std::uint64_t blocks = grid.count();
  auto plan = plan_of(source,
                      {buffer("slots", Layout::dense({2 * blocks}), BufferRole::scratch, ElementType::u32),
                       kernels::grid_barrier_counter("counter"),
                       buffer("out", Layout::dense({blocks}), BufferRole::output, ElementType::u32)},
                      launch("meet", grid, block,
                             {BufferArgument{"slots"}, BufferArgument{"counter"}, BufferArgument{"out"},
                              ScalarArgument{rounds}}));
  plan.compile.headers = {kernels::grid_barrier_header(kernels::EmbeddedSources())};
  std::get<Launch>(plan.launches[0]).cooperative = true;
  return plan;
}

void expect_all_right(PreparedPlan& prepared, std::uint64_t blocks, std::int32_t rounds) {
  const auto view = prepared.fetch("out");
  ASSERT_TRUE(view) << view.error().detail;
  const auto* const out = reinterpret_cast<const std::uint32_t*>(view->bytes.data());
  for (std::uint64_t i = 0; i < blocks; ++i)
    ASSERT_EQ(out[i], static_cast<std::uint32_t>(rounds)) << "block " << i;
}

TEST_F(GpuGridBarrier, KeepsBlocksTogether) {
  const auto multiprocessors = static_cast<std::uint32_t>(backend_->properties().multiprocessors);
  constexpr std::int32_t rounds = 20'001;  // odd: the next launch finds the counter's highest bit set
  for (const Dim3 grid : {Dim3{1}, Dim3{2}, Dim3{multiprocessors}, Dim3{multiprocessors, 2, 2}})
    for (const Dim3 block : {Dim3{32}, Dim3{8, 4, 8}}) {
      const auto prepared = run(meeting(grid, block, rounds), {});
      expect_all_right(*prepared, grid.count(), rounds);
      // Executions one after another that fill nothing anew.
      MeasureOptions options;
      options.min_samples = options.max_samples = 5;
      const auto timing = prepared->measure(options);
      ASSERT_TRUE(timing) << timing.error().detail;
      expect_all_right(*prepared, grid.count(), rounds);
      std::printf("%4llu blocks of %3llu threads: %.3f us a barrier\n",
                  static_cast<unsigned long long>(grid.count()),
                  static_cast<unsigned long long>(block.count()),
                  *std::ranges::min_element(timing->samples) / rounds * 1e6);
    }
}

// Short enough to be timed as a graph, on copies of the counter.
TEST_F(GpuGridBarrier, IsReadyForEveryExecutionOfAGraph) {
  for (const std::int32_t rounds : {1, 2}) {
    const auto prepared = run(meeting({8}, {64}, rounds), {});
    MeasureOptions options;
    options.min_samples = options.max_samples = 50;
    const auto timing = prepared->measure(options);
    ASSERT_TRUE(timing) << timing.error().detail;
    expect_all_right(*prepared, 8, rounds);
  }
}

// Launches of other grids go on with the same counter.
TEST_F(GpuGridBarrier, IsSharedByLaunchesOfAPlan) {
  const auto multiprocessors = static_cast<std::uint32_t>(backend_->properties().multiprocessors);
  auto plan = meeting({multiprocessors}, {64}, 101);
  auto small = std::get<Launch>(plan.launches[0]);
  small.grid.x = 3;
  plan.launches.insert(plan.launches.begin(), {plan.launches[0], small});
  const auto prepared = run(plan, {});
  expect_all_right(*prepared, multiprocessors, 101);
}

TEST_F(GpuGridBarrier, RefusesMoreBlocksThanAreResident) {
  const auto refused = prepare(meeting({1U << 20}, {64}, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().phase, Phase::resources);
  EXPECT_EQ(refused.error().reason, "cooperative grid");
  EXPECT_NE(refused.error().detail.find("1048576"), std::string::npos) << refused.error().detail;
}

}  // namespace
}  // namespace tune::cuda
