// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/value_cover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

/// 8 x 4 x 2 x 32, of which a constraint forbids about half.
SearchSpace constrained() {
  SpaceDefinition definition;
  definition.parameters = {
      {"a", "", {}, 0}, {"b", "", {}, 0}, {"c", "", {false, true}, false}, {"d", "", {}, 0}};
  for (int value = 0; value < 8; ++value) definition.parameters[0].values.emplace_back(value);
  for (int value = 0; value < 4; ++value) definition.parameters[1].values.emplace_back(value);
  for (int value = 0; value < 32; ++value) definition.parameters[3].values.emplace_back(value);
  definition.constraints = {{Expr::parse("a * (b + 1) + d < 36"), ""}};
  return SearchSpace(definition);
}

std::vector<std::vector<int>> rows_of(const SearchSpace& space, std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Visited visited(space.size());
  ValueCover values(space, size, random);
  std::vector<std::vector<int>> rows;
  for (auto id = values.take(visited, random); id; id = values.take(visited, random))
    rows.push_back(space.value_indices(*id));
  return rows;
}

TEST(ValueCover, UsesAllValuesEquallyOftenAndSpreadsOverTheOthers) {
  const SearchSpace space = constrained();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto rows = rows_of(space, 8, seed);
    ASSERT_EQ(rows.size(), 8U);
    std::vector<std::vector<int>> times{std::vector<int>(8), std::vector<int>(4), std::vector<int>(2)};
    std::set<int> quarters;
    for (const std::vector<int>& row : rows) {
      for (std::size_t p = 0; p < 3; ++p) ++times[p][static_cast<std::size_t>(row[p])];
      quarters.insert(row[3] / 8);
    }
    for (const int count : times[0]) EXPECT_EQ(count, 1) << seed;
    for (const int count : times[1]) EXPECT_NEAR(count, 2, 1) << seed;
    for (const int count : times[2]) EXPECT_NEAR(count, 4, 1) << seed;
    EXPECT_EQ(quarters.size(), 4U) << seed;
  }
}

TEST(ValueCover, IsAnotherOneForAnotherSeed) {
  const SearchSpace space = constrained();
  std::set<std::vector<int>> different;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const auto& row : rows_of(space, 8, seed)) different.insert(row);
  EXPECT_GT(different.size(), 250U);  // of 400; all alike would be 8
}

TEST(ValueCover, AVariantWithManyParametersIsNotLeftOut) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {1, 2, 3}, 1}, {"variant", "", {"direct", "tiled"}, "direct"}};
  for (const char* name : {"p", "q", "r", "s"})
    definition.parameters.push_back({name, "", {1, 2, 4, 8}, 1, var("variant") == "tiled"});
  const SearchSpace space(definition);
  int tiled = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const auto& row : rows_of(space, 8, seed)) tiled += row[1];
  EXPECT_NEAR(tiled, 80, 30);
}

TEST(ValueCover, TakesOnlyWhatIsUnseenAndEndsWithTheSpace) {
  const SearchSpace space = constrained();
  Random random(1);
  Visited visited(space.size());
  for (ConfigurationId id = 0; id < space.size(); ++id)
    if (id % 250 != 0) visited.take(id);
  const ConfigurationId left = visited.remaining();
  ASSERT_LT(left, 8U);
  ValueCover values(space, 8, random);
  std::set<ConfigurationId> taken;
  for (auto id = values.take(visited, random); id; id = values.take(visited, random)) {
    EXPECT_EQ(*id % 250, 0U);
    EXPECT_TRUE(taken.insert(*id).second);
  }
  EXPECT_EQ(taken.size(), left);
}

}  // namespace
}  // namespace tune::search
