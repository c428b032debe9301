// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "lookup/src/portfolio.hpp"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

struct Covered {
  explicit Covered(DatabaseSample& sample, double bound)
      : connection(sample.database().connection().getHandle(), "sample"), records({&connection}, want()) {
    std::vector<const lookup::RecordedWorkload*> workloads;
    for (const lookup::RecordedWorkload& workload : records.workloads()) workloads.push_back(&workload);
    cover = lookup::cover(records, workloads, bound);
  }
  static lookup::Want want() {
    lookup::Want want;
    want.query.problem = "stencil3d";
    return want;
  }

  lookup::Connection connection;
  lookup::Records records;
  lookup::Cover cover;
};

WorkloadKey cube(std::int64_t n) {
  return sized({n, n, n});
}

TEST(LookupCover, OneThatIsGoodEnoughForAllIsEnough) {
  DatabaseSample sample;
  sample.record(cube(64), {{1, 1.00e-3}, {3, 1.04e-3}, {2, 2e-3}});
  sample.record(cube(128), {{2, 1.00e-3}, {3, 1.03e-3}, {1, 2e-3}});
  sample.record(cube(256), {{3, 1.00e-3}});
  const Covered five(sample, 0.05);
  ASSERT_EQ(five.cover.configurations.size(), 1U);
  EXPECT_TRUE(five.cover.exact);
  EXPECT_NE(five.cover.configurations[0].key.find("block_x=3,"), std::string::npos);
  ASSERT_EQ(five.cover.workloads.size(), 3U);
  EXPECT_NEAR(five.cover.workloads[0].loss, 0.04, 1e-12);
  EXPECT_NEAR(five.cover.workloads[1].loss, 0.03, 1e-12);
  EXPECT_EQ(five.cover.workloads[2].loss, 0);
  EXPECT_FALSE(five.cover.configurations[0].configuration.empty());
  EXPECT_EQ(Covered(sample, 0.035).cover.configurations.size(), 2U);
  EXPECT_EQ(Covered(sample, 0.0).cover.configurations.size(), 3U);
}

TEST(LookupCover, WhatWasNotMeasuredOrFailedServesNothing) {
  DatabaseSample sample;
  sample.record(cube(64), {{1, 1e-3}, {2, 0}});
  sample.record(cube(128), {{2, 1e-3}});
  sample.record(cube(256), {{1, 0}});  // nothing measured
  const Covered found(sample, 0.05);
  EXPECT_EQ(found.cover.configurations.size(), 2U);
  EXPECT_EQ(found.cover.workloads.size(), 2U);
}

/// By trying all sets of configurations.
std::size_t least_by_trial(const std::vector<std::vector<double>>& times, double bound) {
  const std::size_t workloads = times.size(), configurations = times[0].size();
  std::size_t min = configurations;
  for (unsigned set = 1; set < 1u << configurations; ++set) {
    bool all = true;
    for (std::size_t workload = 0; all && workload < workloads; ++workload) {
      double fastest = 1e300;
      for (const double time : times[workload]) fastest = std::min(fastest, time);
      bool served = false;
      for (std::size_t i = 0; i < configurations; ++i)
        served = served || ((set >> i & 1) != 0 && times[workload][i] <= fastest * (1 + bound));
      all = served;
    }
    if (all) min = std::min(min, static_cast<std::size_t>(std::popcount(set)));
  }
  return min;
}

class CoverProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(CoverProperty, NoSmallerSetWouldDo) {
  std::mt19937 random(GetParam());
  DatabaseSample sample;
  constexpr std::size_t workloads = 6, configurations = 9;
  std::vector<std::vector<double>> times(workloads, std::vector<double>(configurations));
  for (std::size_t workload = 0; workload < workloads; ++workload) {
    DatabaseSample::Times all;
    for (std::size_t i = 0; i < configurations; ++i) {
      times[workload][i] = 1e-3 * static_cast<double>(100 + random() % 12);
      all.emplace_back(static_cast<int>(i), times[workload][i]);
    }
    sample.record(cube(64 + static_cast<std::int64_t>(workload)), all);
  }
  for (const double bound : {0.0, 0.015, 0.035}) {
    const Covered found(sample, bound);
    EXPECT_EQ(found.cover.configurations.size(), least_by_trial(times, bound));
    for (const lookup::Cover::Served& one : found.cover.workloads) EXPECT_LE(one.loss, bound);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoverProperty, ::testing::Range(1u, 16u));

TEST(LookupCover, BeyondSixteenWorksItIsGreedyAndSaysSo) {
  DatabaseSample sample;
  for (int i = 0; i < 18; ++i) sample.record(cube(64 + i), {{i % 3, 1e-3}, {(i + 1) % 3, 2e-3}});
  const Covered found(sample, 0.05);
  EXPECT_FALSE(found.cover.exact);
  EXPECT_EQ(found.cover.configurations.size(), 3U);
  EXPECT_EQ(found.cover.workloads.size(), 18U);
}

}  // namespace
}  // namespace tune::testing
