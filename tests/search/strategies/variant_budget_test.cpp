// SPDX-License-Identifier: Apache-2.0
// How a search divides its evaluations among variants.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "search/strategies/model_search.hpp"
#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

constexpr std::size_t good_variant = 5;

/// Seven variants of 4,096 configurations each, of which one has everything good: the best of any other takes
/// more than twice its best.
Landscape seven_variants() {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"a", "b", "c", "d", "e", "f", "g"}, "a"}};
  for (const char* name : {"p", "q", "r", "s"})
    definition.parameters.push_back({name, "", {1, 2, 3, 4, 5, 6, 7, 8}, 4});
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    const std::vector<int> at = space.value_indices(id);
    double slower = at[0] == good_variant ? 0 : 0.8 + 0.05 * at[0];
    for (std::size_t p = 1; p < at.size(); ++p) {
      const double off = at[p] - (at[0] == good_variant ? 6.0 : 3.0);
      slower += (at[0] == good_variant ? 0.015 : 0.02) * off * off;
    }
    costs.emplace_back(1e-3 * std::exp(slower));
  }
  return {"seven variants", std::move(space), std::move(costs)};
}

/// Evaluates one at a time; returns how many of the evaluations from `from` on were of each variant.
std::vector<std::size_t> evaluate(ModelSearch& search, const Landscape& landscape, std::size_t count,
                                  std::size_t from = 0) {
  const Variants variants(landscape.space());
  std::vector<std::size_t> times(variants.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ConfigurationId id = search.ask(1).at(0);
    search.tell(std::vector{landscape.observe(id)});
    if (i >= from) ++times[variants.of(id)];
  }
  return times;
}

TEST(VariantBudget, GoesToTheVariantThatPays) {
  const Landscape landscape = seven_variants();
  std::size_t good = 0;
  double score = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ModelSearch search({landscape.space(), seed});
    good += evaluate(search, landscape, 60, 30)[good_variant];
    ModelSearch again({landscape.space(), seed});
    score += best_score(again, landscape, 60) / 6;
  }
  std::size_t unshared = 0;
  double score_unshared = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ModelOptions options;
    options.belief.patience = 1e6;
    ModelSearch search({landscape.space(), seed}, options);
    unshared += evaluate(search, landscape, 60, 30)[good_variant];
    ModelSearch again({landscape.space(), seed}, options);
    score_unshared += best_score(again, landscape, 60) / 6;
  }
  EXPECT_GT(good, unshared + 10);
  EXPECT_GT(score, score_unshared - 0.05);
}

TEST(VariantBudget, EachVariantIsTriedEvenSo) {
  const Landscape landscape = seven_variants();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ModelSearch search({landscape.space(), seed});
    for (const std::size_t times : evaluate(search, landscape, 30)) EXPECT_GT(times, 0U) << seed;
  }
}

// The neighbours of the best are those of the best of one variant, or of another that is nearly as fast.
TEST(VariantBudget, AVariantBehindIsSearchedBesideItsOwnBest) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"fast", "behind", "slow"}, "fast"}};
  for (const char* name : {"p", "q", "r", "s"})
    definition.parameters.push_back({name, "", {1, 2, 3, 4, 5, 6, 7, 8}, 4});
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (ConfigurationId id = 0; id < space.size(); ++id)
    costs.emplace_back(
        std::vector{1e-3, 1.01e-3, 4e-3}[static_cast<std::size_t>(space.value_indices(id)[0])]);
  const Landscape landscape("three variants", std::move(space), std::move(costs));
  RelatedRecord record;
  for (ConfigurationId id = 0; id < 9; ++id)
    record.observations.push_back({id, 1 + 0.01 * static_cast<double>(id)});
  for (const bool apart : {false, true}) {
    ModelOptions options;
    options.apart = apart;
    options.local_turn = 1;
    options.random_turn = 0;
    options.belief.endurance = 0;
    ModelSearch search({landscape.space(), 1, {record}}, options);
    const std::vector<std::size_t> times = evaluate(search, landscape, 90, 30);
    if (apart)
      EXPECT_GT(times[1], 18U);
    else
      EXPECT_LT(times[1], 12U);
    EXPECT_LT(times[2], 6U);
  }
}

TEST(VariantResults, ChancesFallWithEachResultThatIsSlow) {
  VariantResults results(4);
  EXPECT_EQ(results.chances({1, 0}, 0.5), (std::vector<double>{1, 1, 1, 1})) << "nothing is known";
  results.tell(0, 1.0);
  results.tell(1, 2.0);
  results.tell(2, std::nullopt);
  const std::vector<double> once = results.chances({1, 0}, 0.5);
  EXPECT_EQ(once[0], 1) << "the fastest";
  EXPECT_EQ(once[3], 1) << "not tried";
  EXPECT_NEAR(once[1], std::exp(-slowdown(2, 1)), 1e-12);
  EXPECT_LT(once[2], once[1]);
  results.tell(1, 3.0);
  EXPECT_NEAR(results.chances({1, 0}, 0.5)[1], once[1] * once[1], 1e-12);
  EXPECT_NEAR(results.chances({2, 0}, 0.5)[1], once[1], 1e-12);
  results.tell(1, 1.01);
  EXPECT_GT(results.chances({1, 0}, 0.5)[1], 0.95) << "nearly equal";
  results.close(3);
  EXPECT_EQ(results.chances({1, 0}, 0.5)[3], 0);
}

TEST(VariantResults, TheFastestIsBelievedInNoLongerThanItGains) {
  VariantResults results(3);
  results.tell(0, 1.0);
  for (int i = 0; i < 20; ++i) results.tell(1, 1.1);
  for (int i = 0; i < 20; ++i) results.tell(2, 3.0);
  const std::vector<double> fresh = results.chances({1, 10}, 0.5);
  EXPECT_EQ(fresh[0], 1);
  EXPECT_LT(fresh[1], 0.2);
  // Four times the endurance without a gain: half as many choices, and more patience with one that is near.
  for (int i = 0; i < 40; ++i) results.tell(0, 1.5);
  const std::vector<double> weary = results.chances({1, 10}, 0.5);
  EXPECT_DOUBLE_EQ(weary[0], 0.5);
  EXPECT_GT(weary[1], 0.5);
  EXPECT_NEAR(weary[2], fresh[2], 1e-3) << "a far one stays out";
  EXPECT_EQ(results.chances({1, 0}, 0.5)[0], 1) << "with any endurance";
  results.tell(0, 0.9995);
  EXPECT_LT(results.chances({1, 10}, 0.5)[0], 0.5) << "that is no gain worth the name";
  results.tell(0, 0.9);
  EXPECT_EQ(results.chances({1, 10}, 0.5)[0], 1);
}

TEST(VariantResults, SharesAreOfTheBestOfAll) {
  VariantResults results(3);
  results.tell(0, 2.0);
  results.tell(0, 4.0);
  results.tell(1, 8.0);
  EXPECT_EQ(results.share_of_best(0), 1);
  EXPECT_EQ(results.share_of_best(1), 0.25);
  EXPECT_EQ(results.share_of_best(2), std::nullopt);
  results.tell(2, std::nullopt);
  EXPECT_EQ(results.share_of_best(2), 0);
}

/// Bounds by value of the first parameter: nothing of these variants can be faster.
std::vector<double> bounds_of(const Landscape& landscape) {
  const Variants variants(landscape.space());
  std::vector<double> bounds(variants.size(), 1e300);
  for (ConfigurationId id = 0; id < landscape.space().size(); ++id)
    bounds[variants.of(id)] = std::min(bounds[variants.of(id)], *landscape.observe(id).cost);
  return bounds;
}

TEST(VariantBounds, WhatIsProvenSlowerIsNotTriedAnyMore) {
  const Landscape landscape = seven_variants();
  const Variants variants(landscape.space());
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ModelSearch search({landscape.space(), seed, {}, bounds_of(landscape)});
    double best = 1e300;
    for (int i = 0; i < 50; ++i) {
      const std::vector<ConfigurationId> ids = search.ask(1);
      if (ids.empty()) break;  // the best has reached its bound
      const ConfigurationId id = ids[0];
      EXPECT_LT(bounds_of(landscape)[variants.of(id)], best) << i;
      search.tell(std::vector{landscape.observe(id)});
      best = std::min(best, *landscape.observe(id).cost);
    }
    EXPECT_LT(best, 1.8e-3);
  }
}

TEST(VariantBounds, TheSearchEndsWhereNothingCanBeFaster) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"a", "b"}, "a"}, {"x", "", {1, 2, 3, 4}, 1}};
  const SearchSpace space(std::move(definition));
  ModelSearch search({space, 1, {}, {0, 5.0}});
  std::set<ConfigurationId> asked;
  for (int i = 0; i < 8; ++i) {
    const auto ids = search.ask(1);
    if (ids.empty()) break;
    asked.insert(ids[0]);
    search.tell(std::vector{Observation{ids[0], 4.0 + static_cast<double>(ids[0])}});
  }
  EXPECT_EQ(asked, (std::set<ConfigurationId>{0, 1, 2, 3}))
      << "the default, and then the rest of its variant";
  EXPECT_TRUE(search.ask(3).empty());
}

TEST(VariantBounds, ZeroAndNoBoundsSayNothing) {
  const Landscape landscape = seven_variants();
  ModelSearch none({landscape.space(), 3}), zero({landscape.space(), 3, {}, {0, 0, 0}});
  EXPECT_EQ(evaluate(none, landscape, 25), evaluate(zero, landscape, 25));
}

// A variant that reached less than .4 in a record is not tried for its own sake, and the best ones come
// first.
TEST(VariantOrder, FollowsWhatRecordsReached) {
  const Landscape landscape = seven_variants();
  const Variants variants(landscape.space());
  RelatedRecord record;
  Random random(1);
  for (std::size_t v = 0; v < variants.size(); ++v)
    record.observations.push_back({variants.typical(v, random), v < 3 ? 1.0 + static_cast<double>(v) : 10.0});
  ModelOptions options;
  options.warm_start_evaluations = 7;  // then the search begins anew
  options.transfers = 0;
  options.belief.endurance = 0;  // else variants are also tried for want of gains
  ModelSearch search({landscape.space(), 1, {record}}, options);
  std::set<ConfigurationId> asked;
  for (int i = 0; i < 40; ++i) {
    const ConfigurationId id = search.ask(1).at(0);
    search.tell(std::vector{Observation{id, 1.0}});
    asked.insert(id);
  }
  for (std::size_t v = 3; v < variants.size(); ++v)
    EXPECT_FALSE(asked.contains(variants.typical(v, random))) << v;
}

}  // namespace
}  // namespace tune::search::testing
