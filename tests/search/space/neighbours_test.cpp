// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "search/space/search_space.hpp"
#include "tests/search/print.hpp"
#include "tests/search/space/random_definition.hpp"

namespace tune::search::testing {
namespace {

std::vector<std::string> neighbours_of(const SearchSpace& space, const char* text) {
  std::vector<std::string> texts;
  for (const ConfigurationId id : space.neighbours(space.find(Configuration::parse(text)).value())) {
    texts.push_back(space.at(id).to_string());
  }
  return texts;
}

SpaceDefinition neighbourhood() {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"direct", "tiled"}, "direct"},
                           {"block", "", {16, 32, 64}, 32},
                           {"stages", "", {1, 2, 3, 4}, 3, var("variant") == "tiled"},
                           {"width", "", {1, 2}, 1}};
  definition.constraints = {{var("stages") * var("block") <= 128, ""},
                            {var("block") * var("width") < 128, ""}};
  return definition;
}

TEST(Neighbours, DifferInOneParameter) {
  EXPECT_EQ(neighbours_of(SearchSpace(neighbourhood()), "variant=tiled,block=32,stages=2,width=2"),
            (std::vector<std::string>{
                "variant=direct, block=32, width=2",
                "variant=tiled, block=16, stages=2, width=2",
                "variant=tiled, block=32, stages=1, width=2",
                "variant=tiled, block=32, stages=2, width=1",
                "variant=tiled, block=32, stages=3, width=2",
                "variant=tiled, block=32, stages=4, width=2",
            }));
}

TEST(Neighbours, ANewVariantTakesTheDefaultsOrTheNearestValidValues) {
  const SearchSpace space(neighbourhood());
  EXPECT_EQ(neighbours_of(space, "variant=direct,block=32,width=1").back(),
            "variant=tiled, block=32, stages=3, width=1");
  // 3 stages of 64 are too many; 1 and 2 differ equally from the defaults, and the first of them is taken.
  EXPECT_EQ(neighbours_of(space, "variant=direct,block=64,width=1").back(),
            "variant=tiled, block=64, stages=1, width=1");
}

TEST(Neighbours, AVariantThatCannotKeepTheSharedValuesIsNone) {
  SpaceDefinition definition = neighbourhood();
  definition.constraints.push_back({Expr::parse("stages > 4 or block < 64"), ""});
  EXPECT_EQ(
      neighbours_of(SearchSpace(definition), "variant=direct,block=64,width=1"),
      (std::vector<std::string>{"variant=direct, block=16, width=1", "variant=direct, block=32, width=1"}));
}

/// The documented meaning, by looking at every configuration.
std::vector<ConfigurationId> expected_neighbours(const SearchSpace& space, ConfigurationId id) {
  const Configuration here = space.at(id);
  std::vector<ConfigurationId> result;
  for (const Parameter& changed : space.parameters()) {
    if (!here.has(changed.name)) continue;
    for (const Value& value : changed.values) {
      if (value == here[changed.name]) continue;
      std::optional<ConfigurationId> nearest;
      std::size_t fewest = 0;
      for (ConfigurationId other = 0; other < space.size(); ++other) {
        const Configuration there = space.at(other);
        if (!there.has(changed.name) || !(there[changed.name] == value)) continue;
        bool keeps = true;
        std::size_t deviations = 0;
        for (const Parameter& parameter : space.parameters()) {
          if (parameter.name == changed.name || !there.has(parameter.name)) continue;
          const Value& now = there[parameter.name];
          if (!here.has(parameter.name)) {
            deviations += now == parameter.default_value ? 0 : 1;
          } else if (!(now == here[parameter.name])) {
            keeps = false;
          }
        }
        if (!keeps || (nearest && deviations >= fewest)) continue;
        nearest = other;
        fewest = deviations;
      }
      if (nearest) result.push_back(*nearest);
    }
  }
  std::ranges::sort(result);
  return result;
}

TEST(NeighboursProperty, AreWhatTheDocumentationSays) {
  Random random(301);
  std::size_t total = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const SpaceDefinition definition = random_definition(random);
    SCOPED_TRACE("space " + std::to_string(i) + ":\n" + describe(definition));
    const SearchSpace space(definition);
    if (space.empty()) continue;
    for (int trial = 0; trial < 5; ++trial) {
      const ConfigurationId id = space.sample(random);
      const auto neighbours = space.neighbours(id);
      ASSERT_EQ(neighbours, expected_neighbours(space, id)) << space.at(id).to_string();
      ASSERT_EQ(std::ranges::adjacent_find(neighbours), neighbours.end());
      total += neighbours.size();
    }
  }
  EXPECT_GT(total, 1'000U);
}

TEST(Neighbours, SomeAreDrawnWhereThereAreMany) {
  SpaceDefinition definition;
  std::vector<Value> many;
  for (std::int64_t value = 1; value <= 70'000; ++value) many.emplace_back(value);
  definition.parameters = {{"many", "", many, 1}, {"few", "", {1, 2, 3}, 1}};
  const SearchSpace space(definition);
  Random random(1);
  const ConfigurationId id = space.find(Configuration::parse("many=35000,few=2")).value();
  const auto some = space.some_neighbours(id, 100, random);
  EXPECT_LE(some.size(), 100U);
  EXPECT_GE(some.size(), 40U);
  for (const char* key : {"many=34999,few=2", "many=35001,few=2", "many=35000,few=1", "many=35000,few=3"})
    EXPECT_TRUE(std::ranges::binary_search(some, space.find(Configuration::parse(key)).value())) << key;
  EXPECT_TRUE(std::ranges::is_sorted(some));
  const SearchSpace small(neighbourhood());
  for (ConfigurationId one = 0; one < small.size(); ++one)
    EXPECT_EQ(small.some_neighbours(one, 100, random), small.neighbours(one));
}

}  // namespace
}  // namespace tune::search::testing
