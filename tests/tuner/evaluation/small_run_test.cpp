// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/small_run.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tune {
namespace {

Launch launch(std::string entry, std::uint32_t blocks) {
  Launch one;
  one.entry = std::move(entry);
  one.grid.x = blocks;
  return one;
}

LaunchPlan plan_of(std::vector<Launch> launches) {
  LaunchPlan plan;
  for (Launch& one : launches) plan.launches.emplace_back(std::move(one));
  return plan;
}

double least(const SmallRun& small, const LaunchPlan& plan, std::uint64_t resident_blocks) {
  return large_run(small, plan, 1, resident_blocks).least;
}

TEST(SmallRun, CountsHowOftenBlocksFillTheDevice) {
  // 100 blocks at once: one filling here, and two launches of three fillings there.
  const SmallRun small{{launch("a", 100)}, 1, 1.1e-3};
  EXPECT_NEAR(least(small, plan_of({launch("a", 201), launch("a", 300)}), 100), 6e-3, 1e-9);
}

TEST(SmallRun, TakesTheKernelThatGrowsLeast) {
  const SmallRun small{{launch("a", 1), launch("b", 1)}, 1, 1.2e-3};
  EXPECT_NEAR(least(small, plan_of({launch("a", 900), launch("b", 150)}), 100), 2e-3, 1e-9);
}

TEST(SmallRun, OfAFixedGridSaysThatItTakesNoLess) {
  const SmallRun small{{launch("a", 100)}, 1, 1.1e-3};
  EXPECT_NEAR(least(small, plan_of({launch("a", 100)}), 100), 1e-3, 1e-9);
}

TEST(SmallRun, CountsTheItemsOfABlock) {
  // Twice the blocks compute 20 times the items: each takes ten times as long.
  const SmallRun small{{launch("a", 100)}, 5, 1.1e-3};
  const LargeRun large = large_run(small, plan_of({launch("a", 200)}), 100, 100);
  EXPECT_NEAR(large.least, 2e-3, 1e-9);
  EXPECT_NEAR(large.likely, 20e-3, 1e-9);
  // Blocks that are larger than the small problem compute fewer items there, never more.
  EXPECT_NEAR(large_run(small, plan_of({launch("a", 200)}), 5, 100).likely, 2e-3, 1e-9);
}

TEST(SmallRun, SaysNothing) {
  const SmallRun small{{launch("a", 100)}, 1, 1e-3};
  EXPECT_EQ(least({{launch("a", 100)}, 1, 50e-6}, plan_of({launch("a", 1 << 20)}), 100), 0) << "too short";
  EXPECT_EQ(least(small, plan_of({launch("b", 1 << 20)}), 100), 0) << "another kernel";
  EXPECT_EQ(least(small, plan_of({launch("a", 1 << 20)}), 0), 0) << "unknown device";
  LaunchPlan with_transform = plan_of({launch("a", 1 << 20)});
  with_transform.launches.emplace_back(FourierTransform{});
  EXPECT_TRUE(launches_alone(with_transform).empty());
  EXPECT_EQ(least(small, with_transform, 100), 0);
}

}  // namespace
}  // namespace tune
