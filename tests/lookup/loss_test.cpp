// SPDX-License-Identifier: Apache-2.0
// Tests the estimated loss of a configuration in another workload.
#include "lookup/src/loss.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Match;
using ::testing::HasSubstr;

WorkloadKey cube_key(std::int64_t n) {
  return sized({n, n, n});
}

TEST(LookupLoss, IsThatOfEachWinnerInTheOthers) {
  DatabaseSample sample;
  // The winner of each is measured in the other: 10 % and 30 % slower.
  sample.record(cube_key(64), {{1, 1.0e-3}, {2, 1.1e-3}});
  sample.record(cube_key(128), {{1, 2.6e-3}, {2, 2.0e-3}});
  const lookup::Candidate found = sample.best(query_of(cube_key(100)));
  ASSERT_EQ(found.match, Match::nearest_size);
  ASSERT_TRUE(found.loss.has_value());
  EXPECT_NEAR(found.loss->expected, 0.2, 1e-12);
  EXPECT_NEAR(found.loss->worst, 0.3, 1e-12);
  EXPECT_EQ(found.loss->pairs, 2);
  EXPECT_THAT(found.why, HasSubstr("expected to be 20 % slower than the best, 30 % at worst, by 2 pairs"));
}

TEST(LookupLoss, CountsOnlyWhatWasMeasuredThere) {
  DatabaseSample sample;
  sample.record(cube_key(64), {{1, 1.0e-3}});
  sample.record(cube_key(128), {{2, 2.0e-3}});
  EXPECT_FALSE(sample.best(query_of(cube_key(100))).loss.has_value());
  sample.record(cube_key(128), {{1, 0}});  // the winner of 64 fails there, which is not a loss
  EXPECT_FALSE(sample.best(query_of(cube_key(100))).loss.has_value());
  sample.record(cube_key(64), {{2, 1.5e-3}});
  const auto loss = sample.best(query_of(cube_key(100))).loss;
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->pairs, 1);
  EXPECT_NEAR(loss->expected, 0.5, 1e-12);
}

TEST(LookupLoss, IsNeverAGain) {
  DatabaseSample sample;
  sample.record(cube_key(64), {{1, 1.0e-3}, {2, 1.1e-3}}, {{1, 1.2e-3}});  // 2 is faster, and was not chosen
  sample.record(cube_key(128), {{2, 1.0e-3}});
  const auto loss = sample.best(query_of(cube_key(100))).loss;
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->expected, 0);
}

TEST(LookupLoss, PairsOfAnotherKindAreNoExample) {
  DatabaseSample sample;
  WorkloadKey stale = cube_key(64);
  stale.toolchain.source_hash = "old";
  WorkloadKey wide = cube_key(64);
  wide.instance.settings[2].second = 3;
  for (const WorkloadKey& key : {cube_key(64), stale, wide, on("Sibling", cube_key(64))})
    sample.record(key, {{1, 1e-3}, {2, 2e-3}});
  sample.record(cube_key(128), {{3, 1e-3}});
  EXPECT_FALSE(sample.best(query_of(cube_key(100))).loss.has_value());
}

TEST(LookupLoss, OfAnotherDeviceIsToldByPairsOfDevices) {
  DatabaseSample sample;
  sample.record(on("A", cube_key(64)), {{1, 1e-3}, {2, 2e-3}});
  sample.record(on("A", cube_key(128)), {{3, 1e-3}, {1, 9e-3}});
  sample.record(on("B", cube_key(64)), {{1, 1.5e-3}, {2, 1e-3}});
  const lookup::Candidate found = sample.best(query_of(cube_key(64)));
  ASSERT_EQ(found.match, Match::same_architecture);
  ASSERT_TRUE(found.loss.has_value());
  // 64 on A and B: 100 % and 50 %; A's 1 in B is none of other sizes; the winner at 128 was not measured
  // elsewhere.
  EXPECT_EQ(found.loss->pairs, 2);
  EXPECT_NEAR(found.loss->worst, 1, 1e-12);
}

TEST(LookupLoss, ComesFromThePairsThatAreAsFarApart) {
  DatabaseSample sample;
  // Near sizes lose 1 %, far ones 50 %: four of each kind are not enough to fill the sixteen, so many more.
  for (int i = 0; i < 6; ++i) {
    DatabaseSample::Times times;
    for (int j = 0; j < 6; ++j) times.emplace_back(j, j == i ? 1e-3 : 1.01e-3);
    for (int j = 6; j < 12; ++j) times.emplace_back(j, 1.5e-3);
    sample.record(cube_key(100 + i), times);
    times.clear();
    for (int j = 0; j < 6; ++j) times.emplace_back(j, 1.5e-3);
    for (int j = 6; j < 12; ++j) times.emplace_back(j, j == i + 6 ? 1e-3 : 1.01e-3);
    sample.record(cube_key(2000 + i), times);
  }
  const auto near = sample.best(query_of(cube_key(99))).loss;
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->pairs, 16);
  EXPECT_NEAR(near->worst, 0.01, 1e-9);
  const auto far = sample.best(query_of(cube_key(40000))).loss;
  ASSERT_TRUE(far.has_value());
  EXPECT_NEAR(far->expected, 0.5, 1e-9);
}

std::vector<lookup::RecordedWorkload> cubes(std::int64_t count) {
  std::vector<lookup::RecordedWorkload> workloads(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    lookup::RecordedWorkload& workload = workloads[static_cast<std::size_t>(i)];
    workload.extents = {16 + (i * 7919) % count, 16, 16};
    workload.device.model_key = "one";
  }
  return workloads;
}

TEST(LookupLoss, OfFewWorkloadsEveryPairIsTried) {
  const auto workloads = cubes(lookup::max_partners + 1);
  const auto pairs = lookup::pairs_of(workloads, Match::nearest_size, 1, nullptr);
  EXPECT_EQ(pairs.size(), workloads.size() * (workloads.size() - 1));
  EXPECT_TRUE(std::ranges::is_sorted(pairs, {}, &lookup::WorkloadPair::unlike));
}

// All pairs of these would be 900 million.
TEST(LookupLoss, OfManyWorkloadsEachHasABoundedNumberOfPartners) {
  const auto workloads = cubes(30'000);
  const auto pairs = lookup::pairs_of(workloads, Match::nearest_size, 1, nullptr);
  EXPECT_EQ(pairs.size(), workloads.size() * lookup::max_partners);
  std::map<const lookup::RecordedWorkload*, std::set<const lookup::RecordedWorkload*>> partners;
  double most_alike = 9;
  for (const lookup::WorkloadPair& pair : pairs) {
    EXPECT_TRUE(pair.from != pair.to && partners[pair.from].insert(pair.to).second);
    most_alike = std::min(most_alike, pair.unlike);
  }
  EXPECT_LT(most_alike, 1e-3) << "partners are spread over all distances";
}

}  // namespace
}  // namespace tune::testing
