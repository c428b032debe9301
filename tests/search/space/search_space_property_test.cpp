// SPDX-License-Identifier: Apache-2.0
// Properties of every space, on many random small ones beside brute force.
#include <gtest/gtest.h>

#include <algorithm>

#include "search/space/search_space.hpp"
#include "tests/search/print.hpp"
#include "tests/search/space/random_definition.hpp"

namespace tune::search::testing {
namespace {

constexpr int space_count = 1'500;

Values as_map(const Configuration& configuration) {
  return {configuration.entries().begin(), configuration.entries().end()};
}

template<class Check>
void for_random_spaces(std::uint64_t seed, Check check) {
  Random random(seed);
  for (int i = 0; i < space_count && !::testing::Test::HasFailure(); ++i) {
    const SpaceDefinition definition = random_definition(random);
    SCOPED_TRACE("space " + std::to_string(i) + ":\n" + describe(definition));
    check(definition, random);
  }
}

TEST(SearchSpaceProperty, PruningFindsExactlyWhatBruteForceFinds) {
  std::size_t valid = 0;
  std::size_t product = 0;
  for_random_spaces(201, [&](const SpaceDefinition& definition, Random&) {
    const SearchSpace space(definition);
    const auto expected = brute_force(definition);
    ASSERT_EQ(space.size(), expected.size());
    for (ConfigurationId id = 0; id < space.size(); ++id) ASSERT_EQ(as_map(space.at(id)), expected[id]);
    valid += space.size();
    product += static_cast<std::size_t>(space.product_size());
  });
  EXPECT_GT(valid, product / 20);  // neither nothing
  EXPECT_LT(valid, product / 2);   // nor everything
}

/// Sums, products and extremes of several parameters beside comparisons of two, declared in any order.
TEST(SearchSpaceProperty, PartsOutsideTheirBoundsAreLeftRightly) {
  Random random(207);
  std::size_t valid = 0;
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
    SpaceDefinition definition;
    definition.constants = {{"limit", 2}};
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      Parameter parameter{name, "", {}, 0};
      const auto lowest = static_cast<std::int64_t>(random.below(6)) - 3;
      for (std::int64_t value = 0; value < 4; ++value)
        parameter.values.push_back(random.below(4) == 0 ? Value(static_cast<double>(lowest + value) + 0.1)
                                                        : Value(lowest + value));
      parameter.default_value = parameter.values[0];
      if (!definition.parameters.empty() && random.below(6) == 0)
        parameter.exists_if = var(definition.parameters[0].name) > 0;
      definition.parameters.push_back(std::move(parameter));
    }
    const char* between[] = {" + ", " * ", " - ", ", ", ", "};
    const char* before[] = {"", "", "-", "max(", "min("};
    const char* compared[] = {" <= ", " == ", " >= ", " < ", " > ", " != "};
    for (int rule = 0; rule < 2; ++rule) {
      const std::size_t form = random.below(5);
      std::vector<std::string> names = {"a", "b", "c", "d", "e"};
      for (std::size_t n = 5; n > 1; --n) std::swap(names[n - 1], names[random.below(n)]);
      std::string text = before[form] + names[0];
      for (std::size_t n = 1; n < 4; ++n) text += between[form] + names[n];
      text += form >= 3 ? ")" : "";
      const std::string number = std::to_string(static_cast<int>(random.below(13)) - 4);
      const std::string op = compared[random.below(6)];
      definition.constraints.push_back(
          {Expr::parse(random.below(3) == 0 ? number + op + text : text + op + number), "",
           random.below(4) == 0});
    }
    definition.constraints.push_back({Expr::parse("c <= e"), ""});
    SCOPED_TRACE("space " + std::to_string(i) + ":\n" + describe(definition));
    const SearchSpace space(definition);
    const auto expected = brute_force(definition);
    ASSERT_EQ(space.size(), expected.size());
    for (ConfigurationId id = 0; id < space.size(); ++id) ASSERT_EQ(as_map(space.at(id)), expected[id]);
    valid += space.size();
  }
  EXPECT_GT(valid, 1'000U);
}

// What one element of a list says alone holds for parameters that are assigned before the others.
TEST(SearchSpaceProperty, ListsOfParametersAndNumbers) {
  Random random(209);
  std::size_t valid = 0;
  for (int i = 0; i < 200; ++i) {
    SpaceDefinition definition;
    definition.constants["limit"] = 1;
    for (const char* name : {"a", "b", "c", "d"}) {
      Parameter parameter;
      parameter.name = name;
      for (int value = 0; value < 4; ++value) parameter.values.push_back(value);
      parameter.default_value = parameter.values.front();
      definition.parameters.push_back(std::move(parameter));
    }
    for (int rule = 0; rule < 2; ++rule) {
      const auto name = [&random] { return std::string(1, "abcd"[random.below(4)]); };
      const std::string member = name(), other = name();
      const std::string list = " in [" + other + ", " + std::to_string(random.below(4)) + "]";
      const std::string forms[] = {member + " not" + list, member + list, "not (" + member + list + ")",
                                   member + " + 1 not" + list};
      definition.constraints.push_back({Expr::parse(forms[random.below(4)]), ""});
    }
    SCOPED_TRACE("space " + std::to_string(i) + ":\n" + describe(definition));
    const SearchSpace space(definition);
    const auto expected = brute_force(definition);
    ASSERT_EQ(space.size(), expected.size());
    for (ConfigurationId id = 0; id < space.size(); ++id) ASSERT_EQ(as_map(space.at(id)), expected[id]);
    valid += space.size();
  }
  EXPECT_GT(valid, 1'000U);
}

TEST(SearchSpaceProperty, NumberAndConfigurationAreInverse) {
  for_random_spaces(202, [](const SpaceDefinition& definition, Random&) {
    const SearchSpace space(definition);
    for (ConfigurationId id = 0; id < space.size(); ++id) {
      const Configuration configuration = space.at(id);
      ASSERT_EQ(space.find(configuration), id);
      ASSERT_EQ(space.find(Configuration::parse(configuration.key())), id);
      ASSERT_EQ(space.explain(configuration), "");
    }
  });
}

TEST(SearchSpaceProperty, WhatIsNotFoundIsExplained) {
  for_random_spaces(203, [](const SpaceDefinition& definition, Random& random) {
    const SearchSpace space(definition);
    const auto valid = brute_force(definition);
    for (int trial = 0; trial < 30; ++trial) {
      Configuration configuration;
      for (const Parameter& parameter : definition.parameters) {
        if (random.below(4) == 0) continue;
        configuration.set(parameter.name, parameter.values[random.below(parameter.values.size())]);
      }
      const bool expected = std::ranges::find(valid, as_map(configuration)) != valid.end();
      ASSERT_EQ(space.find(configuration).has_value(), expected) << configuration.to_string();
      ASSERT_EQ(space.explain(configuration).empty(), expected) << configuration.to_string();
      ASSERT_NE(space.explain(configuration), "it is not one of the space's configurations");
    }
  });
}

TEST(SearchSpaceProperty, IndicesDescribeTheConfiguration) {
  for_random_spaces(204, [](const SpaceDefinition& definition, Random&) {
    const SearchSpace space(definition);
    for (ConfigurationId id = 0; id < space.size(); ++id) {
      const auto indices = space.value_indices(id);
      Configuration rebuilt;
      for (std::size_t p = 0; p < indices.size(); ++p) {
        if (indices[p] < 0) continue;
        rebuilt.set(definition.parameters[p].name,
                    definition.parameters[p].values[static_cast<std::size_t>(indices[p])]);
      }
      ASSERT_EQ(rebuilt, space.at(id));
    }
  });
}

TEST(SearchSpaceProperty, DefaultIsTheNearestToTheDefaults) {
  for_random_spaces(205, [](const SpaceDefinition& definition, Random&) {
    const SearchSpace space(definition);
    std::optional<ConfigurationId> best;
    std::size_t fewest = 0;
    for (ConfigurationId id = 0; id < space.size(); ++id) {
      const Configuration configuration = space.at(id);
      const auto deviates = [&configuration](const Parameter& parameter) {
        const Value* value = configuration.find(parameter.name);
        return value != nullptr && !(*value == parameter.default_value);
      };
      const auto deviations =
          static_cast<std::size_t>(std::ranges::count_if(definition.parameters, deviates));
      if (best && deviations >= fewest) continue;
      best = id;
      fewest = deviations;
    }
    ASSERT_EQ(space.default_configuration(), best);
  });
}

}  // namespace
}  // namespace tune::search::testing
