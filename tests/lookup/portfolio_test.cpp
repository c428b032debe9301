// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/portfolio.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Match;
using ::testing::HasSubstr;

WorkloadKey old(std::int64_t n) {
  WorkloadKey key = on("Old", sized({n, n, n}));
  key.device.compute_major = 7;
  return key;
}

TEST(LookupPortfolio, IsTheSmallestWorstLossNotTheBestAnywhere) {
  DatabaseSample sample;
  sample.record(old(64), {{1, 1.0e-3}, {2, 3.0e-3}, {3, 1.2e-3}});
  sample.record(old(128), {{1, 3.0e-3}, {2, 1.0e-3}, {3, 1.1e-3}});
  const lookup::Candidate found = sample.best(query_of(example_key()));
  EXPECT_EQ(found.match, Match::portfolio);
  EXPECT_EQ(number_of(found), 3);
  ASSERT_TRUE(found.loss.has_value());
  EXPECT_NEAR(found.loss->worst, 0.2, 1e-12);
  EXPECT_NEAR(found.loss->expected, 0.15, 1e-12);
  EXPECT_EQ(found.loss->pairs, 2);
  EXPECT_THAT(found.why, HasSubstr("of other devices: 20 % at worst in 2 of 2 recorded workloads"));
}

TEST(LookupPortfolio, WhatFailedSomewhereIsNotTaken) {
  DatabaseSample sample;
  sample.record(old(64), {{1, 1.0e-3}, {2, 2.0e-3}});
  sample.record(old(128), {{1, 0}, {2, 2.0e-3}, {3, 1.0e-3}});
  EXPECT_EQ(number_of(sample.best(query_of(example_key()))), 2);
}

TEST(LookupPortfolio, WithoutOneThatIsKnownEverywhereTheWidestWinnerIsTaken) {
  DatabaseSample sample;
  sample.record(old(64), {{1, 1.0e-3}});
  sample.record(old(128), {{2, 1.0e-3}, {1, 2.0e-3}});
  sample.record(old(256), {{3, 1.0e-3}});
  const lookup::Candidate found = sample.best(query_of(example_key()));
  EXPECT_EQ(number_of(found), 1);
  EXPECT_THAT(found.why, HasSubstr("100 % at worst in 2 of 3 recorded workloads"));
}

TEST(LookupPortfolio, StaleWorksCountOnlyWhereThereAreNoOthers) {
  DatabaseSample sample;
  for (const std::int64_t n : {64, 96}) {
    WorkloadKey stale = old(n);
    stale.toolchain.source_hash = "old";
    sample.record(stale, {{1, 1.0e-3}});
  }
  EXPECT_EQ(number_of(sample.best(query_of(example_key()))), 1);
  sample.record(old(128), {{2, 1.0e-3}});
  EXPECT_EQ(number_of(sample.best(query_of(example_key()))), 2);
}

TEST(LookupPortfolio, ComesLastOfTheCandidatesAndOfThisArchitectureAlone) {
  DatabaseSample sample;
  sample.record(old(64), {{1, 1.0e-3}});
  sample.record(sized({64, 64, 64}), {{2, 1.0e-3}, {3, 2e-3}});
  const auto found = sample.open().candidates(query_of(example_key()), 100);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(number_of(found->at(0)), 2);
  EXPECT_EQ(number_of(found->at(1)), 3);
}

class PortfolioProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(PortfolioProperty, NoConfigurationHasASmallerWorstLoss) {
  std::mt19937 random(GetParam());
  DatabaseSample sample;
  constexpr int workloads = 4, configurations = 40;
  std::vector<std::vector<double>> times(workloads, std::vector<double>(configurations, -1));
  for (int workload = 0; workload < workloads; ++workload) {
    DatabaseSample::Times all;
    for (int i = 0; i < configurations; ++i) {
      if (random() % 3 == 0) continue;
      times[workload][i] = random() % 8 == 0 ? 0 : 1e-3 * static_cast<double>(10 + random() % 20);
      all.emplace_back(i, times[workload][i]);
    }
    sample.record(old(64 + workload), all);
  }
  double smallest = 1e300;
  for (int i = 0; i < configurations; ++i) {
    double worst = 0;
    for (int workload = 0; workload < workloads; ++workload) {
      double fastest = 1e300;
      for (const double time : times[workload])
        if (time > 0) fastest = std::min(fastest, time);
      worst = times[workload][i] > 0 ? std::max(worst, times[workload][i] / fastest - 1) : 1e300;
    }
    smallest = std::min(smallest, worst);
  }
  const lookup::Candidate found = sample.best(query_of(example_key()));
  ASSERT_TRUE(found.loss.has_value());
  if (smallest == 1e300) {  // none was measured everywhere
    EXPECT_LT(found.loss->pairs, workloads);
    return;
  }
  EXPECT_EQ(found.loss->pairs, workloads);
  EXPECT_NEAR(found.loss->worst, smallest, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PortfolioProperty, ::testing::Range(1u, 21u));

}  // namespace
}  // namespace tune::testing
