// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/kernel_limits.hpp"

#include <gtest/gtest.h>

#include "tests/tuner/backends/cuda/known_devices.hpp"

namespace tune::cuda {
namespace {

KernelResources kernel(int registers, int max_threads, int shared = 0) {
  KernelResources resources;
  resources.registers = registers;
  resources.max_threads = max_threads;
  resources.static_shared_memory = shared;
  return resources;
}

Launch launch(Dim3 grid, Dim3 block, std::uint64_t shared = 0) {
  Launch made;
  made.entry = "k";
  made.grid = grid;
  made.block = block;
  made.dynamic_shared_memory = shared;
  return made;
}

/// `fits`, or reason and detail.
std::string verdict(const KernelResources& resources, const Launch& wanted) {
  const auto result = check_launch(h200_properties(), resources, wanted);
  if (result) return "fits";
  EXPECT_EQ(result.error().phase, Phase::resources);
  return result.error().reason + ": " + result.error().detail;
}

TEST(KernelLimits, AcceptsTheLimitsThemselves) {
  EXPECT_EQ(verdict(kernel(64, 1024), launch({2147483647, 65535, 65535}, {1024, 1, 1})), "fits");
  EXPECT_EQ(verdict(kernel(64, 1024, 1024), launch({1, 1, 1}, {16, 1, 64}, 226 * 1024)), "fits");
}

TEST(KernelLimits, NamesDemandAndLimit) {
  EXPECT_EQ(verdict(kernel(16, 1024), launch({1, 1, 1}, {1, 1, 65})),
            "block: kernel `k` needs 65 threads along z of a block, the limit is 64");
  EXPECT_EQ(verdict(kernel(16, 1024), launch({1, 65536, 1}, {32, 1, 1})),
            "grid: kernel `k` needs 65536 blocks along y, the limit is 65535");
  EXPECT_EQ(verdict(kernel(16, 1024), launch({1, 1, 1}, {64, 32, 1})),
            "threads: kernel `k` needs 2048 threads per block, the limit is 1024");
  EXPECT_EQ(verdict(kernel(16, 128), launch({1, 1, 1}, {256, 1, 1})),
            "threads: kernel `k` needs 256 threads per block (compiled with 16 registers per thread), the "
            "limit is 128");
  EXPECT_EQ(verdict(kernel(128, 512), launch({1, 1, 1}, {1024, 1, 1})),
            "registers: kernel `k` needs 131072 registers per block (128 per thread), the limit is 65536");
  EXPECT_EQ(verdict(kernel(16, 1024, 8), launch({1, 1, 1}, {32, 1, 1}, 227 * 1024)),
            "shared memory: kernel `k` needs 232456 bytes of shared memory per block, the limit is 232448");
}

TEST(KernelLimits, RefusesEmptyLaunches) {
  EXPECT_EQ(verdict(kernel(16, 1024), launch({0, 1, 1}, {32, 1, 1})).find("grid"), 0u);
  EXPECT_EQ(verdict(kernel(16, 1024), launch({1, 1, 1}, {32, 0, 1})).find("block"), 0u);
}

TEST(KernelLimits, HoldsCooperativeGridsAgainstWhatIsResident) {
  auto resources = kernel(32, 1024);
  resources.blocks_per_multiprocessor = 2;
  auto wanted = launch({264, 1, 1}, {256, 1, 1});
  wanted.cooperative = true;
  EXPECT_TRUE(check_residency(h200_properties(), resources, wanted));
  wanted.grid.x = 265;
  const auto large = check_residency(h200_properties(), resources, wanted);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().phase, Phase::resources);
  EXPECT_EQ(large.error().reason, "cooperative grid");
  EXPECT_EQ(large.error().detail,
            "kernel `k` needs 265 blocks at once (2 per SM, 132 SMs), the limit is 264");
  wanted.cooperative = false;
  EXPECT_TRUE(check_residency(h200_properties(), resources, wanted));
  resources.blocks_per_multiprocessor = 0;
  const auto none = check_residency(h200_properties(), resources, wanted);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, "occupancy");
}

}  // namespace
}  // namespace tune::cuda
