// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "search/space/search_space.hpp"
#include "tests/search/print.hpp"
#include "tests/search/space/random_definition.hpp"

namespace tune::search::testing {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double cost_of(const SearchSpace& space, const std::vector<ValueCosts>& costs, ConfigurationId id) {
  double sum = 0;
  const std::vector<int> indices = space.value_indices(id);
  for (std::size_t p = 0; p < indices.size(); ++p)
    sum += indices[p] < 0 ? costs[p].absent : costs[p].values[static_cast<std::size_t>(indices[p])];
  return sum;
}

/// Whole numbers, so that there are equals; now and then forbidden.
std::vector<ValueCosts> random_costs(const SearchSpace& space, Random& random) {
  std::vector<ValueCosts> costs;
  for (const Parameter& parameter : space.parameters()) {
    costs.push_back({{}, static_cast<double>(random.below(3))});
    for (std::size_t i = 0; i < parameter.values.size(); ++i)
      costs.back().values.push_back(random.below(8) == 0 ? never : static_cast<double>(random.below(4)));
  }
  return costs;
}

SearchSpace line(int size) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {}, 0}};
  for (int value = 0; value < size; ++value) definition.parameters[0].values.emplace_back(value);
  return SearchSpace(definition);
}

TEST(Cheapest, IsTheCheapestOfAllThatAreAllowed) {
  Random random(7);
  int found_one = 0;
  for (int trial = 0; trial < 2'000; ++trial) {
    const SpaceDefinition definition = random_definition(random);
    const SearchSpace space(definition);
    const auto costs = random_costs(space, random);
    const ConfigurationId residue = random.below(4);
    const auto allowed = [residue](ConfigurationId id) { return id % 4 != residue; };
    double min = never;
    for (ConfigurationId id = 0; id < space.size(); ++id)
      if (allowed(id)) min = std::min(min, cost_of(space, costs, id));
    const auto found = space.cheapest(costs, random, allowed);
    ASSERT_EQ(found.has_value(), min < never) << describe(definition);
    if (!found) continue;
    ++found_one;
    EXPECT_TRUE(allowed(*found));
    EXPECT_EQ(cost_of(space, costs, *found), min) << describe(definition);
  }
  EXPECT_GT(found_one, 1'000);
}

TEST(Cheapest, EqualsHaveEqualChances) {
  const SearchSpace space = line(60);
  std::vector<ValueCosts> costs{{std::vector<double>(60, 2.0)}};
  for (const std::size_t cheap : {3U, 4U, 31U, 59U}) costs[0].values[cheap] = 1.0;
  Random random(1);
  std::map<ConfigurationId, int> seen;
  for (int draw = 0; draw < 4'000; ++draw) ++seen[*space.cheapest(costs, random)];
  EXPECT_EQ(seen.size(), 4U);
  for (const auto& [id, times] : seen) EXPECT_NEAR(times, 1'000, 5 * std::sqrt(750)) << id;
}

TEST(Cheapest, StopsInTimeWhereNothingIsAllowed) {
  SpaceDefinition definition;
  std::vector<ValueCosts> costs(6, {std::vector<double>(10, 1.0)});
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    definition.parameters.push_back({name, "", {}, 0});
    for (int value = 0; value < 10; ++value) definition.parameters.back().values.emplace_back(value);
  }
  const SearchSpace space(definition);
  Random random(1);
  int asked = 0;
  EXPECT_FALSE(space.cheapest(costs, random, [&](ConfigurationId) { return ++asked < 0; }));
  EXPECT_LE(asked, 10'000);
}

TEST(Cheapest, OfAnEmptySpaceIsNone) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {1, 2}, 1}};
  definition.constraints = {{Expr(false), "never"}};
  Random random(1);
  EXPECT_FALSE(SearchSpace(definition).cheapest(std::vector<ValueCosts>{{{0, 0}}}, random));
}

TEST(FindIndices, IsTheInverseOfValueIndices) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const SearchSpace space(random_definition(random));
    for (ConfigurationId id = 0; id < space.size(); ++id)
      EXPECT_EQ(space.find_indices(space.value_indices(id)), id);
  }
}

TEST(FindIndices, FindsNothingThatIsNotValid) {
  SpaceDefinition definition;
  definition.parameters = {
      {"variant", "", {"a", "b"}, "a"}, {"x", "", {1, 2, 3}, 1}, {"y", "", {1, 2}, 1, var("variant") == "b"}};
  definition.constraints = {{var("x") < 3, ""}};
  const SearchSpace space(definition);
  using Indices = std::vector<int>;
  EXPECT_TRUE(space.find_indices(Indices{0, 1, -1}));
  for (const Indices& wrong : {Indices{0, 2, -1}, Indices{0, 1, 0}, Indices{1, 1, -1}, Indices{0, 3, -1},
                               Indices{-1, 1, -1}, Indices{0, 1, -2}, Indices{1, 1, 2}, Indices{0, 1}})
    EXPECT_FALSE(space.find_indices(wrong)) << ::testing::PrintToString(wrong);
}

}  // namespace
}  // namespace tune::search::testing
