// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "search/space/row_graph.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

using Digits = std::vector<RowGraph::Digit>;

constexpr std::size_t plenty = 1'000'000;

ProposedDigit must(RowGraph::Digit digit) {
  return {digit, false, false};
}
ProposedDigit prefer(RowGraph::Digit digit) {
  return {digit, true, false};
}

RowGraph table(const std::vector<Digits>& rows) {
  return graph_of(rows, 3);
}

Completion nearest_of(const RowGraph& rows, const std::vector<ProposedDigit>& proposed, std::size_t steps) {
  return nearest_completion(rows, {*rows.root(), 0}, 0, proposed, steps);
}

TEST(NearestCompletion, TakesTheFewestDeviationsThenTheFirst) {
  const RowGraph rows = table({{0, 1, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 0}, {2, 0, 3}});
  const auto nearest = [&rows](const std::vector<ProposedDigit>& proposed) {
    return nearest_of(rows, proposed, plenty).row;
  };
  EXPECT_EQ(nearest_row(rows, {prefer(3), prefer(3), prefer(3)}), 4U);
  EXPECT_EQ(nearest_row(rows, {prefer(3), prefer(3), prefer(1)}), 0U);
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
  const RowGraph rows = table({{0, 0, 1}, {0, 0, 2}, {1, 2, 2}});
  const std::vector<ProposedDigit> proposed{must(0), {3, false, true}, must(2)};
  EXPECT_EQ(nearest_of(rows, proposed, plenty).row, 1U);
}

TEST(NearestCompletion, GivesUpAfterItsSteps) {
  std::vector<Digits> all;
  for (RowGraph::Digit a = 0; a < 4; ++a) {
    for (RowGraph::Digit b = 0; b < 4; ++b) all.push_back({a, b, 0});
  }
  const RowGraph rows = table(all);
  const std::vector<ProposedDigit> proposed{prefer(0), prefer(0), must(1)};
  const Completion short_walk = nearest_of(rows, proposed, 10);
  EXPECT_TRUE(short_walk.gave_up);
  EXPECT_EQ(short_walk.row, std::nullopt);
  const Completion whole_walk = nearest_of(rows, proposed, plenty);
  EXPECT_FALSE(whole_walk.gave_up);
  EXPECT_EQ(whole_walk.row, std::nullopt);
}

}  // namespace
}  // namespace tune::search
