// SPDX-License-Identifier: Apache-2.0
// Tests what every strategy has to do. Include this and strategy_conformance_large.hpp once and instantiate
// `StrategyConformance` with the entries to check.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"

namespace tune::search::testing {

/// 2 variants with parameters of their own and a constraint: 132 configurations.
inline SpaceDefinition conformance_definition() {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"direct", "tiled", "fft"}, "tiled"},
                           {"block_x", "", {8, 16, 32, 64}, 32},
                           {"block_y", "", {1, 2, 4, 8}, 2},
                           {"tile", "", {1, 2, 3, 4}, 1, var("variant") == "tiled"},
                           {"radix", "", {2, 4, 8}, 4, var("variant") == "fft"}};
  definition.constraints = {{var("block_x") * var("block_y") <= 256, "too many threads"},
                            {var("tile") * var("block_y") <= 16, "too much shared memory"}};
  return definition;
}

/// Smooth in the block sizes and different for each variant.
inline double conformance_cost(const SearchSpace& space, ConfigurationId id) {
  const std::vector<int> indices = space.value_indices(id);
  double cost = 1.0;
  for (std::size_t p = 0; p < indices.size(); ++p) {
    cost += std::pow(static_cast<double>(indices[p]) - 1.3, 2) * static_cast<double>(p + 1);
  }
  return cost * 1e-3;
}

class StrategyConformance : public ::testing::TestWithParam<StrategyEntry> {
 protected:
  using Ids = std::vector<ConfigurationId>;

  std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed = 1) const {
    return GetParam().make({space, seed});
  }

  /// One observation; every third fails where `failures` says so, or all.
  enum class Failures { none, some, all };
  static Observation observe(const SearchSpace& space, ConfigurationId id, Failures failures) {
    const bool fails = failures == Failures::all || (failures == Failures::some && id % 3 == 0);
    if (fails) return {id, std::nullopt};
    return {id, conformance_cost(space, id)};
  }

  /// Asks for batches of these sizes in turn and tells all answers, until nothing is left. Checks each batch.
  static Ids exhaust(Strategy& strategy, const SearchSpace& space, const std::vector<std::size_t>& sizes,
                     Failures failures = Failures::some) {
    Ids trace;
    for (std::size_t turn = 0; turn <= space.size() + 1; ++turn) {
      const std::size_t count = sizes[turn % sizes.size()];
      const Ids batch = strategy.ask(count);
      EXPECT_LE(batch.size(), count);
      if (batch.empty()) return trace;
      std::vector<Observation> observations;
      for (const ConfigurationId id : batch) {
        EXPECT_LT(id, space.size());
        observations.push_back(observe(space, id, failures));
      }
      strategy.tell(observations);
      trace.insert(trace.end(), batch.begin(), batch.end());
    }
    ADD_FAILURE() << "the strategy never ends";
    return trace;
  }

  static void expect_each_once(const Ids& trace, const SearchSpace& space,
                               const std::set<ConfigurationId>& but = {}) {
    std::set<ConfigurationId> seen(trace.begin(), trace.end());
    EXPECT_EQ(seen.size(), trace.size()) << "some configuration was asked for twice";
    EXPECT_EQ(trace.size() + but.size(), space.size());
    for (const ConfigurationId id : but) EXPECT_FALSE(seen.contains(id)) << "was told before: " << id;
  }

  const SearchSpace space_{conformance_definition()};
};

TEST_P(StrategyConformance, AsksForEveryConfigurationOnceWhateverTheBatches) {
  for (const std::vector<std::size_t>& sizes :
       std::vector<std::vector<std::size_t>>{{1}, {7}, {1, 2, 13}, {1'000}}) {
    expect_each_once(exhaust(*make(space_), space_, sizes), space_);
  }
}

TEST_P(StrategyConformance, StaysEmptyAtTheEnd) {
  const auto strategy = make(space_);
  exhaust(*strategy, space_, {10});
  EXPECT_TRUE(strategy->ask(1).empty());
  EXPECT_TRUE(strategy->ask(100).empty());
}

TEST_P(StrategyConformance, AskingForNothingChangesNothing) {
  const auto strategy = make(space_);
  EXPECT_TRUE(strategy->ask(0).empty());
  EXPECT_EQ(exhaust(*strategy, space_, {5}), exhaust(*make(space_), space_, {5}));
}

TEST_P(StrategyConformance, SameSeedSameTrace) {
  for (const std::uint64_t seed : {0ULL, 1ULL, ~0ULL}) {
    EXPECT_EQ(exhaust(*make(space_, seed), space_, {3}), exhaust(*make(space_, seed), space_, {3}));
  }
}

TEST_P(StrategyConformance, ASpaceBuiltAgainGivesTheSameTrace) {
  const SearchSpace again(conformance_definition());
  EXPECT_EQ(exhaust(*make(space_), space_, {3}), exhaust(*make(again), again, {3}));
}

TEST_P(StrategyConformance, SurvivesThatEverythingFails) {
  expect_each_once(exhaust(*make(space_), space_, {4}, Failures::all), space_);
}

TEST_P(StrategyConformance, WorksWithoutBeingTold) {
  const auto strategy = make(space_);
  Ids trace;
  for (Ids batch = strategy->ask(9); !batch.empty(); batch = strategy->ask(9)) {
    trace.insert(trace.end(), batch.begin(), batch.end());
    ASSERT_LE(trace.size(), space_.size());
  }
  expect_each_once(trace, space_);
}

TEST_P(StrategyConformance, NeverAsksForWhatItWasTold) {
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    const auto strategy = make(space_, seed);
    std::set<ConfigurationId> told{*space_.default_configuration(), 0, space_.size() - 1};
    for (ConfigurationId id = 5; id < space_.size(); id += 4) told.insert(id);
    std::vector<Observation> observations;
    for (const ConfigurationId id : told) observations.push_back(observe(space_, id, Failures::some));
    strategy->tell(observations);
    expect_each_once(exhaust(*strategy, space_, {6}), space_, told);
  }
}

TEST_P(StrategyConformance, TellingInTheMiddleRemovesFromWhatIsLeft) {
  const auto strategy = make(space_);
  const Ids first = strategy->ask(20);
  std::set<ConfigurationId> gone(first.begin(), first.end());
  std::vector<Observation> observations;
  for (ConfigurationId id = 0; id < space_.size(); id += 2) {
    gone.insert(id);
    observations.push_back(observe(space_, id, Failures::some));
  }
  strategy->tell(observations);
  expect_each_once(exhaust(*strategy, space_, {6}), space_, gone);
}

TEST_P(StrategyConformance, TellingLateInAnyOrderAndTwiceIsFine) {
  const auto strategy = make(space_);
  Ids all = strategy->ask(30);
  ASSERT_EQ(all.size(), 30U);
  std::vector<Observation> observations;
  for (const ConfigurationId id : all) observations.push_back(observe(space_, id, Failures::some));
  std::ranges::reverse(observations);
  strategy->tell(observations);
  strategy->tell({});
  strategy->tell(observations);
  const Ids rest = exhaust(*strategy, space_, {8});
  all.insert(all.end(), rest.begin(), rest.end());
  expect_each_once(all, space_);
}

TEST_P(StrategyConformance, ToldEverythingNothingIsLeft) {
  const auto strategy = make(space_);
  std::vector<Observation> observations;
  for (ConfigurationId id = 0; id < space_.size(); ++id)
    observations.push_back(observe(space_, id, Failures::some));
  strategy->tell(observations);
  EXPECT_TRUE(strategy->ask(3).empty());
}

TEST_P(StrategyConformance, HandlesSpacesOfOneAndOfNone) {
  const SearchSpace one{SpaceDefinition{}};
  const auto strategy = make(one);
  EXPECT_EQ(strategy->ask(5), Ids{0});
  EXPECT_TRUE(strategy->ask(5).empty());
  SpaceDefinition definition = conformance_definition();
  definition.constraints.push_back({Expr(false), "never"});
  const SearchSpace none(definition);
  EXPECT_TRUE(make(none)->ask(5).empty());
}

TEST_P(StrategyConformance, HandlesSmallSpacesOfEverySize) {
  for (int size = 1; size <= 20; ++size) {
    SpaceDefinition definition;
    definition.parameters = {{"x", "", {}, 0}};
    for (int value = 0; value < size; ++value) definition.parameters[0].values.emplace_back(value);
    const SearchSpace space(definition);
    expect_each_once(exhaust(*make(space, static_cast<std::uint64_t>(size)), space, {2}), space);
  }
}

TEST_P(StrategyConformance, AnotherSeedIsAnotherTrace) {
  if (GetParam().exhaustive) return;  // no chance in it
  const auto trace = [&](std::uint64_t seed) { return exhaust(*make(space_, seed), space_, {3}); };
  EXPECT_NE(trace(1), trace(2));
}

TEST_P(StrategyConformance, EqualCostsLeadNowhereButEverywhere) {
  const auto strategy = make(space_);
  Ids trace;
  for (Ids batch = strategy->ask(3); !batch.empty(); batch = strategy->ask(3)) {
    trace.insert(trace.end(), batch.begin(), batch.end());
    ASSERT_LE(trace.size(), space_.size());
    for (const ConfigurationId id : batch) strategy->tell(std::vector<Observation>{{id, 1e-3}});
  }
  expect_each_once(trace, space_);
}

TEST_P(StrategyConformance, CostsThatAreNoNumbersCountAsFailures) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const std::vector<double> costs = {std::nan(""), never, 0.0, -never, 1e300, 1e-300, -1.0};
  const auto strategy = make(space_);
  Ids trace;
  for (Ids batch = strategy->ask(2); !batch.empty(); batch = strategy->ask(2)) {
    trace.insert(trace.end(), batch.begin(), batch.end());
    ASSERT_LE(trace.size(), space_.size());
    for (const ConfigurationId id : batch)
      strategy->tell(std::vector<Observation>{{id, costs[id % costs.size()]}});
  }
  expect_each_once(trace, space_);
}

TEST_P(StrategyConformance, LateTellsAreAsGoodAsAny) {
  // Results come three batches late, newest first, and one in five never.
  const auto strategy = make(space_);
  Ids trace;
  std::vector<Ids> out;
  for (Ids batch = strategy->ask(4); !batch.empty(); batch = strategy->ask(4)) {
    trace.insert(trace.end(), batch.begin(), batch.end());
    ASSERT_LE(trace.size(), space_.size());
    out.push_back(batch);
    if (out.size() < 4) continue;
    std::vector<Observation> observations;
    for (const ConfigurationId id : out.front())
      if (id % 5 != 0) observations.push_back(observe(space_, id, Failures::some));
    std::ranges::reverse(observations);
    strategy->tell(observations);
    out.erase(out.begin());
  }
  expect_each_once(trace, space_);
}

TEST_P(StrategyConformance, TakesOneAtLeast) {
  EXPECT_GE(make(space_)->max_in_flight(), 1U);
  EXPECT_GE(make(SearchSpace(SpaceDefinition{}))->max_in_flight(), 1U);
}

TEST_P(StrategyConformance, HasANameAndASummary) {
  EXPECT_FALSE(GetParam().name.empty());
  EXPECT_FALSE(GetParam().summary.empty());
}

}  // namespace tune::search::testing
