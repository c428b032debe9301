// SPDX-License-Identifier: Apache-2.0
// Spaces that no memory holds: counted exactly, sampled uniformly, searched by every strategy.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <set>
#include <stdexcept>

#include "search/space/search_space.hpp"
#include "search/space/space_builder.hpp"
#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"
#include "tests/search/space/random_definition.hpp"

namespace tune::search::testing {
namespace {

std::string numbered(const char* name, int number) {
  return name + std::to_string(number);
}

void add(SpaceDefinition& definition, const std::string& name, std::vector<Value> values) {
  const Value standard = values.front();
  definition.parameters.push_back({name, "", std::move(values), standard});
}

void add_rule(SpaceDefinition& definition, const std::string& rule) {
  definition.constraints.push_back({Expr::parse(rule), rule});
}

/// Twelve parameters of ten values, 10^12 products; products of neighbours are limited.
SpaceDefinition chain() {
  SpaceDefinition definition;
  for (int p = 0; p < 12; ++p) add(definition, numbered("p", p), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (int p = 1; p < 12; ++p)
    add_rule(definition, numbered("p", p - 1) + " * " + numbered("p", p) + " <= 30");
  return definition;
}

/// How many configurations `chain` has: a sum over the last value, one step a parameter.
std::uint64_t count_of_chain() {
  std::vector<std::uint64_t> ending(11, 1);
  ending[0] = 0;
  for (int p = 1; p < 12; ++p) {
    std::vector<std::uint64_t> next(11, 0);
    for (std::size_t a = 1; a <= 10; ++a)
      for (std::size_t b = 1; b <= 10; ++b)
        if (a * b <= 30) next[b] += ending[a];
    ending = next;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t one : ending) sum += one;
  return sum;
}

TEST(HugeSpace, IsCountedExactly) {
  const SearchSpace space(chain());
  EXPECT_EQ(space.product_size(), 1e12);
  EXPECT_EQ(space.size(), count_of_chain());
  EXPECT_GT(space.size(), 1'000'000'000U);
}

TEST(HugeSpace, NumbersConfigurationsBothWays) {
  const SearchSpace space(chain());
  Random random(5);
  ConfigurationId before = 0;
  std::vector<int> indices_before = space.value_indices(0);
  for (int step = 1; step <= 1'000; ++step) {
    const ConfigurationId id = space.size() / 1'000 * static_cast<ConfigurationId>(step) - 1;
    const std::vector<int> indices = space.value_indices(id);
    EXPECT_EQ(space.find_indices(indices), id);
    EXPECT_EQ(space.find(space.at(id)), id);
    EXPECT_EQ(space.explain(space.at(id)), "");
    EXPECT_LT(indices_before, indices) << before << " and " << id;
    before = id;
    indices_before = indices;
  }
  EXPECT_THROW((void)space.at(space.size()), std::out_of_range);
}

TEST(HugeSpace, SamplesUniformly) {
  // By the first value: each must come as often as there are configurations with it.
  const SearchSpace space(chain());
  const auto with_first = [&](int value) {
    SpaceDefinition pinned = chain();
    pinned.parameters[0].values = {value};
    pinned.parameters[0].default_value = value;
    return static_cast<double>(SearchSpace(pinned).size()) / static_cast<double>(space.size());
  };
  constexpr int draws = 50'000;
  Random random(11);
  std::vector<int> seen(11);
  for (int i = 0; i < draws; ++i) {
    const ConfigurationId id = space.sample(random);
    ASSERT_LT(id, space.size());
    ++seen[static_cast<std::size_t>(space.value_indices(id)[0]) + 1];
  }
  double chi_square = 0;
  for (int value = 1; value <= 10; ++value) {
    const double expected = draws * with_first(value);
    ASSERT_GT(expected, 5);
    chi_square += std::pow(seen[static_cast<std::size_t>(value)] - expected, 2) / expected;
  }
  EXPECT_LT(chi_square, 27.9);  // 9 degrees of freedom, 0.1 %
}

/// Groups of parameters that have nothing to do with each other, declared in turns: 6 groups of 3, of which
/// each has some combinations.
SpaceDefinition interleaved(int groups) {
  SpaceDefinition definition;
  for (const char* name : {"a", "b", "c"})
    for (int group = 0; group < groups; ++group)
      add(definition, numbered(name, group), {1, 2, 3, 5, 7, 11, 13, 17});
  for (int group = 0; group < groups; ++group)
    add_rule(definition, numbered("a", group) + " * " + numbered("b", group) + " % " + numbered("c", group) +
                             " <= 3 and " + numbered("a", group) + " + " + numbered("b", group) + " != 8");
  return definition;
}

TEST(HugeSpace, GroupsDeclaredInTurnsAreAsManyAsTheirProduct) {
  const std::uint64_t one = brute_force(interleaved(1)).size();
  const SearchSpace space(interleaved(6), 200'000);  // in the declared order it takes millions of states
  EXPECT_EQ(space.size(), one * one * one * one * one * one);
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const ConfigurationId id = space.sample(random);
    EXPECT_EQ(space.find(space.at(id)), id);
    EXPECT_EQ(space.find_indices(space.value_indices(id)), id);
    EXPECT_EQ(space.explain(space.at(id)), "");
    EXPECT_EQ(space.at(id).entries().front().first, "a0");  // shown in the declared order
    for (const ConfigurationId neighbour : space.neighbours(id)) {
      const auto a = space.value_indices(id), b = space.value_indices(neighbour);
      int different = 0;
      for (std::size_t p = 0; p < a.size(); ++p) different += a[p] != b[p] ? 1 : 0;
      EXPECT_EQ(different, 1);
    }
  }
}

// The same space, counted in both orders: with a limit that the declared order does not keep.
TEST(HugeSpace, AnotherOrderChangesNothingButTheNumbers) {
  Random random(21);
  int reordered = 0;
  for (int i = 0; i < 400; ++i) {
    const SpaceDefinition definition = random_definition(random);
    SCOPED_TRACE(describe(definition));
    const SearchSpace declared(definition);
    std::optional<SearchSpace> tight;
    for (std::size_t limit = 1; !tight && limit < 100; ++limit) {
      try {
        tight.emplace(definition, limit);
      } catch (const std::length_error&) {
      }
    }
    ASSERT_TRUE(tight);
    ASSERT_EQ(tight->size(), declared.size());
    bool same_order = true;
    std::set<std::string> keys;
    for (ConfigurationId id = 0; id < declared.size(); ++id) {
      keys.insert(tight->at(id).key());
      ASSERT_EQ(tight->find(tight->at(id)), id);
      ASSERT_TRUE(declared.find(tight->at(id)));
      same_order = same_order && tight->at(id) == declared.at(id);
      ASSERT_EQ(tight->neighbours(id).size(), declared.neighbours(*declared.find(tight->at(id))).size());
    }
    ASSERT_EQ(keys.size(), declared.size());
    reordered += same_order ? 0 : 1;
  }
  EXPECT_GT(reordered, 2);
}

TEST(HugeSpace, AllDifferentParametersAreSets) {
  SpaceDefinition definition;
  for (int p = 0; p < 10; ++p) {
    add(definition, numbered("p", p), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    for (int q = 0; q < p; ++q) add_rule(definition, numbered("p", p) + " != " + numbered("p", q));
  }
  EXPECT_EQ(SearchSpace(definition, 1'100).size(), 3'628'800U);  // 2^10 sets, and the sequences never
}

// Here each constraint waits for more values than are looked at in advance.
TEST(HugeSpace, DifferentParametersOfManyValuesAreSetsToo) {
  std::vector<Value> values;
  for (int value = 0; value < 40; ++value) values.emplace_back(value);
  SpaceDefinition definition;
  for (int p = 0; p < 4; ++p) {
    add(definition, numbered("p", p), values);
    for (int q = 0; q < p; ++q) add_rule(definition, numbered("p", p) + " != " + numbered("p", q));
  }
  constexpr std::size_t sets = 1 + 40 + 40 * 39 / 2 + 40 * 39 * 38 / 6;
  EXPECT_EQ(SearchSpace(definition, sets).size(), 40U * 39U * 38U * 37U);
}

// Rules that treat some parameters alike, and some nearly. The last parameter has more values than are looked
// at in advance.
TEST(HugeSpace, OnlyWhatIsTreatedAlikeIsASet) {
  Random random(5);
  std::vector<Value> many;
  for (int value = 1; value <= 34; ++value) many.emplace_back(value);
  const char* const rules[] = {"{} != {}", "({} + {}) % 3 != 1", "{} < {} + 2", "{} % {} != 0",
                               "{} != {} or a == 2"};
  for (int i = 0; i < 40; ++i) {
    SpaceDefinition definition;
    definition.constants.emplace("limit", 0);
    for (const char* name : {"a", "b", "c"}) add(definition, name, {1, 2, 3, 4});
    definition.parameters.push_back({"d", "", many, 1});
    const std::size_t kind = random.below(std::size(rules));
    for (char later = 'b'; later <= 'd'; ++later)
      for (char earlier = 'a'; earlier < later; ++earlier) {
        // Now and then another rule, or none, or the other way round.
        const std::size_t dice = random.below(8);
        if (dice == 0) continue;
        std::string rule = rules[dice == 1 ? random.below(std::size(rules)) : kind];
        const bool turned = random.below(10) == 0;
        rule.replace(rule.find("{}"), 2, 1, turned ? earlier : later);
        rule.replace(rule.find("{}"), 2, 1, turned ? later : earlier);
        add_rule(definition, rule);
      }
    SCOPED_TRACE(describe(definition));
    ASSERT_EQ(SearchSpace(definition).size(), brute_force(definition).size());
  }
}

// Alike for the rules, but not for the conditions under which parameters exist.
TEST(HugeSpace, WhatAConditionTellsApartIsNoSet) {
  for (const auto& [of_p, of_q] : std::vector<std::pair<std::string, std::string>>{
           {"z == a", ""}, {"z == a", "z == b"}, {"z < a", "z < b"}}) {
    SpaceDefinition definition;
    definition.constants.emplace("limit", 0);
    for (const char* name : {"a", "b", "c", "z"}) add(definition, name, {1, 2, 3});
    add_rule(definition, "c != a");
    add_rule(definition, "c != b");
    add(definition, "p", {1, 2});
    definition.parameters.back().exists_if = Expr::parse(of_p);
    add(definition, "q", {1, 2, 3});
    if (!of_q.empty()) definition.parameters.back().exists_if = Expr::parse(of_q);
    SCOPED_TRACE(describe(definition));
    const SearchSpace space(definition);
    std::set<std::string> found, expected;
    for (ConfigurationId id = 0; id < space.size(); ++id) found.insert(space.at(id).key());
    for (const auto& values : brute_force(definition)) {
      Configuration configuration;
      for (const auto& [name, value] : values) configuration.set(name, value);
      expected.insert(configuration.key());
    }
    EXPECT_EQ(found, expected);
  }
}

/// A sum over the rows `begin` to `end` of 40 x 40, halved until one row is left.
std::string sum_of_rows(int begin, int end) {
  if (end - begin == 1) {
    const std::string a = std::to_string(begin / 40), b = std::to_string(begin % 40);
    return std::to_string(begin / 40 * 100 + begin % 40) + " * (a == " + a + " and b == " + b + ")";
  }
  const int middle = (begin + end) / 2;
  return "(" + sum_of_rows(begin, middle) + " + " + sum_of_rows(middle, end) + ")";
}

TEST(HugeSpace, ASmallOneWithALongConstraintIsCounted) {
  SpaceDefinition definition;
  std::vector<Value> values;
  for (int i = 0; i < 40; ++i) values.emplace_back(i);
  add(definition, "a", values);
  add(definition, "b", values);
  add_rule(definition, sum_of_rows(0, 1600) + " == a * 100 + b");
  EXPECT_EQ(SearchSpace(definition).size(), 1600U);
}

/// A ring of 18, declared so that neighbours are far apart.
TEST(HugeSpace, TheOrderOfDeclarationCostsNothing) {
  const auto ring = [](int step) {
    SpaceDefinition definition;
    for (int p = 0; p < 18; ++p)
      add(definition, numbered("p", p * step % 18), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    for (int p = 0; p < 18; ++p)
      add_rule(definition, "(" + numbered("p", p) + " + " + numbered("p", (p + 1) % 18) + ") % 3 == 0");
    return definition;
  };
  constexpr std::size_t few = 20'000;
  const SearchSpace near(ring(1), few), far(ring(7), few);
  EXPECT_EQ(near.size(), far.size());
  EXPECT_TRUE(near.find(far.at(far.size() / 2)));
  // Pairs that cross each other: 10^18 combinations.
  SpaceDefinition pairs;
  for (int p = 0; p < 18; ++p) add(pairs, numbered("p", p), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (int p = 0; p < 9; ++p) add_rule(pairs, numbered("p", p) + " * " + numbered("p", p + 9) + " % 7 != 1");
  EXPECT_GT(SearchSpace(pairs, few).size(), 0U);
}

TEST(HugeSpace, ConditionsAndVariantsDoNotMultiply) {
  SpaceDefinition definition;
  add(definition, "variant", {"plain", "tiled"});
  for (int p = 0; p < 30; ++p) {
    add(definition, numbered("p", p), {0, 1, 2, 3});
    if (p % 2 == 1) definition.parameters.back().exists_if = Expr::parse("variant == \"tiled\"");
  }
  // 15 parameters always, 15 more in one of two variants; that p0 is 3 only with the other.
  add_rule(definition, "p0 < 3 or variant == \"plain\"");
  const SearchSpace space(definition);
  const std::uint64_t half = std::uint64_t{1} << 30U;
  EXPECT_EQ(space.size(), half + half / 4 * 3 * half);
}

TEST(HugeSpace, SaysWhatToDoWhereParametersAreTiedTooClosely) {
  // Sums of different powers of ten never agree: as many states as beginnings.
  SpaceDefinition definition;
  std::string sum = "0";
  for (int p = 0; p < 14; ++p) {
    add(definition, numbered("p", p), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    sum += " + " + numbered("p", p) + " * 10 ** " + std::to_string(p);
  }
  add_rule(definition, "(" + sum + ") % 9973 % 7 != 3");
  try {
    const SearchSpace space(definition, 20'000);
    FAIL() << space.size();
  } catch (const std::length_error& error) {
    EXPECT_NE(std::string(error.what()).find("fix a parameter"), std::string::npos) << error.what();
  }
  definition.constraints.clear();
  for (int p = 14; p < 24; ++p) add(definition, numbered("p", p), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_THROW(SearchSpace{definition}, std::length_error);  // 10^24
}

TEST(HugeSpace, EveryStrategySearchesIt) {
  const SearchSpace space(chain());
  for (const StrategyEntry& entry : strategies()) {
    SCOPED_TRACE(std::string(entry.name));
    const std::clock_t start = std::clock();
    const auto strategy = entry.make({space, 7});
    std::set<ConfigurationId> seen;
    std::vector<std::set<int>> values(space.parameters().size());
    while (seen.size() < 120) {
      const auto batch = strategy->ask(4);
      ASSERT_FALSE(batch.empty());
      std::vector<Observation> results;
      for (const ConfigurationId id : batch) {
        ASSERT_LT(id, space.size());
        EXPECT_TRUE(seen.insert(id).second);
        double cost = 1;
        const std::vector<int> indices = space.value_indices(id);
        for (std::size_t p = 0; p < indices.size(); ++p) {
          cost += indices[p];
          values[p].insert(indices[p]);
        }
        results.push_back({id, cost});
      }
      strategy->tell(results);
    }
    for (const std::set<int>& used : values) EXPECT_GE(used.size(), 5U);  // no corner of it
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0);
  }
}

std::vector<Value> first_numbers(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t value = 1; value <= count; ++value) values.emplace_back(value);
  return values;
}

// The states are few (products of a few numbers), but each has as many branches as there are values.
TEST(HugeSpace, TriesABoundedNumberOfValues) {
  SpaceDefinition definition;
  for (const char* name : {"a", "b", "c", "d"})
    definition.parameters.push_back({name, "", first_numbers(60), 1});
  definition.constraints = {{var("a") * var("b") * var("c") * var("d") % 999983 == -1, ""}};
  EXPECT_THROW(build_graph(definition, SearchSpace::default_max_states, 10'000), TooManyStates);
  EXPECT_NO_THROW(build_graph(definition, SearchSpace::default_max_states, 100'000'000));
}

TEST(HugeSpace, RefusesRulesOverAllOfManyValuesInSeconds) {
  SpaceDefinition definition;
  Expr product(1);
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    definition.parameters.push_back({name, "", first_numbers(1000), 1});
    product = product * var(name);
  }
  definition.constraints = {{product % 10007 == -1, ""}};
  EXPECT_THROW(SearchSpace(definition, 20'000), std::length_error);
}

}  // namespace
}  // namespace tune::search::testing
