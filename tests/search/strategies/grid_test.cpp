// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

std::unique_ptr<Strategy> grid_of(const SearchSpace& space) {
  return choose_strategy("grid").make({space});
}

SearchSpace line_with_default(int size, int standard) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {}, standard}};
  for (int value = 0; value < size; ++value) definition.parameters[0].values.emplace_back(value);
  return SearchSpace(definition);
}

/// 2^13 configurations without a constraint, the worst case for an order that is regular in the numbers.
SpaceDefinition powers_of_two() {
  SpaceDefinition definition;
  for (const int values : {4, 8, 2, 8, 4, 8}) {
    const std::string name = "p" + std::to_string(definition.parameters.size());
    definition.parameters.push_back({name, "", {}, 0});
    for (int value = 0; value < values; ++value) definition.parameters.back().values.emplace_back(value);
  }
  return definition;
}

/// The same with constraints.
SpaceDefinition constrained_grid() {
  SpaceDefinition definition = powers_of_two();
  definition.constraints = {{Expr::parse("p1 * p3 <= 24"), ""}, {Expr::parse("p0 + p4 + p5 <= 10"), ""}};
  return definition;
}

TEST(GridSearch, StartsWithTheDefault) {
  const SearchSpace space = line_with_default(8, 3);
  const auto grid = grid_of(space);
  EXPECT_EQ(grid->ask(1), std::vector<ConfigurationId>{3});
  EXPECT_EQ(grid->ask(100).size(), 7U);
}

TEST(GridSearch, SkipsADefaultThatIsKnown) {
  const SearchSpace space = line_with_default(4, 1);
  const auto grid = grid_of(space);
  grid->tell(std::vector<Observation>{{1, 0.5}});
  auto rest = grid->ask(100);
  std::ranges::sort(rest);
  EXPECT_EQ(rest, (std::vector<ConfigurationId>{0, 2, 3}));
}

TEST(GridSearch, HasSeenAllRegionsWheneverItStops) {
  const SearchSpace space = line_with_default(1'000, 0);
  for (const std::size_t count : {10U, 50U, 200U}) {
    auto seen = grid_of(space)->ask(count);
    seen.push_back(space.size());
    std::ranges::sort(seen);
    ConfigurationId widest = 0;
    for (std::size_t i = 1; i < seen.size(); ++i) widest = std::max(widest, seen[i] - seen[i - 1]);
    // At most three and a half times the ideal: equal steps round and round leave gaps of three sizes.
    EXPECT_LE(widest, 3'500 / count) << count;
  }
}

TEST(GridSearch, SoonSeesEveryValueAndMostPairsOfEveryTwoParameters) {
  for (const SpaceDefinition& definition : {powers_of_two(), constrained_grid()}) {
    const SearchSpace space(definition);
    std::vector<std::vector<int>> rows;
    for (const ConfigurationId id : grid_of(space)->ask(64)) rows.push_back(space.value_indices(id));
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      std::set<int> values;
      for (std::size_t row = 0; row < 24; ++row) values.insert(rows[row][p]);
      EXPECT_EQ(values.size(), space.parameters()[p].values.size()) << p;
      for (std::size_t q = 0; q < p; ++q) {
        std::set<std::pair<int, int>> pairs;
        for (const auto& row : rows) pairs.emplace(row[p], row[q]);
        const std::size_t all = space.parameters()[p].values.size() * space.parameters()[q].values.size();
        // 64 at random see 63 % of 64 pairs, and less of those that are not all valid.
        EXPECT_GE(pairs.size(), all / 2) << p << " " << q;
      }
    }
  }
}

}  // namespace
}  // namespace tune::search
