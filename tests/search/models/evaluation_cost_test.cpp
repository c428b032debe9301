// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "search/models/surrogate.hpp"
#include "search/strategies/model_search.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

/// 64 configurations: what is tried matters little, but one value of `how` takes ten times as long.
SpaceDefinition powers() {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {1, 2, 4, 8, 16, 32, 64, 128}, 1},
                           {"y", "", {1, 3, 5, 7}, 1},
                           {"how", "", {"quick", "slow"}, "quick"}};
  return definition;
}

double seconds_of(const SearchSpace& space, ConfigurationId id) {
  return (space.value_indices(id)[2] == 1 ? 10.0 : 1.0) * (1 + 0.1 * space.value_indices(id)[0]);
}

Evidence evidence_of(const SearchSpace& space, const Encoding& encoding, std::size_t step, bool timed) {
  Evidence evidence(space.size());
  for (ConfigurationId id = 0; id < space.size(); id += step)
    evidence.add({id, encoding.encode(id), 1e-3, timed ? seconds_of(space, id) : 0});
  return evidence;
}

TEST(EvaluationCost, IsLearnedFromSomeForAll) {
  const SearchSpace space(powers());
  const Encoding encoding(space);
  EvaluationCost cost(encoding, 1);
  cost.learn(evidence_of(space, encoding, 3, true));
  for (ConfigurationId id = 0; id + 1 < space.size(); id += 2) {  // the last parameter alone differs
    const double ratio = cost.cost_weight(encoding.encode(id)) / cost.cost_weight(encoding.encode(id + 1));
    EXPECT_GT(ratio, 4) << id;
    EXPECT_LT(ratio, 12) << id;
  }
}

TEST(EvaluationCost, AFewResultsSayLittleAndNoneNothing) {
  const SearchSpace space(powers());
  const Encoding encoding(space);
  EvaluationCost cost(encoding, 1);
  cost.learn(evidence_of(space, encoding, 1, false));
  for (ConfigurationId id = 0; id < space.size(); ++id)
    EXPECT_EQ(cost.cost_weight(encoding.encode(id)), 1) << id;
  cost.learn(evidence_of(space, encoding, 33, true));  // one of either kind
  const double ratio = cost.cost_weight(encoding.encode(2)) / cost.cost_weight(encoding.encode(3));
  EXPECT_GT(ratio, 1.2);
  EXPECT_LT(ratio, 4);
}

TEST(EvaluationCost, TheExponentSaysHowMuchItCounts) {
  const SearchSpace space(powers());
  const Encoding encoding(space);
  EvaluationCost whole(encoding, 1), half(encoding, 0.5);
  const Evidence evidence = evidence_of(space, encoding, 3, true);
  whole.learn(evidence);
  half.learn(evidence);
  for (ConfigurationId id = 0; id < space.size(); id += 5)
    EXPECT_NEAR(half.cost_weight(encoding.encode(id)), std::sqrt(whole.cost_weight(encoding.encode(id))),
                1e-12);
}

/// Seconds that the first 24 evaluations take where nothing can be learned of the times.
double spent(double exponent, std::uint64_t seed) {
  const SearchSpace space(powers());
  ModelOptions options;
  options.cost = exponent;
  ModelSearch search({space, seed}, options);
  double sum = 0;
  for (int i = 0; i < 24; ++i) {
    const ConfigurationId id = search.ask(1).at(0);
    const double cost = 1e-3 * (1 + 0.01 * static_cast<double>(id * 2654435761U / 128 % 23));
    search.tell(std::vector{Observation{id, cost, seconds_of(space, id)}});
    sum += seconds_of(space, id);
  }
  return sum;
}

TEST(EvaluationCost, ASearchThatWeighsItTriesWhatIsQuick) {
  double weighed = 0, usual = 0;  // the ratio is 0.88; that of ten seeds differs by 0.1
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    weighed += spent(1, seed);
    usual += spent(0, seed);
  }
  EXPECT_LT(weighed, 0.95 * usual);
}

}  // namespace
}  // namespace tune::search::testing
