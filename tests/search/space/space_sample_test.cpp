// SPDX-License-Identifier: Apache-2.0
// Spaces that cannot be counted, and the samples that stand for them.
#include "search/space/space_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "search/space/search_space.hpp"
#include "search/strategies/model_search.hpp"
#include "search/strategies/registry.hpp"

namespace tune::search::testing {
namespace {

std::string nth(int p) {
  return "p" + std::to_string(p);
}

SpaceDefinition with_parameters(int count, std::int64_t first, std::int64_t last) {
  SpaceDefinition definition;
  std::vector<Value> values;
  for (std::int64_t value = first; value <= last; ++value) values.emplace_back(value);
  for (int p = 0; p < count; ++p) definition.parameters.push_back({nth(p), "", values, first});
  return definition;
}

void constrain(SpaceDefinition& definition, const std::string& rule) {
  definition.constraints.push_back({Expr::parse(rule), "rule"});
}

/// Sums of different powers of ten never agree: as many states as beginnings.
SpaceDefinition uncountable() {
  SpaceDefinition definition = with_parameters(14, 0, 9);
  std::string sum = "0";
  for (int p = 0; p < 14; ++p) sum += " + " + nth(p) + " * 10 ** " + std::to_string(p);
  constrain(definition, "(" + sum + ") % 9973 % 7 == 3");
  return definition;
}

const SearchSpace& sampled() {
  static const SearchSpace space = SearchSpace::counted_or_sampled(uncountable());
  return space;
}

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(SampledSpace, StandsForASpaceThatCannotBeCounted) {
  const std::clock_t start = std::clock();
  const SearchSpace space = SearchSpace::counted_or_sampled(uncountable());
  EXPECT_LT(seconds_since(start), 5);  // half a second where nothing else runs
  EXPECT_FALSE(space.counted());
  EXPECT_EQ(space.size(), SearchSpace::sample_size);
  const Expr& rule = space.definition().constraints[0].rule;
  for (ConfigurationId id = 0; id < space.size(); id += 37) {
    const Configuration configuration = space.at(id);
    EXPECT_TRUE(rule.evaluate([&](std::string_view name) { return configuration.find(name); }).as_bool());
    EXPECT_EQ(space.find(configuration), id);
    EXPECT_TRUE(space.allows(configuration));
  }
  EXPECT_EQ(sampled().at(1234), space.at(1234));  // a later run goes on with the same
}

TEST(SampledSpace, ValidConfigurationsThatWereNotDrawnGetNumbers) {
  const SearchSpace space = SearchSpace::counted_or_sampled(uncountable());
  std::set<ConfigurationId> numbers;
  for (int first = 0; first <= 9; ++first) {
    Configuration configuration = space.at(77);
    configuration.set("p0", first);
    const auto id = space.find(configuration);
    if (!id) {
      EXPECT_EQ(space.explain(configuration).find("rule"), 0U) << space.explain(configuration);
      continue;
    }
    numbers.insert(*id);
    EXPECT_EQ(space.find(configuration), id);
    EXPECT_EQ(space.at(*id), configuration);
    EXPECT_EQ(space.find_indices(space.value_indices(*id)), id);
    EXPECT_EQ(space.explain(configuration), "");
  }
  EXPECT_GT(numbers.size(), 1U);
  EXPECT_GE(*numbers.rbegin(), space.size());
  EXPECT_EQ(space.size(), SearchSpace::sample_size);
  EXPECT_THROW(space.at(space.size() + 100), std::out_of_range);
}

TEST(SampledSpace, NeighboursAreOfTheWholeSpace) {
  const SearchSpace space = SearchSpace::counted_or_sampled(uncountable());
  ConfigurationId place = 77;
  for (int step = 0; step < 5; ++step) {
    const auto neighbours = space.neighbours(place);
    ASSERT_GT(neighbours.size(), 5U);  // about a seventh of 126 changes
    const auto here = space.value_indices(place);
    for (const ConfigurationId id : neighbours) {
      const auto there = space.value_indices(id);
      int different = 0;
      for (std::size_t p = 0; p < here.size(); ++p) different += here[p] != there[p] ? 1 : 0;
      EXPECT_TRUE(different == 1 || (neighbours.size() > 8 && different == 2));
      EXPECT_TRUE(space.allows(space.at(id)));
    }
    place = neighbours.back();
  }
  EXPECT_GE(place, space.size());
}

/// Constraints of all pairs, which cost so much that few configurations are drawn.
SpaceDefinition with_all_pairs() {
  SpaceDefinition definition = with_parameters(18, 0, 9);
  for (int p = 0; p < 18; ++p)
    for (int q = 0; q < p; ++q)
      constrain(definition, "(" + nth(p) + " * " + nth(q) + " + " + nth(p * q % 18) + ") % 7 != 3");
  return definition;
}

/// Returns the steps of all attempts to count the space, and of its sample where `drawn` is given.
std::uint64_t steps_until_told(const SpaceDefinition& definition,
                               std::optional<SearchSpace>* drawn = nullptr) {
  std::uint64_t steps = 0, last = 0;
  const CountWatch watch = [&](std::uint64_t now) {
    if (now < last) steps += last;
    last = now;
    return true;
  };
  if (drawn == nullptr)
    EXPECT_THROW(SearchSpace(definition, SearchSpace::default_max_states, watch), std::length_error);
  else
    drawn->emplace(SearchSpace::counted_or_sampled(definition, watch));
  return steps + last;
}

/// What cannot be counted is told after a bounded amount of work, however much the constraints cost.
TEST(SampledSpace, IsDrawnAfterBoundedWork) {
  SpaceDefinition neighbours = with_parameters(25, 1, 10), different = with_parameters(20, 1, 25);
  for (int p = 0; p < 25; ++p) {
    if (p % 5 < 4) constrain(neighbours, nth(p) + " != " + nth(p + 1));
    if (p < 20) constrain(neighbours, nth(p) + " != " + nth(p + 5));
  }
  for (int p = 0; p < 20; ++p)
    for (int q = 0; q < p; ++q) constrain(different, nth(p) + " != " + nth(q));
  // A million steps take 20 ms. Where many more are expected than can be taken, few are tried.
  EXPECT_LT(steps_until_told(neighbours), 5'500'000U);
  EXPECT_LT(steps_until_told(with_all_pairs()), 4'200'000U);
  EXPECT_LT(steps_until_told(different), 4'200'000U);
  for (const SpaceDefinition& definition : {neighbours, with_all_pairs()}) {
    std::optional<SearchSpace> space;
    const std::clock_t start = std::clock();
    EXPECT_LT(steps_until_told(definition, &space), 13'500'000U);
    EXPECT_LT(seconds_since(start), 2);  // 0.2 s where nothing else runs
    EXPECT_FALSE(space->counted());
    EXPECT_GT(space->size(), 500U);
  }
}

/// A sum of powers that cannot be counted together with a sum that is given.
SpaceDefinition with_a_given_sum() {
  SpaceDefinition definition = uncountable();
  std::string sum = "0";
  for (int p = 0; p < 14; ++p) sum += " + " + nth(p);
  constrain(definition, sum + " == 60");
  return definition;
}

TEST(SampledSpace, IsFullAndConnectedWhereASumIsGiven) {
  const std::clock_t start = std::clock();
  const SearchSpace space = SearchSpace::counted_or_sampled(with_a_given_sum());
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_FALSE(space.counted());
  EXPECT_EQ(space.size(), SearchSpace::sample_size);
  EXPECT_GT(space.neighbours(11).size(), 5U);  // no change of one parameter keeps the sum
  EXPECT_EQ(space.neighbours(11), space.neighbours(11));
}

/// The best of a smooth function is found although it is not in the sample.
TEST(SampledSpace, ASearchLeavesTheSample) {
  const SearchSpace space = SearchSpace::counted_or_sampled(uncountable());
  const auto cost = [&](ConfigurationId id) {
    double sum = 1;
    for (const int index : space.value_indices(id)) sum += (index - 6) * (index - 6);
    return sum;
  };
  double sampled_best = cost(0);
  for (ConfigurationId id = 0; id < space.size(); ++id) sampled_best = std::min(sampled_best, cost(id));
  for (const char* name : {"ils", "annealing"}) {
    const auto entry = std::ranges::find(strategies(), name, &StrategyEntry::name);
    const auto strategy = entry->make({space, 3});
    double best = 1e9;
    for (int asked = 0; asked < 1500; ++asked) {
      const auto ids = strategy->ask(1);
      ASSERT_EQ(ids.size(), 1U);
      best = std::min(best, cost(ids[0]));
      const Observation result{ids[0], cost(ids[0])};
      strategy->tell({&result, 1});
    }
    EXPECT_LT(best, sampled_best) << name;
  }
}

/// Even where all that was drawn are candidates, and no turn is one of the neighbours of the best.
TEST(SampledSpace, TheModelFindsAnOptimumThatWasNotDrawn) {
  const SearchSpace space = SearchSpace::counted_or_sampled(with_all_pairs());
  ModelOptions options;
  options.local_turn = 0;
  ASSERT_LT(space.size(), options.pool);
  ConfigurationId best = 105;
  for (std::size_t step = 0; step < 12; ++step) {
    const auto beside = space.neighbours(best);
    best = beside[beside.size() / 13 * step];
  }
  const std::vector<int> goal = space.value_indices(best);
  const auto cost = [&](ConfigurationId id) {
    const std::vector<int> indices = space.value_indices(id);
    double sum = 1;
    for (std::size_t p = 0; p < 6; ++p) sum += std::abs(indices[p] - goal[p]);
    return sum;
  };
  for (ConfigurationId id = 0; id < space.size(); ++id) ASSERT_GT(cost(id), cost(best));
  ModelSearch search({space, 2}, options);
  double found = cost(0);
  for (int asked = 0; found > cost(best) && asked < 100; ++asked) {
    const auto ids = search.ask(1);
    ASSERT_EQ(ids.size(), 1U);
    const Observation result{ids[0], cost(ids[0])};
    search.tell({&result, 1});
    found = std::min(found, cost(ids[0]));
  }
  EXPECT_EQ(found, cost(best));
}

TEST(SampledSpace, IsSearchedByEveryStrategy) {
  const SearchSpace& space = sampled();
  for (const StrategyEntry& entry : strategies()) {
    SCOPED_TRACE(std::string(entry.name));
    const auto strategy = entry.make({space, 3});
    std::size_t asked = 0;
    while (asked < 40) {
      std::vector<Observation> results;
      for (const ConfigurationId id : strategy->ask(8)) {
        ASSERT_TRUE(space.allows(space.at(id)));
        results.push_back({id, 1.0 + static_cast<double>(id % 101)});
      }
      ASSERT_FALSE(results.empty());
      asked += results.size();
      strategy->tell(results);
    }
  }
}

TEST(SampledSpace, CountsWhatCanBeCounted) {
  SpaceDefinition definition = with_parameters(3, 1, 4);
  constrain(definition, "p0 < p1 and p1 < p2");
  const SearchSpace space = SearchSpace::counted_or_sampled(definition);
  EXPECT_TRUE(space.counted());
  EXPECT_EQ(space.size(), 4U);
}

TEST(SampledSpace, CountingAndDrawingEndWhereTheWatchSaysSo) {
  int asked = 0;
  EXPECT_THROW(SearchSpace::counted_or_sampled(uncountable(), [&](std::size_t) { return ++asked < 3; }),
               Stopped);
  EXPECT_EQ(asked, 3);
  EXPECT_THROW(draw_sample(uncountable(), 10'000, 1'000'000, [&](std::size_t) { return ++asked < 5; }),
               Stopped);
  EXPECT_EQ(asked, 5);
}

TEST(SampledSpace, IsRefusedWhereNothingValidIsFound) {
  SpaceDefinition definition = uncountable();
  definition.constraints.clear();
  std::string sum = "0";
  for (int p = 0; p < 14; ++p) sum += " + " + nth(p) + " * 10 ** " + std::to_string(p);
  constrain(definition, "(" + sum + ") * 17 % 99999989 == 5");
  try {
    SearchSpace::counted_or_sampled(definition);
    FAIL();
  } catch (const std::length_error& error) {
    EXPECT_NE(std::string(error.what()).find("no valid one was found"), std::string::npos) << error.what();
  }
}

TEST(SpaceSample, IsUniformWhereTheSameParametersExist) {
  SpaceDefinition definition = with_parameters(6, 0, 9);
  std::string sum = "0";
  for (int p = 0; p < 6; ++p) sum += " + " + nth(p);
  constrain(definition, sum + " <= 20");
  const SearchSpace all(definition);
  const SpaceSample sample = draw_sample(definition, 6'000, 3'000'000);
  EXPECT_FALSE(sample.by_search);
  ASSERT_EQ(sample.rows.size(), 6'000U);
  // The share of each value of the first parameter is that of the whole space.
  std::vector<double> drawn(10), valid(10);
  for (const auto& row : sample.rows) drawn[row[0]] += 1.0 / 6'000;
  for (ConfigurationId id = 0; id < all.size(); ++id)
    valid[static_cast<std::size_t>(all.value_indices(id)[0])] += 1.0 / static_cast<double>(all.size());
  for (std::size_t value = 0; value < 10; ++value) EXPECT_NEAR(drawn[value], valid[value], 0.015) << value;
}

TEST(SpaceSample, SearchesWhereNearlyEverythingIsThrownAway) {
  // One of 10^8 beginnings is right.
  SpaceDefinition definition = with_parameters(12, 0, 9);
  for (int p = 0; p < 8; ++p) constrain(definition, "(" + nth(p + 4) + " - " + nth(p) + ") % 10 == 1");
  const SpaceSample sample = draw_sample(definition, 2'000, 3'000'000);
  EXPECT_TRUE(sample.by_search);
  EXPECT_EQ(sample.rows.size(), 2'000U);
  const SearchSpace all(definition);
  for (const auto& row : sample.rows)
    EXPECT_TRUE(all.find_indices(std::vector<int>(row.begin(), row.end()))) << row[0];
}

TEST(SpaceSample, HoldsTheConfigurationOfTheDefaults) {
  SpaceDefinition definition = with_parameters(10, 0, 9);
  definition.parameters[4].default_value = 7;
  constrain(definition, "p0 != 0 or p4 == 7");
  definition.parameters[9].exists_if = Expr::parse("p1 == 0");
  const SpaceSample sample = draw_sample(definition, 10, 300'000);
  const std::vector<RowGraph::Digit> defaults = {0, 0, 0, 0, 7, 0, 0, 0, 0, 1};
  EXPECT_TRUE(std::ranges::binary_search(sample.rows, defaults));
  for (const auto& row : sample.rows) EXPECT_EQ(row[9] == 0, row[1] != 0);
}

std::string joined(int count, const std::string& between, const std::string& factor = "") {
  std::string text;
  for (int p = 0; p < count; ++p)
    text += (p == 0 ? "" : between) + (factor.empty() ? "" : std::to_string(p + 1) + factor) + nth(p);
  return text;
}

/// The time of the slowest of several orders of declaration, which all have as many configurations.
double slowest_order(const SpaceDefinition& declared, Random& random) {
  const ConfigurationId size = SearchSpace(declared).size();
  double slowest = 0;
  for (int trial = 0; trial < 2; ++trial) {
    SpaceDefinition definition = declared;
    for (std::size_t i = definition.parameters.size(); i > 1; --i)
      std::swap(definition.parameters[i - 1], definition.parameters[random.below(i)]);
    const std::clock_t start = std::clock();
    EXPECT_EQ(SearchSpace(definition).size(), size);
    slowest = std::max(slowest, seconds_since(start));
  }
  return slowest;
}

/// One constraint over all parameters, whose operands stand in another order than the declarations.
TEST(CountedSpace, OperandsInAnyOrderAreCountedInFewSteps) {
  Random random(9);
  for (const std::string& rule : std::initializer_list<std::string>{
           joined(18, " + ") + " <= 40",
           "(" + joined(18, " + ") + ") % 7 == 0",
           "100 - " + joined(18, " - ") + " >= 60",
           joined(10, " + ", " * ") + " <= 100",
           "sum([" + joined(18, ", ") + "]) <= 40",
           "max(" + joined(18, ", ") + ") - min(" + joined(18, ", ") + ") <= 3",
           "p0 + p1 + p2 + p3 + p4 + p5 <= p6 + p7 + p8 + p9 + p10 + p11",
           "(" + joined(18, " ^ ") + ") == 5",
           joined(18, " < 4 or ") + " < 4",
           joined(18, " * 0.25 + ") + " <= 40",
           joined(9, " * 0.1 + ") + " <= 40",
       }) {
    SpaceDefinition definition = with_parameters(18, 1, 10);
    constrain(definition, rule);
    SCOPED_TRACE(rule);
    EXPECT_LT(slowest_order(definition, random), 1.0);
  }
  SpaceDefinition beyond_64_bits = with_parameters(14, 1, 10);
  for (Parameter& parameter : beyond_64_bits.parameters) parameter.values.back() = 128;
  constrain(beyond_64_bits, joined(14, " * ") + " <= 100");
  EXPECT_LT(slowest_order(beyond_64_bits, random), 1.0);
  SpaceDefinition product = with_parameters(12, 1, 10);
  constrain(product, joined(12, " * ") + " <= 64");
  EXPECT_LT(slowest_order(product, random), 1.0);
}

/// The spaces whose constraints tie parameters that are declared far apart, in many orders of declaration.
TEST(CountedSpace, AnyOrderOfDeclarationIsCountedInFewSteps) {
  SpaceDefinition pairs = with_parameters(18, 0, 9), ring = with_parameters(18, 0, 9);
  for (int p = 0; p < 9; ++p) constrain(pairs, nth(p) + " * " + nth(p + 9) + " <= 20");
  for (int p = 0; p < 18; ++p) constrain(ring, "(" + nth(p) + " + " + nth((p + 7) % 18) + ") % 3 == 0");
  Random random(8);
  for (const SpaceDefinition& declared : {pairs, ring}) EXPECT_LT(slowest_order(declared, random), 1.0);
}

/// More than ever is expected of them: what is remembered is a set of values.
TEST(CountedSpace, ParametersThatAllDifferAreCounted) {
  SpaceDefinition definition = with_parameters(10, 1, 14);
  for (int p = 0; p < 10; ++p)
    for (int q = 0; q < p; ++q) constrain(definition, nth(p) + " != " + nth(q));
  EXPECT_GT(narrow_order(definition).expected_steps, 1e12);
  EXPECT_EQ(SearchSpace(definition).size(), 3'632'428'800U);  // 14! / 4!
}

/// A sum of all parameters and comparisons of two: the parameters of a pair have to be neighbours, although
/// the sum ties all of them.
TEST(CountedSpace, PairsBesideASumAreCountedInAnyOrder) {
  SpaceDefinition pairs = with_parameters(12, 1, 10), many = with_parameters(18, 1, 10),
                  weighted = with_parameters(10, 0, 9), products = with_parameters(12, 0, 5);
  constrain(pairs, joined(12, " + ") + " == 60");
  for (int p = 0; p < 6; ++p) constrain(pairs, nth(p) + " <= " + nth(11 - p));
  constrain(many, "sum([" + joined(18, ", ") + "]) == 90");
  for (int p = 0; p < 9; ++p) constrain(many, nth(p) + " <= " + nth(17 - p));
  constrain(weighted, joined(10, " + ", " * ") + " == 200");
  for (int p = 0; p < 3; ++p) constrain(weighted, nth(p) + " < " + nth(9 - p));
  for (Parameter& parameter : products.parameters) {
    parameter.values = {1, 2, 4, 8, 16, 32};
    parameter.default_value = 1;
  }
  constrain(products, joined(6, " * ") + " <= 1024");
  constrain(products, "p6 * p7 * p8 * p9 * p10 * p11 <= 1024");
  for (int p = 0; p < 6; ++p) constrain(products, nth(p) + " >= " + nth(p + 6));
  const std::pair<SpaceDefinition, ConfigurationId> spaces[] = {
      {pairs, 894'863'201}, {many, 112'324'132'982'642}, {weighted, 1'751'393}, {products, 586'586}};
  Random random(10);
  for (const auto& [declared, size] : spaces) {
    EXPECT_EQ(SearchSpace(declared).size(), size);
    EXPECT_LT(slowest_order(declared, random), 1.0) << declared.constraints[0].rule.to_string();
  }
}

/// Each parameter is divided by another one, and products tie the pairs.
TEST(CountedSpace, DivisorsBesideProductsAreCountedInAnyOrder) {
  SpaceDefinition definition = with_parameters(12, 1, 32);
  for (int p = 0; p < 6; ++p) constrain(definition, nth(p) + " % " + nth(p + 6) + " == 0");
  constrain(definition, joined(6, " * ") + " <= 4096");
  constrain(definition, "p6 * p7 * p8 <= 1024");
  EXPECT_EQ(SearchSpace(definition).size(), 204'225'840U);
  Random random(12);
  EXPECT_LT(slowest_order(definition, random), 1.0);
}

/// What is expected to take many steps is counted, as long as these are not too many.
TEST(CountedSpace, DivisorsOfManyValuesAreCounted) {
  SpaceDefinition definition = with_parameters(8, 1, 1000);
  for (int p = 0; p < 7; ++p) constrain(definition, nth(p) + " % " + nth(p + 1) + " == 0");
  const double expected = narrow_order(definition).expected_steps;
  EXPECT_GT(expected, 10e6);
  EXPECT_LT(expected, 40e6);
  EXPECT_EQ(SearchSpace(definition).size(), 2'501'862U);
}

/// A product that may be beyond 64 bits has bounds for its parts; nothing else can be computed of it.
TEST(CountedSpace, ProductsBeyond64BitsAreCounted) {
  SpaceDefinition large = with_parameters(14, 1, 10), small = with_parameters(14, 1, 9);
  for (Parameter& parameter : large.parameters) parameter.values.back() = 128;
  for (SpaceDefinition* const one : {&large, &small}) constrain(*one, joined(14, " * ") + " <= 100");
  EXPECT_EQ(SearchSpace(large).size(), SearchSpace(small).size());
  large.constraints.clear();
  constrain(large, "(" + joined(14, " * ") + ") % 7 == 3");
  EXPECT_THROW(SearchSpace{large}, ExprError);
}

/// More than there are numbers: the space begins with a sample, and says how many there are.
TEST(SampledSpace, MoreThanThereAreNumbersAreCounted) {
  SpaceDefinition definition = with_parameters(20, 1, 10);
  constrain(definition, "p3 <= p17");
  const SearchSpace space = SearchSpace::counted_or_sampled(definition);
  EXPECT_FALSE(space.counted());
  EXPECT_EQ(space.large_count(), "55000000000000000000");
  EXPECT_EQ(space.size(), SearchSpace::sample_size);
  EXPECT_TRUE(sampled().large_count().empty());
}

/// However it is written that all values differ.
TEST(CountedSpace, DifferentValuesAreCountedInFewSteps) {
  SpaceDefinition not_in = with_parameters(10, 1, 10), not_equal = not_in, none_equal = not_in;
  for (int p = 1; p < 10; ++p) {
    constrain(not_in, nth(p) + " not in [" + joined(p, ", ") + "]");
    constrain(none_equal, "not (" + nth(p) + " == " + joined(p, " or " + nth(p) + " == ") + ")");
    for (int q = 0; q < p; ++q) constrain(not_equal, nth(p) + " != " + nth(q));
  }
  SpaceDefinition of_a_set = with_parameters(10, 1, 10);
  constrain(of_a_set, "len(set([" + joined(10, ", ") + "])) == 10");
  Random random(11);
  for (const SpaceDefinition& declared : {not_in, not_equal, none_equal, of_a_set}) {
    EXPECT_EQ(SearchSpace(declared).size(), 3'628'800U);
    EXPECT_LT(slowest_order(declared, random), 1.0) << declared.constraints.back().rule.to_string();
  }
}

}  // namespace
}  // namespace tune::search::testing
