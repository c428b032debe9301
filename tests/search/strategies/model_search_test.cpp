// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/model_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"
#include "tests/support/sampled.hpp"

namespace tune::search::testing {
namespace {

constexpr std::uint64_t seed_count = 20;

/// Some configurations of a landscape at random, with what `cost` makes of their costs.
RelatedRecord record_of(const Landscape& landscape, std::size_t count, std::uint64_t seed,
                        const std::function<double(double)>& cost) {
  RelatedRecord record;
  Random random(seed);
  std::unordered_set<ConfigurationId> chosen;
  while (chosen.size() < std::min<std::size_t>(count, landscape.space().size())) {
    Observation one = landscape.observe(landscape.space().sample(random));
    if (!chosen.insert(one.id).second) continue;
    if (one.cost) one.cost = cost(*one.cost);
    record.observations.push_back(one);
  }
  return record;
}

double slower(double cost) {
  return 3 * cost;
}
double reversed(double cost) {
  return 1e-6 / cost;
}

/// The score after `budget` evaluations, with this record or none.
double score(const Landscape& landscape, std::uint64_t seed, std::size_t budget,
             std::vector<RelatedRecord> related = {}) {
  ModelSearch search({landscape.space(), seed, std::move(related)});
  return best_score(search, landscape, budget);
}

/// Evaluates what a search asks for, one at a time; what it asked for last.
ConfigurationId run(ModelSearch& search, const Landscape& landscape, std::size_t count) {
  ConfigurationId last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    last = search.ask(1).at(0);
    search.tell(std::vector{landscape.observe(last)});
  }
  return last;
}

TEST(ModelSearch, FindsTheOptimumOfARecordThatHoldsIt) {
  for (auto* make : {separable, rugged, variants}) {
    const Landscape landscape = make(4);
    RelatedRecord record;
    for (ConfigurationId id = 0; id < landscape.space().size(); ++id) {
      record.observations.push_back(landscape.observe(id));
      record.observations.back().cost = slower(*record.observations.back().cost);
    }
    EXPECT_EQ(score(landscape, 1, 1, {record}), 1) << landscape.name();
  }
}

TEST(ModelSearch, TriesGuessesFirst) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "how", {"a", "b", "c", "d"}, "a"}};
  std::vector<Value> values;
  for (int i = 0; i < 40; ++i) values.emplace_back(i);
  for (const char* name : {"x", "y"}) definition.parameters.push_back({name, "an amount", values, 3});
  definition.guesses = {{{"variant", "c"}, {"x", 20}, {"y", 21}, {"z", 1}}};
  const SearchSpace space(std::move(definition));
  const Configuration guess = {{"variant", "c"}, {"x", 20}, {"y", 21}};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ModelSearch search({space, seed});
    const Observation usual{*space.default_configuration(), 1.0};
    search.tell({&usual, 1});
    EXPECT_EQ(search.ask(1).front(), space.find(guess)) << seed;
  }
}

TEST(ModelSearch, BeginsWithTheBestOfARecord) {
  const Landscape landscape = rugged(1);
  const RelatedRecord record = record_of(landscape, 200, 1, slower);
  const auto best = best_apart(landscape.space(), record, ModelOptions{}.transfers);
  ModelSearch search({landscape.space(), 1, {record}});
  EXPECT_EQ(search.ask(best.size()), best);
}

TEST(ModelSearch, BeginsWithTheBestOfEachRecord) {
  const Landscape landscape = rugged(1);
  const RelatedRecord first = record_of(landscape, 200, 1, slower);
  const RelatedRecord second = record_of(landscape, 200, 2, reversed);
  auto expected = best_apart(landscape.space(), first, 4);
  const auto others = best_apart(landscape.space(), second, 2);
  expected.insert(expected.end(), others.begin(), others.end());
  ModelSearch search({landscape.space(), 1, {first, second}});
  EXPECT_EQ(search.ask(expected.size()), expected);
}

TEST(ModelSearch, LearnsFromARecordOfTheSameLandscape) {
  double gain = 0;
  for (std::uint64_t seed = 1; seed <= seed_count; ++seed) {
    const Landscape landscape = separable(seed);
    const RelatedRecord record = record_of(landscape, 150, seed, slower);
    gain += score(landscape, seed, 12, {record}) - score(landscape, seed, 12);
  }
  EXPECT_GT(gain / seed_count, 0.1);
}

// The record costs a dozen evaluations of sixty. On rugged ground scores of 20 seeds differ by chance, too:
// the bound gives two standard errors way.
TEST(ModelSearch, LosesLittleByAMisleadingRecord) {
  const std::uint64_t seeds = tune::testing::runs_all_cases() ? seed_count : seed_count / 2;
  const auto count = static_cast<double>(seeds);
  for (auto* make : {failing_region, rugged}) {
    double sum = 0, squares = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Landscape landscape = make(seed);
      const RelatedRecord record = record_of(landscape, 400, seed, reversed);
      const double gain = score(landscape, seed, 60, {record}) - score(landscape, seed, 60);
      sum += gain / count;
      squares += gain * gain / count;
    }
    const double error = std::sqrt((squares - sum * sum) / (count - 1));
    EXPECT_LT(error, 0.08);
    EXPECT_GT(sum, -0.03 - 2 * error) << make(1).name();
  }
}

/// The first `count` configurations that a search asks for, one at a time.
std::vector<ConfigurationId> first_asked(ModelSearch& search, const Landscape& landscape, std::size_t count) {
  std::vector<ConfigurationId> asked;
  for (std::size_t i = 0; i < count; ++i) asked.push_back(run(search, landscape, 1));
  return asked;
}

TEST(ModelSearch, BeginsAnewWhenItHasFollowedARecordLongEnough) {
  ModelOptions options;
  options.hedge = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Landscape landscape = rugged(seed);
    ModelSearch cold({landscape.space(), seed});
    ModelSearch misled({landscape.space(), seed, {record_of(landscape, 400, seed, reversed)}}, options);
    run(misled, landscape, options.warm_start_evaluations);
    EXPECT_EQ(first_asked(misled, landscape, options.start), first_asked(cold, landscape, options.start))
        << seed;
  }
}

// Every second choice is one that a search without the record makes.
TEST(ModelSearch, HedgesARecordThatDoesNotPay) {
  std::size_t hedged = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Landscape landscape = rugged(seed);
    ModelOptions options;
    ModelSearch cold({landscape.space(), seed});
    const std::vector<ConfigurationId> design = first_asked(cold, landscape, options.start);
    const auto shared = [&](std::size_t hedge) {
      options.hedge = hedge;
      ModelSearch search({landscape.space(), seed, {record_of(landscape, 400, seed, reversed)}}, options);
      std::size_t count = 0;
      for (const ConfigurationId id : first_asked(search, landscape, options.warm_start_evaluations))
        count += std::ranges::find(design, id) != design.end() ? 1 : 0;
      return count;
    };
    hedged += shared(4);
    EXPECT_EQ(shared(0), 0U) << seed;
  }
  EXPECT_GT(hedged, 0U);
}

TEST(ModelSearch, BearsRecordsThatSayNothing) {
  const Landscape landscape = variants(1);
  const ConfigurationId first = ModelSearch({landscape.space(), 7}).ask(1).at(0);
  EXPECT_EQ(ModelSearch({landscape.space(), 7, {RelatedRecord{}}}).ask(1).at(0), first);
  EXPECT_EQ(ModelSearch({landscape.space(), 7, {RelatedRecord{{{3, std::nullopt}}}}}).ask(1).at(0), first);
  RelatedRecord equal;
  for (ConfigurationId id = 0; id < 50; ++id) equal.observations.push_back({id, 1.0});
  EXPECT_GT(score(landscape, 7, 40, {equal}), 0.5);
}

/// Three variants; the fastest, by twice, has 16 of 131,088 configurations, and its default is not good.
Landscape rare_variant() {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"plain", "tiled", "fused"}, "tiled"},
                           {"x", "", {1, 2, 4, 8, 16, 32, 64, 128}, 8}};
  for (const char* name : {"a", "b", "c", "d"})
    definition.parameters.push_back({name, "", {1, 2, 3, 4, 5, 6, 7, 8}, 4, var("variant") != "fused"});
  definition.parameters.push_back({"e", "", {1, 2}, 1});
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    const std::vector<int> at = space.value_indices(id);
    double slower = at[0] == 2 ? 0 : 0.7 + 0.1 * (at[2] - 3) * (at[2] - 3) + 0.1 * (at[3] - 3) * (at[3] - 3);
    slower += 0.1 * (at[1] - 6) * (at[1] - 6) + 0.2 * at[6];
    costs.emplace_back(1e-3 * std::exp(slower));
  }
  return {"rare variant", std::move(space), std::move(costs)};
}

TEST(ModelSearch, TriesEachVariantAtItsDefaultsInTurns) {
  const Landscape landscape = rare_variant();
  const Variants variants(landscape.space());
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ModelSearch search({landscape.space(), seed});
    const std::vector<ConfigurationId> first = first_asked(search, landscape, 9);
    EXPECT_EQ(first.at(0), *landscape.space().default_configuration());
    std::vector<bool> seen(3);
    for (const ConfigurationId id : first) seen[variants.of(id)] = true;
    EXPECT_EQ(seen, (std::vector<bool>{true, true, true})) << seed;
  }
}

TEST(ModelSearch, OptimisesAVariantThatHasHardlyAnyConfigurations) {
  const Landscape landscape = rare_variant();
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) sum += score(landscape, seed, 24);
  EXPECT_GT(sum, 9.4) << "the best of the other variants has a score of one half";
}

// As after a new variant was written: what was measured before has nothing of it.
TEST(ModelSearch, TriesAVariantThatTheRecordLacksAfterTheBestOfIt) {
  const Landscape landscape = rare_variant();
  const Variants variants(landscape.space());
  RelatedRecord old;
  for (ConfigurationId id = 0; id < landscape.space().size(); id += 97)
    if (variants.of(id) != 2) old.observations.push_back(landscape.observe(id));
  ModelSearch search({landscape.space(), 1, {old}});
  const std::vector<ConfigurationId> first = search.ask(ModelOptions{}.transfers + 1);
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_EQ(variants.of(first[i]) == 2, i == ModelOptions{}.transfers) << i;
}

TEST(ModelSearch, TriesAVariantNoMoreThatWasTold) {
  const Landscape landscape = rare_variant();
  const Variants variants(landscape.space());
  ModelSearch search({landscape.space(), 1});
  const ConfigurationId told = landscape.space().size() - 1;
  search.tell(std::vector{landscape.observe(told)});
  Random random(1);
  for (const ConfigurationId id : search.ask(12)) EXPECT_NE(id, variants.typical(variants.of(told), random));
}

/// 2,000 configurations whose costs are chance: nothing can be learned.
Landscape chance(std::uint64_t seed) {
  SpaceDefinition definition;
  for (const char* name : {"a", "b", "c"})
    definition.parameters.push_back({name, "", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1});
  definition.parameters.push_back({"d", "", {1, 2}, 1});
  SearchSpace space(std::move(definition));
  Random random(seed);
  std::vector<std::optional<double>> costs;
  for (ConfigurationId id = 0; id < space.size(); ++id) costs.emplace_back(1e-3 * std::exp(random.uniform()));
  return {"chance", std::move(space), std::move(costs)};
}

// A tenth of the choices are random; two others in three are no better.
TEST(ModelSearch, IsNoWorseThanRandomSearchWhereNothingCanBeLearned) {
  double model = 0, random = 0;
  for (std::uint64_t seed = 1; seed <= seed_count; ++seed) {
    const Landscape landscape = chance(seed);
    model += score(landscape, seed, 40) / seed_count;
    const auto other = choose_strategy("random").make({landscape.space(), seed});
    random += best_score(*other, landscape, 40) / seed_count;
  }
  EXPECT_GT(model, random - 0.015);
}

TEST(ModelSearch, ChoosesNothingTwiceWhileResultsAreOut) {
  const Landscape landscape = separable(1);
  ModelSearch search({landscape.space(), 1});
  std::unordered_set<ConfigurationId> seen;
  for (int turn = 0; turn < 20; ++turn) {
    const std::vector<ConfigurationId> batch = search.ask(6);
    for (const ConfigurationId id : batch) EXPECT_TRUE(seen.insert(id).second) << turn;
    // Half of them come back, the others never do.
    for (std::size_t i = 0; i < 3; ++i) search.tell(std::vector{landscape.observe(batch[i])});
  }
}

// Batches of eight: results of 7 in 8 are late, and still each batch must find new ground.
TEST(ModelSearch, SpreadsABatch) {
  double apart = 0;
  std::size_t pairs = 0;
  const Landscape landscape = separable(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ModelSearch search({landscape.space(), seed});
    run(search, landscape, 20);
    std::vector<std::vector<int>> values;
    for (const ConfigurationId id : search.ask(8)) values.push_back(landscape.space().value_indices(id));
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = 0; j < i; ++j, ++pairs)
        for (std::size_t p = 0; p < values[i].size(); ++p) apart += values[i][p] != values[j][p] ? 1 : 0;
  }
  EXPECT_GT(apart / static_cast<double>(pairs), 2) << "parameters in which two of a batch differ";
}

/// 64 configurations, the optimum in none of the corners.
Landscape small_bowl() {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {1, 2, 4, 8, 16, 32, 64, 128}, 1},
                           {"y", "", {0, 1, 2, 3, 4, 5, 6, 7}, 0}};
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y)
      costs.emplace_back(1e-3 * std::exp(0.03 * ((x - 5) * (x - 5) + (y - 2) * (y - 2))));
  return {"small bowl", std::move(space), std::move(costs)};
}

// A session waits for ten such answers in a row.
TEST(ModelSearch, ExpectsLittleOnceTheOptimumIsFound) {
  const Landscape landscape = small_bowl();
  for (std::uint64_t seed = 1; seed <= seed_count; ++seed) {
    ModelSearch search({landscape.space(), seed});
    EXPECT_EQ(search.expected_gain(), std::nullopt);
    double best = 0;
    std::size_t spent = 0;
    for (int in_a_row = 0; spent < 50 && in_a_row < 10;) {
      best = std::max(best, landscape.score(*landscape.observe(run(search, landscape, 1)).cost));
      ++spent;
      EXPECT_EQ(search.expected_gain().has_value(), spent >= 20) << spent << " results; fewer say too little";
      in_a_row = search.expected_gain().value_or(1) < 0.01 ? in_a_row + 1 : 0;
    }
    EXPECT_LT(spent, 40U) << seed;
    EXPECT_EQ(best, 1) << seed;
  }
}

TEST(ModelSearch, ExpectsNothingWhileItFollowsRecords) {
  const Landscape landscape = separable(1);
  ModelSearch search({landscape.space(), 1, {record_of(landscape, 100, 1, slower)}});
  const std::size_t warm_start_evaluations = ModelOptions{}.warm_start_evaluations;
  for (std::size_t i = 0; i < warm_start_evaluations; ++i) {
    EXPECT_EQ(search.expected_gain(), std::nullopt) << i;
    run(search, landscape, 1);
  }
  run(search, landscape, 20);
  EXPECT_GT(search.expected_gain().value(), 0);
}

/// Returns the expected gain after each result of batches of eight, and the configurations asked for.
std::vector<ConfigurationId> asked_for(const Landscape& landscape, std::vector<double>* gains) {
  ModelSearch search({landscape.space(), 3});
  std::vector<ConfigurationId> trace;
  for (int batch = 0; batch < 12; ++batch)
    for (const ConfigurationId id : search.ask(8)) {
      trace.push_back(id);
      search.tell(std::vector{landscape.observe(id)});
      if (gains == nullptr) continue;
      if (const auto gain = search.expected_gain()) gains->push_back(*gain);
      EXPECT_EQ(search.expected_gain(), search.expected_gain()) << "nothing was told in between";
    }
  return trace;
}

TEST(ModelSearch, ExpectsAnewAfterEveryResult) {
  const Landscape landscape = rugged(2);
  std::vector<double> gains;
  asked_for(landscape, &gains);
  ASSERT_EQ(gains.size(), 96U - 19);
  // Equal ones in a row are rare: what was gained lately stands as long as it is more.
  std::size_t changes = 0;
  for (std::size_t i = 1; i < gains.size(); ++i) changes += gains[i] != gains[i - 1] ? 1 : 0;
  EXPECT_GT(changes, gains.size() / 2);
}

TEST(ModelSearch, BeingAskedWhatItExpectsChangesNothing) {
  for (auto* make : {separable, rugged, failing_region}) {
    std::vector<double> gains;
    EXPECT_EQ(asked_for(make(2), &gains), asked_for(make(2), nullptr));
  }
}

TEST(ModelSearch, WhatWasGainedLatelyMayComeAgain) {
  const Landscape landscape = small_bowl();
  ModelSearch search({landscape.space(), 1});
  const auto tell = [&](ConfigurationId id, double cost) { search.tell(std::vector{Observation{id, cost}}); };
  // All alike: the process expects nothing.
  for (ConfigurationId id = 0; id < 24; ++id) tell(id, 1);
  search.ask(ModelOptions{}.start + 1);
  tell(24, 1);
  EXPECT_LT(search.expected_gain().value(), 0.01);
  tell(25, 0.8);
  for (ConfigurationId id = 26; id < 45; ++id) {
    EXPECT_GT(search.expected_gain().value(), 0.199) << id;
    tell(id, 1);
  }
  EXPECT_GT(search.expected_gain().value(), 0.199);
  tell(45, 1);
  EXPECT_LT(search.expected_gain().value(), 0.199) << "twenty evaluations ago";
}

// A line of which every second place is known, as smooth as can be: the improvements expected elsewhere are
// too small for a number. Then one place is as good as another, and not the first of the list.
TEST(ModelSearch, TakesNothingInTheOrderOfTheListWhereNothingIsExpected) {
  SpaceDefinition definition;
  Parameter x{"x", "", {}, 0};
  for (std::int64_t value = 0; value < 400; ++value) x.values.emplace_back(value);
  definition.parameters = {x};
  const SearchSpace space(definition);
  ModelSearch search({space, 1});
  std::vector<Observation> known;
  for (ConfigurationId id = 0; id < space.size(); ++id)
    if (id < 20 || id % 2 == 0) known.push_back({id, 1e-3 * std::exp(0.05 * static_cast<double>(id))});
  search.tell(known);
  std::vector<ConfigurationId> asked;
  for (int i = 0; i < 60; ++i) {
    asked.push_back(search.ask(1).at(0));
    search.tell(
        std::vector{Observation{asked.back(), 1e-3 * std::exp(0.05 * static_cast<double>(asked.back()))}});
  }
  std::size_t steps = 0;
  for (std::size_t i = 31; i < asked.size(); ++i) steps += asked[i] == asked[i - 1] + 2 ? 1 : 0;
  EXPECT_LT(steps, 8U);
}

TEST(ModelSearch, WantsMoreResultsBeforeMoreQuestions) {
  const Landscape landscape = separable(1);
  ModelSearch search({landscape.space(), 1});
  EXPECT_EQ(search.max_in_flight(), 8U);
  run(search, landscape, 40);
  EXPECT_EQ(search.max_in_flight(), 10U);
}

}  // namespace
}  // namespace tune::search::testing
