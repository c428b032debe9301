// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

SearchSpace line(int size, int standard) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {}, standard}};
  for (int value = 0; value < size; ++value) definition.parameters[0].values.emplace_back(value);
  return SearchSpace(definition);
}

TEST(GridSearch, StartsWithTheDefaultThenHalvesTheGaps) {
  const SearchSpace space = line(8, 3);
  EXPECT_EQ(GridSearch(space).ask(100), (std::vector<ConfigurationId>{3, 0, 4, 2, 6, 1, 5, 7}));
}

TEST(GridSearch, SkipsADefaultThatIsKnown) {
  const SearchSpace space = line(4, 1);
  GridSearch grid(space);
  grid.tell(std::vector<Observation>{{1, 0.5}});
  EXPECT_EQ(grid.ask(100), (std::vector<ConfigurationId>{0, 2, 3}));
}

TEST(GridSearch, HasSeenAllRegionsWheneverItStops) {
  const SearchSpace space = line(1'000, 0);
  for (const std::size_t count : {10U, 50U, 200U}) {
    auto seen = GridSearch(space).ask(count);
    seen.push_back(space.size());
    std::ranges::sort(seen);
    ConfigurationId widest = 0;
    for (std::size_t i = 1; i < seen.size(); ++i) widest = std::max(widest, seen[i] - seen[i - 1]);
    // At most two and a half times the ideal: halving leaves gaps of two sizes.
    EXPECT_LE(widest, 2'500 / count) << count;
  }
}

}  // namespace
}  // namespace tune::search
