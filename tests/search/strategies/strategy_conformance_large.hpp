// SPDX-License-Identifier: Apache-2.0
// The part of the conformance suite that needs spaces too large to go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <set>
#include <vector>

#include "tests/search/strategies/strategy_conformance.hpp"
#include "tests/support/sanitizers.hpp"

namespace tune::search::testing {

/// As many parameters of 8 values, which a constraint takes a few combinations from: 7 are 1.9 million
/// configurations.
inline SpaceDefinition large_definition(int parameters) {
  SpaceDefinition definition;
  for (int p = 0; p < parameters; ++p) {
    definition.parameters.push_back({"p" + std::to_string(p), "", {}, 1});
    for (int value = 1; value <= 8; ++value) definition.parameters.back().values.emplace_back(value);
  }
  definition.constraints = {{var("p0") * var("p1") <= 48, "too many threads"}};
  return definition;
}

/// Processor time: other processes may be busy.
inline double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// The most numbers in a row of which each is one more than the one before.
inline std::size_t longest_walk_in_list_order(const std::vector<ConfigurationId>& trace) {
  std::size_t longest = 1;
  std::size_t walk = 1;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    walk = trace[i] == trace[i - 1] + 1 ? walk + 1 : 1;
    longest = std::max(longest, walk);
  }
  return longest;
}

// A strategy whose model or incumbent is still empty must not fall back to the order of the list.
TEST_P(StrategyConformance, DoesNotWalkTheListAfterAFailure) {
  const SearchSpace space(large_definition(4));
  for (const Failures failures : {Failures::some, Failures::all}) {
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
      const auto strategy = make(space, seed);
      Ids trace;
      for (int turn = 0; turn < 100; ++turn) {
        for (const ConfigurationId id : strategy->ask(1)) {
          // The first fails in any case.
          strategy->tell(std::vector<Observation>{trace.empty() ? Observation{id, std::nullopt}
                                                                : observe(space, id, failures)});
          trace.push_back(id);
        }
      }
      EXPECT_EQ(trace.size(), 100U);
      EXPECT_LT(longest_walk_in_list_order(trace), 8U) << seed;
    }
  }
}

TEST_P(StrategyConformance, IsQuickInALargeSpace) {
  const SearchSpace space(large_definition(7));
  ASSERT_GT(space.size(), 1'500'000U);
  const std::clock_t start = std::clock();
  const auto strategy = make(space);
  std::set<ConfigurationId> seen;
  while (seen.size() < 300) {
    const Ids batch = strategy->ask(1);
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_TRUE(seen.insert(batch[0]).second);
    strategy->tell(std::vector<Observation>{observe(space, batch[0], Failures::some)});
  }
  const double taken = seconds_since(start);
  EXPECT_LT(taken, tune::testing::has_address_sanitizer ? 60.0 : 3.0) << "seconds; a fifth is usual";
}

TEST_P(StrategyConformance, FindsTheLastOnesOfALargeSpaceWithoutSpinning) {
  const SearchSpace space(large_definition(5));
  const auto strategy = make(space);
  std::vector<Observation> known;
  std::set<ConfigurationId> told;
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    if (id % 1'000 == 7) continue;
    known.push_back(observe(space, id, Failures::some));
    told.insert(id);
  }
  strategy->tell(known);
  const std::clock_t start = std::clock();
  expect_each_once(exhaust(*strategy, space, {1, 3}), space, told);
  const double taken = seconds_since(start);
  EXPECT_LT(taken, 3.0) << "seconds for " << space.size() - told.size();
}

}  // namespace tune::search::testing
