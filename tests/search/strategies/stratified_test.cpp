// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/stratified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

/// `count` numbers at equal distances.
Parameter row_of_values(const char* name, int count) {
  Parameter parameter{name, "", {}, 1};
  for (int i = 1; i <= count; ++i) parameter.values.emplace_back(i);
  return parameter;
}

SearchSpace space_of(std::vector<Parameter> parameters, std::vector<Constraint> constraints = {}) {
  SpaceDefinition definition;
  definition.parameters = std::move(parameters);
  definition.constraints = std::move(constraints);
  return SearchSpace(std::move(definition));
}

/// A design among all configurations.
std::vector<ConfigurationId> design(const SearchSpace& space, std::size_t size, std::uint64_t seed,
                                    std::vector<double> lean = {}) {
  std::vector<ConfigurationId> all;
  for (ConfigurationId id = 0; id < space.size(); ++id) all.push_back(id);
  Random random(seed);
  StratifiedDesign design(space, all, size, random, std::move(lean));
  Visited visited(space.size());
  std::vector<ConfigurationId> chosen;
  for (auto id = design.take(visited); id; id = design.take(visited)) chosen.push_back(*id);
  return chosen;
}

TEST(StratifiedDesign, UsesEachStratumOfALineOnce) {
  const SearchSpace space = space_of({row_of_values("line", 401)});
  std::set<std::vector<ConfigurationId>> designs;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<ConfigurationId> chosen = design(space, 8, seed);
    ASSERT_EQ(chosen.size(), 8U);
    designs.insert(chosen);
    std::ranges::sort(chosen);
    for (std::size_t i = 0; i < 8; ++i) {  // a value may lie across the border of its stratum
      EXPECT_GE(static_cast<double>(chosen[i]), 50.0 * static_cast<double>(i) - 1.5);
      EXPECT_LE(static_cast<double>(chosen[i]), 50.0 * static_cast<double>(i + 1) + 1.5);
    }
  }
  EXPECT_EQ(designs.size(), 20U);
}

/// The values of a up to 10 have 20 configurations each, the 90 beyond have one: 30 in 100 of all.
SearchSpace mostly_small() {
  return space_of({row_of_values("a", 100), row_of_values("b", 20)},
                  {{Expr::parse("a <= 10 or b == 1"), ""}});
}

TEST(StratifiedDesign, UsesValuesAsOftenAsTheCandidates) {
  const SearchSpace space = mostly_small();
  std::size_t rare = 0, first = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    for (const ConfigurationId id : design(space, 10, seed)) {
      rare += space.value_indices(id)[0] >= 10 ? 1 : 0;
      first += space.value_indices(id)[0] == 0 ? 1 : 0;
    }
  // Where a and b are not independent, a place may have its nearest candidate elsewhere.
  EXPECT_NEAR(static_cast<double>(rare) / 500, 90.0 / 290, 0.2) << "a cover of values has nine in ten";
  EXPECT_NEAR(static_cast<double>(first) / 500, 20.0 / 290, 0.03);
}

TEST(StratifiedDesign, OfASampleIsLikeTheSpace) {
  const SearchSpace space = mostly_small();
  std::size_t rare = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    StratifiedDesign sampled(space, 10, random);
    Visited visited(space.size());
    std::set<ConfigurationId> chosen;
    for (auto id = sampled.take(visited); id; id = sampled.take(visited)) {
      EXPECT_TRUE(chosen.insert(*id).second);
      rare += space.value_indices(*id)[0] >= 10 ? 1 : 0;
    }
    EXPECT_EQ(chosen.size(), 10U);
  }
  EXPECT_NEAR(static_cast<double>(rare) / 500, 90.0 / 290, 0.2);
}

TEST(StratifiedDesign, PairsParametersAtRandom) {
  const SearchSpace space = space_of({row_of_values("line", 20), row_of_values("other", 20)});
  double product = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    for (const ConfigurationId id : design(space, 5, seed)) {
      const std::vector<int> indices = space.value_indices(id);
      product += (indices[0] - 9.5) * (indices[1] - 9.5) / 250;
    }
  // 250 pairs of independent places with deviation 5.8: 33.25 / sqrt(250) is one standard error.
  EXPECT_NEAR(product, 0, 4 * 33.25 / std::sqrt(250.0));
}

TEST(StratifiedDesign, UsesEachTextAsOften) {
  const SearchSpace space = space_of({row_of_values("line", 101), {"text", "", {"a", "b", "c", "d"}, "a"}});
  std::vector<int> used(4, 0);
  for (const ConfigurationId id : design(space, 8, 1))
    ++used[static_cast<std::size_t>(space.value_indices(id)[1])];
  EXPECT_EQ(used, (std::vector<int>{2, 2, 2, 2}));
}

TEST(StratifiedDesign, AVariantIsNotPreferredForItsFewOrManyParameters) {
  // 256 configurations each.
  std::vector<Parameter> parameters = {{"variant", "", {"direct", "tiled"}, "direct"}};
  for (const char* name : {"p", "q", "r", "s"})
    parameters.push_back({name, "", {1, 2, 4, 8}, 1, var("variant") == "tiled"});
  Parameter x = row_of_values("x", 256);
  x.exists_if = var("variant") == "direct";
  parameters.push_back(x);
  const SearchSpace space = space_of(parameters);
  int tiled = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const ConfigurationId id : design(space, 8, seed)) tiled += space.value_indices(id)[0];
  EXPECT_NEAR(tiled, 160, 40);
}

TEST(StratifiedDesign, RepeatsNothingAndTakesAllWhereThereAreFewer) {
  const SearchSpace space = space_of({row_of_values("line", 6)});
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const std::size_t count : {5U, 6U, 50U}) {
      const std::vector<ConfigurationId> chosen = design(space, count, seed);
      EXPECT_EQ(chosen.size(), std::min<std::size_t>(count, 6));
      EXPECT_EQ(std::set(chosen.begin(), chosen.end()).size(), chosen.size());
    }
}

TEST(StratifiedDesign, TakesOnlyWhatIsUnseen) {
  const SearchSpace space = mostly_small();
  Random random(1);
  StratifiedDesign sampled(space, 8, random);
  Visited visited(space.size());
  for (ConfigurationId id = 0; id < space.size(); ++id)
    if (id % 10 != 0) visited.take(id);
  while (const auto id = sampled.take(visited)) EXPECT_EQ(*id % 10, 0U);
}

TEST(StratifiedDesign, LeansWhereItIsTold) {
  const SearchSpace space = space_of({row_of_values("line", 100)});
  std::vector<double> lean(100, 2);  // more than any distance
  std::fill(lean.begin() + 30, lean.begin() + 50, 0.0);
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const ConfigurationId id : design(space, 6, seed, lean)) {
      EXPECT_GE(id, 30U);
      EXPECT_LT(id, 50U);
    }
}

}  // namespace
}  // namespace tune::search
