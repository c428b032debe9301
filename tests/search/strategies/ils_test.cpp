// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

/// Results before the climb, and parameters that a kick changes.
constexpr std::size_t start_results = 8, min_kick = 2, max_kick = 4;

/// 3^10 configurations.
SearchSpace cube() {
  SpaceDefinition definition;
  for (int p = 0; p < 10; ++p) definition.parameters.push_back({"p" + std::to_string(p), "", {1, 2, 4}, 1});
  return SearchSpace(definition);
}

std::size_t changes(const SearchSpace& space, ConfigurationId a, ConfigurationId b) {
  const std::vector<int> first = space.value_indices(a);
  const std::vector<int> second = space.value_indices(b);
  std::size_t count = 0;
  for (std::size_t p = 0; p < first.size(); ++p) count += first[p] != second[p] ? 1 : 0;
  return count;
}

class Climb {
 public:
  explicit Climb(std::uint64_t seed) : search_(choose_strategy("ils:start=8:kick=4").make({space, seed})) {}

  ConfigurationId ask() { return search_->ask(1).at(0); }
  void tell(ConfigurationId id, std::optional<double> cost) {
    search_->tell(std::vector<Observation>{{id, cost}});
  }
  /// A start of which only the first succeeds: the climb begins there.
  ConfigurationId start(double cost) {
    const ConfigurationId first = ask();
    tell(first, cost);
    for (std::size_t i = 1; i < start_results; ++i) tell(ask(), std::nullopt);
    return first;
  }
  /// Answers for all neighbours of a local optimum that are not known; the first choice after them.
  ConfigurationId after_neighbours(ConfigurationId optimum, double cost) {
    ConfigurationId id = ask();
    for (; changes(space, optimum, id) == 1; id = ask()) tell(id, cost);
    return id;
  }

  const SearchSpace space = cube();

 private:
  std::unique_ptr<Strategy> search_;
};

TEST(IteratedLocalSearch, TriesTheNeighboursOfTheBestAndThenKicksIt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Climb climb(seed);
    const ConfigurationId first = climb.start(5.0);
    const ConfigurationId better = climb.ask();
    EXPECT_EQ(changes(climb.space, first, better), 1U);
    climb.tell(better, 4.0);
    int neighbours = 0;
    ConfigurationId id = climb.ask();
    for (; changes(climb.space, better, id) == 1; id = climb.ask(), ++neighbours) climb.tell(id, 6.0);
    // Twenty, of which the place before and what was sampled are known.
    EXPECT_NEAR(neighbours, 19, 1) << seed;
    EXPECT_GE(changes(climb.space, better, id), min_kick);
    EXPECT_LE(changes(climb.space, better, id), max_kick);
  }
}

TEST(IteratedLocalSearch, KicksTheBestOptimumNotTheLast) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Climb climb(seed);
    const ConfigurationId best = climb.start(1.0);
    const ConfigurationId worse = climb.after_neighbours(best, 3.0);
    climb.tell(worse, 2.0);
    const ConfigurationId next = climb.after_neighbours(worse, 4.0);
    EXPECT_LE(changes(climb.space, best, next), max_kick) << seed;
  }
}

TEST(IteratedLocalSearch, ABetterOptimumIsKickedFromThenOn) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Climb climb(seed);
    const ConfigurationId first = climb.start(3.0);
    const ConfigurationId better = climb.after_neighbours(first, 5.0);
    climb.tell(better, 2.0);
    const ConfigurationId next = climb.after_neighbours(better, 4.0);
    EXPECT_LE(changes(climb.space, better, next), max_kick) << seed;
  }
}

}  // namespace
}  // namespace tune::search
