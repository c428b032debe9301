// SPDX-License-Identifier: Apache-2.0
#include "search/space/completion.hpp"

#include <gtest/gtest.h>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

using Digits = std::vector<PackedRows::Digit>;

constexpr std::size_t kPlenty = 1'000'000;

Wish must(PackedRows::Digit digit) {
  return {digit, false, false};
}
Wish prefer(PackedRows::Digit digit) {
  return {digit, true, false};
}

PackedRows table(const std::vector<Digits>& rows) {
  PackedRows packed(Digits{4, 4, 4});
  for (const Digits& row : rows) packed.append(row);
  return packed;
}

TEST(NearestCompletion, TakesTheFewestDeviationsThenTheFirst) {
  const PackedRows rows = table({{0, 1, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 0}, {2, 0, 3}});
  const auto nearest = [&rows](const std::vector<Wish>& wishes) {
    return nearest_completion(rows, rows.all(), 0, wishes, kPlenty).row;
  };
  EXPECT_EQ(nearest({prefer(1), prefer(2), prefer(0)}), 2U);  // granted
  EXPECT_EQ(nearest({prefer(0), prefer(0), prefer(0)}), 3U);  // one deviation
  EXPECT_EQ(nearest({prefer(2), prefer(1), prefer(1)}), 0U);  // one
  EXPECT_EQ(nearest({prefer(3), prefer(3), prefer(3)}), 4U);  // two
  EXPECT_EQ(nearest({prefer(3), prefer(3), prefer(1)}), 0U);  // two, the first of those
  EXPECT_EQ(nearest({must(1), prefer(3), prefer(3)}), 1U);
  EXPECT_EQ(nearest({must(1), must(2), must(3)}), std::nullopt);
  EXPECT_EQ(nearest({must(2), must(0), prefer(1)}), 3U);
}

TEST(NearestCompletion, IgnoresWishesForWhatDoesNotExist) {
  const PackedRows rows = table({{0, 0, 1}, {0, 0, 2}, {1, 2, 2}});
  const std::vector<Wish> wishes{must(0), {3, false, true}, must(2)};
  EXPECT_EQ(nearest_completion(rows, rows.all(), 0, wishes, kPlenty).row, 1U);
}

TEST(NearestCompletion, GivesUpAfterItsSteps) {
  std::vector<Digits> all;
  for (PackedRows::Digit a = 0; a < 4; ++a) {
    for (PackedRows::Digit b = 0; b < 4; ++b) all.push_back({a, b, 0});
  }
  const PackedRows rows = table(all);
  const std::vector<Wish> wishes{prefer(0), prefer(0), must(1)};
  const Completion short_walk = nearest_completion(rows, rows.all(), 0, wishes, 10);
  EXPECT_TRUE(short_walk.gave_up);
  EXPECT_EQ(short_walk.row, std::nullopt);
  const Completion whole_walk = nearest_completion(rows, rows.all(), 0, wishes, kPlenty);
  EXPECT_FALSE(whole_walk.gave_up);
  EXPECT_EQ(whole_walk.row, std::nullopt);
}

}  // namespace
}  // namespace tune::search
