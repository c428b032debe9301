// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/scores.hpp"

#include <gtest/gtest.h>

#include "tests/tuner/replay/spaces.hpp"

namespace tune::testing {
namespace {

using replay::Baseline;
using replay::OutcomeTable;
using replay::RandomCurve;
using replay::Scores;
using replay::Trace;

/// Evaluations of these costs, in this order.
Trace trace_of(const Costs& costs, double seconds = 0) {
  Trace trace;
  for (std::size_t i = 0; i < costs.size(); ++i) trace.evaluations.push_back({i, costs[i]});
  trace.strategy_seconds = seconds;
  return trace;
}

OutcomeTable scored_table(const Costs& costs) {
  const replay::RecordedSpace line = recorded_line(costs);
  return {line.space, line.evaluations};
}

TEST(Scores, SharesAfterEachBudget) {
  const OutcomeTable table = scored_table({1.0, 2.0, 4.0, 5.0, std::nullopt});
  const Baseline baseline(table, 4);
  const std::vector<std::uint64_t> budgets = {1, 2, 4};
  const std::vector<Trace> repeats = {trace_of({std::nullopt, 4.0, 2.0, 5.0}), trace_of({2.0, 4.0, 1.0, 5.0}),
                                      trace_of({4.0, 5.0})};  // its space is at an end
  const Scores scores = replay::scores_of(repeats, table, baseline, budgets);
  ASSERT_EQ(scores.share.size(), 3U);
  EXPECT_DOUBLE_EQ(scores.share[0].mean, (0 + 0.5 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(scores.share[0].lower, 0.125);
  EXPECT_DOUBLE_EQ(scores.share[0].upper, 0.375);
  EXPECT_DOUBLE_EQ(scores.share[1].mean, (0.25 + 0.5 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(scores.share[2].mean, (0.5 + 1 + 0.25) / 3);
}

/// The same, and what each evaluation took.
OutcomeTable timed_table(const Costs& costs, const std::vector<double>& seconds) {
  replay::RecordedSpace line = recorded_line(costs);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    line.evaluations[i].phases = {seconds[i] / 2, seconds[i] / 8, seconds[i] / 8, seconds[i] / 4, 99};
  return {line.space, line.evaluations};
}

// An evaluation takes 2 s on average.
TEST(Scores, SharesAfterTheTimeOfSoManyEvaluations) {
  const OutcomeTable table = timed_table({1.0, 2.0, 4.0, std::nullopt}, {4, 2, 1, 1});
  EXPECT_DOUBLE_EQ(table.seconds_each(), 2);
  const Baseline baseline(table, 4);
  const std::vector<std::uint64_t> budgets = {1, 2, 3};
  Trace first, second, short_one;
  first.evaluations = {{3, std::nullopt}, {2, 4.0}, {0, 1.0}, {1, 2.0}};  // at 1, 2, 6 and 8 s
  second.evaluations = {{0, 1.0}, {1, 2.0}};                              // at 4 and 6
  short_one.evaluations = {{2, 4.0}};                                     // at 1, and none after it
  const Scores scores = replay::scores_of(std::vector{first, second, short_one}, table, baseline, budgets);
  ASSERT_EQ(scores.share_by_time.size(), 3U);
  EXPECT_DOUBLE_EQ(scores.share_by_time[0].mean, (0.25 + 0 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(scores.share_by_time[1].mean, (0.25 + 1 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(scores.share_by_time[2].mean, (1 + 1 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(scores.share[0].mean, (0 + 1 + 0.25) / 3) << "by evaluations";
  EXPECT_TRUE(replay::scores_of_random(table, baseline, budgets).share_by_time.empty());
  // A mean is of all or of none.
  EXPECT_EQ(replay::mean_of(std::vector{scores, scores}).share_by_time[1].mean, scores.share_by_time[1].mean);
  const OutcomeTable untimed = scored_table({1.0, 2.0, 4.0, std::nullopt});
  const Scores other = replay::scores_of(std::vector{first}, untimed, baseline, budgets);
  EXPECT_TRUE(other.share_by_time.empty());
  EXPECT_TRUE(replay::mean_of(std::vector{scores, other}).share_by_time.empty());
}

TEST(Scores, EvaluationsToComeNearCountMissesAsTheLargestBudget) {
  const OutcomeTable table = scored_table({1.0, 1.04, 1.2, 1.3, 2.0, 3.0});
  const Baseline baseline(table, 4);
  const std::vector<std::uint64_t> budgets = {2, 4};
  const std::vector<Trace> repeats = {trace_of({1.2, 1.04, 1.0}), trace_of({2.0, 3.0, 1.3, 1.2}),
                                      trace_of({2.0, 1.3, 1.2, 1.04}),
                                      trace_of({2.0, 1.3, 1.2, 3.0, 1.0})};  // found after the budget
  const Scores scores = replay::scores_of(repeats, table, baseline, budgets);
  EXPECT_DOUBLE_EQ(scores.within_5.evaluations, (2 + 4 + 4 + 4) / 4.0);
  EXPECT_DOUBLE_EQ(scores.within_5.missed, 0.5);  // the third came there with its last evaluation
  EXPECT_DOUBLE_EQ(scores.within_1.evaluations, (3 + 4 + 4 + 4) / 4.0);
  EXPECT_DOUBLE_EQ(scores.within_1.missed, 0.75);
}

TEST(Scores, OwnTimeIsThatOfAllEvaluations) {
  const OutcomeTable table = scored_table({1.0, 2.0, 3.0});
  const Baseline baseline(table, 2);
  const std::vector<std::uint64_t> budgets = {2};
  const std::vector<Trace> repeats = {trace_of({1.0, 2.0}, 0.5), trace_of({3.0}, 0.4)};
  EXPECT_DOUBLE_EQ(*replay::scores_of(repeats, table, baseline, budgets).seconds, 0.3);
}

// By hand: times 1, 2, 3, 4. Random search: 2.5 after one evaluation, 5/3 after two, 5/4 after three, 1 after
// four. Median 2.5, so that the comparison ends where 1.075 is reached: after four evaluations, the last of
// which has no distance left.
TEST(Scores, AggregateByHand) {
  const OutcomeTable table = scored_table({3.0, 1.0, 4.0, 2.0});
  const Baseline baseline(table, 10);
  EXPECT_EQ(baseline.cutoff_evaluations(), 4U);
  EXPECT_NEAR(*baseline.score(std::vector<double>{2, 2, 1, 1}),
              ((2.5 - 2) / 1.5 + (5.0 / 3 - 2) / (2.0 / 3) + (1.25 - 1) / 0.25) / 3, 1e-12);
  EXPECT_NEAR(*baseline.score(std::vector<double>{1}), 1, 1e-12);  // the optimum at once
  EXPECT_NEAR(*baseline.score(std::vector<double>{2.5, 5.0 / 3, 1.25, 1}), 0, 1e-12);
  // A smaller budget ends it earlier.
  EXPECT_NEAR(*Baseline(table, 2).score(std::vector<double>{2, 2, 1, 1}),
              ((2.5 - 2) / 1.5 + (5.0 / 3 - 2) / (2.0 / 3)) / 2, 1e-12);
}

// Of the times 1 .. 20 random search expects 21 / (n + 1) after n evaluations. 95 % of the way from the
// median 10.5 to 1 is 1.475, reached with 14.
TEST(Scores, TheComparisonEndsWhereRandomSearchIsNearlyThere) {
  Costs costs;
  for (int i = 1; i <= 20; ++i) costs.push_back(i);
  const OutcomeTable table = scored_table(costs);
  EXPECT_EQ(Baseline(table, 5).cutoff_evaluations(), 14U);
  EXPECT_NEAR(RandomCurve(table).expected_best(14), 1.4, 1e-12);
}

TEST(Scores, AggregateTakesTheMeanOfTheRepeatsAndTheWorstTimeForNothing) {
  const OutcomeTable table = scored_table({1.0, 2.0, std::nullopt, 4.0});
  const Baseline baseline(table, 3);
  const std::vector<std::uint64_t> budgets = {3};
  // Times of random search: 11/4 after one (a failure counts as 4), then both draws of six pairs.
  const double one = (1 + 2 + 4 + 4) / 4.0, two = (1 + 1 + 1 + 2 + 2 + 4) / 6.0,
               three = (1 + 1 + 1 + 2) / 4.0;
  const std::vector<Trace> repeats = {trace_of({std::nullopt, 2.0, 4.0}), trace_of({2.0, 1.0, 4.0})};
  const double best_one = 3, best_two = 1.5, best_three = 1.5;
  EXPECT_NEAR(
      *replay::scores_of(repeats, table, baseline, budgets).score,
      ((one - best_one) / (one - 1) + (two - best_two) / (two - 1) + (three - best_three) / (three - 1)) / 3,
      1e-12);
}

TEST(Scores, ASearchThatEndedKeepsItsBest) {
  const OutcomeTable table = scored_table({1.0, 2.0, 3.0, 4.0});
  const Baseline baseline(table, 3);
  const std::vector<std::uint64_t> budgets = {3};
  const std::vector<Trace> repeats = {trace_of({4.0, 2.0}), trace_of({4.0, 2.0, 2.0}), trace_of({})};
  const double nothing = 4;
  const std::vector<double> best = {(4 + 4 + nothing) / 3, (2 + 2 + nothing) / 3, (2 + 2 + nothing) / 3};
  EXPECT_NEAR(*replay::scores_of(repeats, table, baseline, budgets).score, *baseline.score(best), 1e-12);
}

TEST(Scores, EqualTimesHaveNoAggregate) {
  const OutcomeTable table = scored_table({2.0, 2.0, 2.0});
  EXPECT_FALSE(Baseline(table, 3).score(std::vector<double>{2, 2, 2}));
}

TEST(Scores, RandomSearchHasTheScoreNought) {
  const OutcomeTable table = scored_table({1.0, 2.0, std::nullopt, 4.0, 1.01, 7.0, std::nullopt});
  const std::vector<std::uint64_t> budgets = {1, 3, 5};
  const Scores scores = replay::scores_of_random(table, Baseline(table, 5), budgets);
  EXPECT_NEAR(*scores.score, 0, 1e-12);
  EXPECT_FALSE(scores.seconds);
  EXPECT_DOUBLE_EQ(scores.share[0].mean, (1 + 0.5 + 0.25 + 1 / 1.01 + 1 / 7.0) / 7);
  EXPECT_DOUBLE_EQ(scores.within_5.missed, (2 / 7.0) * (1 / 6.0));  // five of seven, none of the best two
}

TEST(Scores, MeansCountEverySpaceTheSame) {
  Scores a, b;
  a.share = {{0.5, 0.4, 0.6}};
  b.share = {{1.0, 0.8, 1.0}};
  a.within_5 = {10, 0};
  b.within_5 = {400, 1};
  a.score = 0.5;  // b has none
  a.seconds = 1;
  b.seconds = 3;
  const std::vector<Scores> both = {a, b};
  const Scores mean = replay::mean_of(both);
  EXPECT_DOUBLE_EQ(mean.share[0].mean, 0.75);
  EXPECT_DOUBLE_EQ(mean.share[0].lower, 0.6);
  EXPECT_DOUBLE_EQ(mean.share[0].upper, 0.8);
  EXPECT_DOUBLE_EQ(mean.within_5.evaluations, 205);
  EXPECT_DOUBLE_EQ(mean.within_5.missed, 0.5);
  EXPECT_DOUBLE_EQ(*mean.score, 0.5);
  EXPECT_DOUBLE_EQ(*mean.seconds, 2);
}

}  // namespace
}  // namespace tune::testing
