// SPDX-License-Identifier: Apache-2.0
// Every strategy must be better than chance on landscapes with known optima.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"
#include "tests/support/sampled.hpp"

namespace tune::search::testing {
namespace {

/// A model takes milliseconds an evaluation, and needs fewer to show what it can.
std::uint64_t seeds_for(const StrategyEntry& entry) {
  return entry.estimates_gain ? 24 : 60;
}

struct Comparison {
  double gain = 0;   ///< mean score minus that of random search, seed by seed
  double error = 0;  ///< its standard error
  double mean = 0;
};

Comparison compare(const StrategyEntry& entry, Landscape (*make)(std::uint64_t), std::size_t budget,
                   std::size_t batch, std::uint64_t seeds) {
  double sum = 0;
  double squares = 0;
  double mean = 0;
  const auto count = static_cast<double>(seeds);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Landscape landscape = make(seed);
    const double score = best_score(*entry.make({landscape.space(), seed}), landscape, budget, batch);
    const double chance =
        best_score(*choose_strategy("random").make({landscape.space(), seed}), landscape, budget);
    mean += score / count;
    sum += score - chance;
    squares += (score - chance) * (score - chance);
  }
  const double gain = sum / count;
  return {gain, std::sqrt((squares / count - gain * gain) / (count - 1)), mean};
}

class Learning : public ::testing::TestWithParam<StrategyEntry> {
 protected:
  /// A third of a model's seeds by default, where its gain is large beside its spread.
  static std::uint64_t few_seeds() {
    const std::uint64_t all = seeds_for(GetParam());
    return GetParam().estimates_gain && !tune::testing::runs_all_cases() ? all / 3 : all;
  }
  /// Better than chance by three standard errors and by a margin that matters.
  void expect_better(Landscape (*make)(std::uint64_t), std::size_t batch = 1) const {
    expect_better(make, batch, few_seeds());
  }
  void expect_better(Landscape (*make)(std::uint64_t), std::size_t batch, std::uint64_t seeds) const {
    const Comparison found = compare(GetParam(), make, 120, batch, seeds);
    EXPECT_GT(found.gain, std::max(0.03, 3 * found.error)) << "error " << found.error;
  }
};

TEST_P(Learning, ClimbsAlongEachParameter) {
  expect_better(separable);
  EXPECT_GT(compare(GetParam(), separable, 200, 1, few_seeds() / 2).mean, 0.95);
}
TEST_P(Learning, FindsItsWayOverRuggedGround) {
  expect_better(rugged);
}
TEST_P(Learning, LearnsInBatches) {
  expect_better(separable, 8);
  expect_better(rugged, 8);
}
TEST_P(Learning, LearnsFromFailures) {
  expect_better(failing_region);
}
TEST_P(Learning, ComparesVariants) {
  expect_better(variants);
}
TEST_P(Learning, CrossesPlateaus) {
  expect_better(plateau, 1, seeds_for(GetParam()));
}

// Nothing to learn: it must neither cost more than the space has, nor take for ever.
TEST_P(Learning, FindsANeedleInTheEnd) {
  const Landscape landscape = needle(1);
  EXPECT_EQ(best_score(*GetParam().make({landscape.space(), 1}), landscape, landscape.space().size(), 64),
            1.0);
}

TEST_P(Learning, UsesWhatItIsTold) {
  const std::uint64_t seeds = few_seeds();
  double told = 0;
  double cold = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Landscape landscape = separable(seed);
    // Not the best, but within reach of it.
    std::vector<Observation> known;
    for (ConfigurationId id = 0; id < landscape.space().size() && known.size() < 60; id += 3) {
      const Observation observation = landscape.observe(id);
      const double score = landscape.score(*observation.cost);
      if (score > 0.7 && score < 0.85) known.push_back(observation);
    }
    const auto strategy = GetParam().make({landscape.space(), seed});
    strategy->tell(known);
    told += best_score(*strategy, landscape, 30);
    cold += best_score(*GetParam().make({landscape.space(), seed}), landscape, 30);
  }
  // A model needs no such help on a landscape like this one.
  EXPECT_GT(told / static_cast<double>(seeds), std::min(0.98, cold / static_cast<double>(seeds) + 0.05));
}

std::vector<StrategyEntry> learning_strategies() {
  std::vector<StrategyEntry> learning;
  for (const StrategyEntry& entry : strategies())
    if (entry.name != "random" && entry.name != "uniform" && entry.name != "grid") learning.push_back(entry);
  return learning;
}

INSTANTIATE_TEST_SUITE_P(All, Learning, ::testing::ValuesIn(learning_strategies()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Landscapes, AreTheSameForASeedAndDifferForOthers) {
  for (auto* make : {separable, rugged, needle, failing_region, variants, plateau}) {
    const Landscape one = make(1);
    const Landscape again = make(1);
    const Landscape other = make(2);
    bool differs = false;
    for (ConfigurationId id = 0; id < one.space().size(); ++id) {
      EXPECT_EQ(one.observe(id).cost, again.observe(id).cost);
      differs |= one.observe(id).cost != other.observe(id).cost;
    }
    EXPECT_TRUE(differs) << one.name();
  }
}

TEST(Landscapes, OptimaAreRareAndFailuresFrequentWhereTheyShouldBe) {
  for (auto* make : {separable, rugged, needle, failing_region, variants}) {
    const Landscape landscape = make(3);
    std::size_t close = 0;
    std::size_t failures = 0;
    for (ConfigurationId id = 0; id < landscape.space().size(); ++id) {
      const auto cost = landscape.observe(id).cost;
      if (!cost)
        ++failures;
      else if (landscape.score(*cost) > 0.95)
        ++close;
    }
    EXPECT_GE(close, 1U) << landscape.name();
    EXPECT_LE(close, landscape.space().size() / 200) << landscape.name();
    const double share = static_cast<double>(failures) / static_cast<double>(landscape.space().size());
    EXPECT_NEAR(share, landscape.name() == "failing region" ? 0.4 : 0.0, 0.1) << landscape.name();
  }
}

}  // namespace
}  // namespace tune::search::testing
