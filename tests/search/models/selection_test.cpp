// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "search/models/gaussian_process.hpp"

namespace tune::search::testing {
namespace {

TEST(BestAndSpread, TakesAllWhereThereAreFew) {
  EXPECT_TRUE(best_and_spread(0, 4).empty());
  EXPECT_EQ(best_and_spread(3, 4), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(best_and_spread(4, 4), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(BestAndSpread, TakesTheBestHalfAndSpreadsTheOther) {
  EXPECT_EQ(best_and_spread(5, 4), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(best_and_spread(10, 4), (std::vector<std::size_t>{0, 1, 2, 6}));
  EXPECT_EQ(best_and_spread(100, 10), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 24, 43, 62, 81}));
}

TEST(BestAndSpread, IncreasesWithinBounds) {
  for (const std::size_t max : {2U, 7U, 16U, 160U})
    for (std::size_t count = 1; count < 700; count += 13) {
      const std::vector<std::size_t> chosen = best_and_spread(count, max);
      EXPECT_EQ(std::ranges::adjacent_find(chosen, std::greater_equal{}), chosen.end())
          << count << " " << max;
      EXPECT_EQ(chosen.size(), count <= max ? count : max / 2 * 2);
      EXPECT_LT(chosen.back(), count);
      for (std::size_t i = 0; i < std::min(count, max / 2); ++i) EXPECT_EQ(chosen[i], i);
    }
}

}  // namespace
}  // namespace tune::search::testing
