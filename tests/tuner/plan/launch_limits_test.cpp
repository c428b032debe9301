// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/launch_limits.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

std::string verdict(Dim3 grid, Dim3 block, std::uint64_t shared = 0) {
  LaunchPlan plan;
  plan.launches.emplace_back(Zero{"x"});
  Launch launch;
  launch.entry = "k";
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_memory = shared;
  plan.launches.emplace_back(launch);
  const Result<void> fits = check_geometry(architecture_properties("sm_90"), plan);
  return fits ? "fits" : fits.error().reason + ": " + fits.error().detail;
}

TEST(LaunchLimits, NameDemandAndLimitWithoutADevice) {
  EXPECT_EQ(verdict({2147483647, 65535, 65535}, {16, 1, 64}, 232448), "fits");
  EXPECT_EQ(verdict({1, 70000, 1}, {32, 1, 1}),
            "grid: kernel `k` needs 70000 blocks along y, the limit is 65535");
  EXPECT_EQ(verdict({2147483648, 1, 1}, {32, 1, 1}),
            "grid: kernel `k` needs 2147483648 blocks along x, the limit is 2147483647");
  EXPECT_EQ(verdict({1, 1, 1}, {1, 1, 128}),
            "block: kernel `k` needs 128 threads along z of a block, the limit is 64");
  EXPECT_EQ(verdict({1, 1, 1}, {64, 32, 1}),
            "threads: kernel `k` needs 2048 threads per block, the limit is 1024");
  EXPECT_EQ(verdict({1, 1, 1}, {1, 1, 1}, 232449),
            "shared memory: kernel `k` needs 232449 bytes of shared memory per block, the limit is 232448");
}

}  // namespace
}  // namespace tune
