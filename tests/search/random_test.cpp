// SPDX-License-Identifier: Apache-2.0
#include "search/random.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

TEST(Random, GivesTheSameNumbersForASeedOnEveryMachine) {
  Random random(5489);
  // The engine's first number is fixed by the C++ standard: 14514284786278117030.
  EXPECT_EQ(random.below(1'000'000'000), 278'117'030U);
}

TEST(Random, StaysBelowTheBoundAndReachesEveryNumber) {
  Random random(1);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7'000; ++i) ++seen.at(random.below(7));
  for (const int count : seen) EXPECT_NEAR(count, 1'000, 150);
}

TEST(Random, HandlesTheSmallestAndTheLargestBound) {
  Random random(2);
  EXPECT_EQ(random.below(1), 0U);
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below(~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(Random, HasNoBiasForBoundsThatDoNotDivideTheRange) {
  // Without rejection the lowest third would come up half of the time.
  Random random(4);
  int low = 0;
  for (int i = 0; i < 3'000; ++i)
    low += random.below(std::uint64_t{3} << 62) < (std::uint64_t{1} << 62) ? 1 : 0;
  EXPECT_NEAR(low, 1'000, 150);
}

TEST(Random, UniformIsInTheHalfOpenUnitInterval) {
  Random random(3);
  double sum = 0.0;
  for (int i = 0; i < 10'000; ++i) {
    const double draw = random.uniform();
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    sum += draw;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

}  // namespace
}  // namespace tune::search
