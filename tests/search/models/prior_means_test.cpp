// SPDX-License-Identifier: Apache-2.0
#include "search/models/prior_means.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

TEST(Slowdown, IsNothingAtTheBestAndRises) {
  EXPECT_EQ(slowdown(2e-3, 2e-3), 0);
  double before = 0;
  for (double cost = 1.001; cost < 1e6; cost *= 1.3) {
    EXPECT_GT(slowdown(cost, 1), before);
    EXPECT_NEAR(slowdown(7 * cost, 7), slowdown(cost, 1), 1e-12) << "whatever the unit";
    before = slowdown(cost, 1);
  }
}

TEST(Slowdown, IsTheLogarithmNearTheBestAndFlatFarFromIt) {
  for (const double cost : {1.001, 1.01, 1.02})
    EXPECT_NEAR(slowdown(cost, 1) / std::log(cost), 1, 2 * std::log(cost));
  EXPECT_LT(slowdown(1e6, 1), 0.15 * std::log(1e6));
  EXPECT_NEAR(slowdown(std::exp(0.5), 1), 0.5 * std::log(2.0), 1e-12);
}

// Returns the sum of the prior means of a block with this many threads.
double prior_mean_at(int threads) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {threads}, threads, std::nullopt, Role::threads}};
  const SearchSpace space(definition);
  const Encoding encoding(space);
  double sum = 0;
  for (const auto& prior_mean : launch_prior_means(encoding)) {
    EXPECT_GT(prior_mean->weight().weight, 0);
    EXPECT_GT(prior_mean->weight().spread, 0);
    EXPECT_GE(prior_mean->at(0), 0);
    sum += prior_mean->weight().weight * prior_mean->at(0);
  }
  return sum;
}

TEST(LaunchPriorMeans, AreNoneWithoutThreads) {
  const Landscape landscape = separable(1);
  EXPECT_TRUE(launch_prior_means(Encoding(landscape.space())).empty());
}

TEST(LaunchPriorMeans, LikeBlocksOfWholeWarps) {
  for (const int threads : {128, 256, 512}) EXPECT_EQ(prior_mean_at(threads), 0) << threads;
  EXPECT_GT(prior_mean_at(33), prior_mean_at(64));
  EXPECT_GT(prior_mean_at(33), 0.7 * std::log(64.0 / 33)) << "nearly half of the lanes idle";
  EXPECT_GT(prior_mean_at(129), prior_mean_at(160));
  EXPECT_GT(prior_mean_at(160), prior_mean_at(128));
  EXPECT_GT(prior_mean_at(16), prior_mean_at(32));
  EXPECT_GT(prior_mean_at(32), prior_mean_at(64));
  EXPECT_GT(prior_mean_at(1024), prior_mean_at(512));
  EXPECT_GT(prior_mean_at(1), prior_mean_at(8));
}

/// Returns a record of every n-th configuration, at random; another machine's times.
RelatedRecord sampled(const Landscape& landscape, std::size_t count, std::uint64_t seed) {
  RelatedRecord record;
  Random random(seed);
  std::unordered_set<ConfigurationId> chosen;
  while (chosen.size() < count) {
    Observation one = landscape.observe(landscape.space().sample(random));
    if (!chosen.insert(one.id).second) continue;
    if (one.cost) one.cost = 3 * *one.cost;
    record.observations.push_back(one);
  }
  return record;
}

double min_cost(const RelatedRecord& record) {
  double min = std::numeric_limits<double>::infinity();
  for (const Observation& one : record.observations) min = std::min(min, one.cost.value_or(min));
  return min;
}

TEST(TransferPriorMean, ReturnsWhatWasRecorded) {
  const Landscape landscape = separable(2);
  const Encoding encoding(landscape.space());
  const RelatedRecord record = sampled(landscape, 150, 1);
  const auto prior_mean = transfer_prior_mean(encoding, record, 1);
  ASSERT_NE(prior_mean, nullptr);
  for (const Observation& one : record.observations)
    EXPECT_NEAR(prior_mean->at(one.id), slowdown(*one.cost, min_cost(record)), 1e-12);
}

TEST(TransferPriorMean, ExpectsTheMedianWhereTheRecordFailed) {
  const Landscape landscape = separable(2);
  const Encoding encoding(landscape.space());
  RelatedRecord record;
  for (const double cost : {4.0, 1.0, 2.0}) record.observations.push_back({record.observations.size(), cost});
  record.observations.push_back({17, std::nullopt});
  EXPECT_NEAR(transfer_prior_mean(encoding, record, 1)->at(17), slowdown(2, 1), 1e-12);
}

// Compares the slowdowns that the record does not have.
double correlation(const Landscape& landscape, const PriorMean& prior_mean, const RelatedRecord& record) {
  std::unordered_set<ConfigurationId> known;
  for (const Observation& one : record.observations) known.insert(one.id);
  std::vector<double> prior_mean_at, true_ones;
  for (ConfigurationId id = 0; id < landscape.space().size(); id += 7) {
    if (known.contains(id)) continue;
    prior_mean_at.push_back(prior_mean.at(id));
    true_ones.push_back(slowdown(*landscape.observe(id).cost, landscape.optimum()));
  }
  const auto as_array = [](const std::vector<double>& values) {
    return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  };
  const Eigen::ArrayXd a = as_array(prior_mean_at) - as_array(prior_mean_at).mean();
  const Eigen::ArrayXd b = as_array(true_ones) - as_array(true_ones).mean();
  return (a * b).sum() / std::sqrt(a.square().sum() * b.square().sum());
}

TEST(TransferPriorMean, InterpolatesElsewhere) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Landscape landscape = separable(seed);
    const Encoding encoding(landscape.space());
    const RelatedRecord record = sampled(landscape, 150, seed);
    EXPECT_GT(correlation(landscape, *transfer_prior_mean(encoding, record, 1), record), 0.8) << seed;
  }
}

// More than the process looks at: it must look at the slow ones too.
TEST(TransferPriorMean, InterpolatesALongRecord) {
  const Landscape landscape = separable(5);
  const Encoding encoding(landscape.space());
  const RelatedRecord record = sampled(landscape, 3000, 5);
  EXPECT_GT(correlation(landscape, *transfer_prior_mean(encoding, record, 1), record), 0.8);
}

TEST(TransferPriorMean, NeedsThreeSuccesses) {
  const Landscape landscape = separable(1);
  const Encoding encoding(landscape.space());
  RelatedRecord record;
  EXPECT_EQ(transfer_prior_mean(encoding, record, 1), nullptr);
  record.observations = {{0, 1.0}, {1, std::nullopt}, {2, 1.0}, {3, std::nullopt}};
  EXPECT_EQ(transfer_prior_mean(encoding, record, 1), nullptr);
  record.observations.push_back({4, 1.0});
  const auto prior_mean = transfer_prior_mean(encoding, record, 1);
  ASSERT_NE(prior_mean, nullptr);
  EXPECT_NEAR(prior_mean->at(landscape.space().size() - 1), 0, 1e-9) << "equal costs say nothing";
}

TEST(TransferPriorMean, WeighsItsShare) {
  const Landscape landscape = separable(1);
  const Encoding encoding(landscape.space());
  const RelatedRecord record = sampled(landscape, 5, 1);
  const WeightPrior whole = transfer_prior_mean(encoding, record, 1)->weight();
  const WeightPrior half = transfer_prior_mean(encoding, record, 0.5)->weight();
  EXPECT_GT(whole.weight, 0.5);
  EXPECT_LE(whole.weight, 1);
  EXPECT_DOUBLE_EQ(half.weight, whole.weight / 2);
  EXPECT_DOUBLE_EQ(half.spread, whole.spread / 2);
}

TEST(BestApart, TakesTheBestThatDifferInTwoParameters) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {0, 1, 2, 3}, 0}, {"y", "", {0, 1, 2, 3}, 0}};
  const SearchSpace space(definition);  // number 4 x + y
  RelatedRecord record;
  record.observations = {{5, 3.0}, {1, 1.5}, {0, 1.0}, {2, std::nullopt}, {4, 2.0}, {10, 4.0}, {15, 5.0}};
  EXPECT_EQ(best_apart(space, record, 4), (std::vector<ConfigurationId>{0, 5, 10, 15}));
  EXPECT_EQ(best_apart(space, record, 2), (std::vector<ConfigurationId>{0, 5}));
  EXPECT_TRUE(best_apart(space, record, 0).empty());
  EXPECT_TRUE(best_apart(space, {{{3, std::nullopt}}}, 4).empty());
}

TEST(BestApart, DecidesEqualCostsByNumber) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {0, 1, 2, 3}, 0}, {"y", "", {0, 1, 2, 3}, 0}};
  const SearchSpace space(definition);
  EXPECT_EQ(best_apart(space, {{{10, 1.0}, {5, 1.0}}}, 1), (std::vector<ConfigurationId>{5}));
}

}  // namespace
}  // namespace tune::search::testing
