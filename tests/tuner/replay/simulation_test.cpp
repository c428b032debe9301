// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/replay/spaces.hpp"

namespace tune::testing {
namespace {

using replay::OutcomeTable;
using replay::Trace;

const Costs costs = {3.0, std::nullopt, 1.0, 2.0};

Trace run(const OutcomeTable& table, std::vector<search::ConfigurationId> order, std::uint64_t evaluations,
          std::uint64_t batch = 1) {
  const replay::RecordedSpace line = recorded_line(Costs(table.size(), 1.0));
  return replay::simulate({line.space}, table, scripted(std::move(order)),
                          {.evaluations = evaluations, .batch = batch});
}

OutcomeTable table() {
  const replay::RecordedSpace line = recorded_line(costs);
  return OutcomeTable(line.space, line.evaluations);
}

std::vector<search::ConfigurationId> ids_of(const Trace& trace) {
  std::vector<search::ConfigurationId> ids;
  for (const search::Observation& one : trace.evaluations) ids.push_back(one.id);
  return ids;
}

TEST(Simulation, FailuresCountAndTheBestSoFarIgnoresThem) {
  const Trace trace = run(table(), {1, 0, 3, 2}, 4);
  EXPECT_EQ(ids_of(trace), (std::vector<search::ConfigurationId>{1, 0, 3, 2}));
  EXPECT_FALSE(trace.evaluations[0].cost);
  EXPECT_EQ(trace.best_so_far(99), (std::vector<double>{99, 3, 2, 1}));
}

TEST(Simulation, EndsAtTheBudgetOrWhereNothingIsLeft) {
  EXPECT_EQ(ids_of(run(table(), {1, 0, 3, 2}, 2)), (std::vector<search::ConfigurationId>{1, 0}));
  EXPECT_EQ(ids_of(run(table(), {1, 0, 3, 2}, 100)).size(), 4U);
  EXPECT_EQ(ids_of(run(table(), {}, 100)).size(), 0U);
}

TEST(Simulation, WhatTheRecordingLacksIsNeitherToldNorCounted) {
  const OutcomeTable partly({{true, 3.0}, {}, {true, 1.0}, {}});
  const replay::RecordedSpace line = recorded_line(costs);
  std::vector<search::Observation> told;
  const Trace trace = replay::simulate(
      {line.space}, partly,
      [&](const search::SearchTask&) {
        struct Watched : Scripted {
          Watched(std::vector<search::Observation>& out) : Scripted({1, 0, 3, 2}), out_(out) {}
          ~Watched() override { out_ = told; }
          std::vector<search::Observation>& out_;
        };
        return std::make_unique<Watched>(told);
      },
      {.evaluations = 2});
  EXPECT_EQ(ids_of(trace), (std::vector<search::ConfigurationId>{0, 2}));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].id, 0U);
  EXPECT_EQ(told[1].cost, 1.0);
}

TEST(Simulation, GoesOnUntilItsSecondsAreOverAndTellsThem) {
  const OutcomeTable timed({{true, 3.0, 10}, {true, std::nullopt, 2}, {true, 1.0, 4}, {true, 2.0, 1}});
  const replay::RecordedSpace line = recorded_line(costs);
  const auto after = [&](std::uint64_t evaluations, double seconds) {
    return replay::simulate({line.space}, timed, scripted({1, 0, 3, 2}),
                            {.evaluations = evaluations, .seconds = seconds});
  };
  EXPECT_EQ(ids_of(after(1, 0)).size(), 1U);
  EXPECT_EQ(ids_of(after(1, 2)).size(), 1U);
  EXPECT_EQ(ids_of(after(1, 2.5)).size(), 2U) << "the second is made, though it ends after that";
  EXPECT_EQ(ids_of(after(1, 12.5)).size(), 3U);
  EXPECT_EQ(ids_of(after(1, 1e9)).size(), 4U) << "nothing is left";
  EXPECT_EQ(ids_of(after(3, 1)).size(), 3U) << "both budgets have to be used up";
  const Trace trace = after(4, 0);
  EXPECT_EQ(trace.evaluations[0].seconds, 2) << "a failure takes its time, too";
  EXPECT_EQ(trace.evaluations[1].seconds, 10);
}

TEST(Simulation, AsksForBatchesButNeverBeyondTheBudgetOrTheStrategysLimit) {
  const replay::RecordedSpace line = recorded_line(Costs(10, 1.0));
  const OutcomeTable all(line.space, line.evaluations);
  std::vector<std::size_t> asked;
  struct Watched : Scripted {
    Watched(std::vector<std::size_t>& out, std::size_t limit)
        : Scripted({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), out_(out) {
      max = limit;
    }
    ~Watched() override { out_ = Scripted::asked; }
    std::vector<std::size_t>& out_;
  };
  const auto simulate = [&](std::size_t limit, std::uint64_t batch) {
    replay::simulate({line.space}, all,
                     [&](const search::SearchTask&) { return std::make_unique<Watched>(asked, limit); },
                     {.evaluations = 7, .batch = batch});
    return asked;
  };
  EXPECT_EQ(simulate(1000, 3), (std::vector<std::size_t>{3, 3, 1}));
  EXPECT_EQ(simulate(2, 3), (std::vector<std::size_t>{2, 2, 2, 1}));
  EXPECT_EQ(simulate(1000, 100), (std::vector<std::size_t>{7}));
}

// The choice after k results is made when k + 1 - 3 are known.
TEST(Simulation, KeepsConfigurationsInFlight) {
  const replay::RecordedSpace line = recorded_line(Costs(10, 1.0));
  const OutcomeTable all(line.space, line.evaluations);
  struct Noting : Scripted {
    explicit Noting(std::vector<std::size_t>& known, std::size_t limit)
        : Scripted({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), known_(known) {
      max = limit;
    }
    std::vector<search::ConfigurationId> ask(std::size_t count) override {
      known_.push_back(results_);
      return Scripted::ask(count);
    }
    void tell(std::span<const search::Observation> observations) override { results_ += observations.size(); }
    std::vector<std::size_t>& known_;
    std::size_t results_ = 0;
  };
  const auto known = [&](std::size_t limit, std::uint64_t in_flight) {
    std::vector<std::size_t> counts;
    const Trace trace = replay::simulate(
        {line.space}, all, [&](const search::SearchTask&) { return std::make_unique<Noting>(counts, limit); },
        {.evaluations = 7, .in_flight = in_flight});
    EXPECT_EQ(ids_of(trace), (std::vector<search::ConfigurationId>{0, 1, 2, 3, 4, 5, 6}));
    return counts;
  };
  EXPECT_EQ(known(1000, 3), (std::vector<std::size_t>{0, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(known(2, 3), (std::vector<std::size_t>{0, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(known(1000, 1), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
}

/// Configurations that compile for 10 s and take the device 1 s.
OutcomeTable slow_compiles(std::size_t count) {
  return OutcomeTable(std::vector<replay::Outcome>(count, {true, 1.0, 11, 10}));
}

TEST(Simulation, CompilersWorkBesideTheDevice) {
  const replay::RecordedSpace line = recorded_line(Costs(12, 1.0));
  const OutcomeTable slow = slow_compiles(12);
  const auto ended = [&](unsigned compilers) {
    return replay::simulate({line.space}, slow, scripted({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                            {.evaluations = 12, .compilers = compilers})
        .ended;
  };
  const std::vector<double> one = ended(1);
  ASSERT_EQ(one.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(one[i], 10.0 * static_cast<double>(i + 1) + 1, 1e-6);
  const std::vector<double> four = ended(4);
  // Four are ready at 10, 20 and 30 s: the device then takes one after the other.
  EXPECT_NEAR(four[0], 11, 1e-6);
  EXPECT_NEAR(four[3], 14, 1e-6);
  EXPECT_NEAR(four[4], 21, 1e-6);
  EXPECT_NEAR(four[11], 34, 1e-6);
}

TEST(Simulation, ARunTellsOneResultAtATimeAndEndsWithItsBudgets) {
  const replay::RecordedSpace line = recorded_line(Costs(12, 1.0));
  const OutcomeTable slow = slow_compiles(12);
  const auto count = [&](std::uint64_t evaluations, double seconds) {
    const Trace trace = replay::simulate({line.space}, slow, scripted({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                                         {.evaluations = evaluations, .compilers = 4, .seconds = seconds});
    EXPECT_EQ(trace.evaluations.size(), trace.ended.size());
    EXPECT_TRUE(std::ranges::is_sorted(trace.ended));
    return trace.evaluations.size();
  };
  EXPECT_EQ(count(3, 0), 3U);
  EXPECT_EQ(count(1, 21), 5U) << "both budgets have to be used up";
  EXPECT_EQ(count(100, 1e9), 12U) << "nothing is left";
}

// One that compiles for long is overtaken, as on a device.
TEST(Simulation, ARunDoesNotWaitForOneThatCompilesForLong) {
  const replay::RecordedSpace line = recorded_line(costs);
  const OutcomeTable mixed(
      {{true, 3.0, 60, 50}, {true, std::nullopt, 1, 1}, {true, 1.0, 2, 1}, {true, 2.0, 2, 1}});
  const Trace trace =
      replay::simulate({line.space}, mixed, scripted({0, 1, 2, 3}), {.evaluations = 4, .compilers = 2});
  EXPECT_EQ(ids_of(trace), (std::vector<search::ConfigurationId>{1, 2, 3, 0}));
  EXPECT_DOUBLE_EQ(trace.ended.front(), 1) << "a failure needs no device";
  EXPECT_FALSE(trace.evaluations.front().cost);
}

TEST(Simulation, AStrategyThatRepeatsItselfIsAnError) {
  EXPECT_THROW(run(table(), {1, 0, 1}, 4), std::logic_error);
  EXPECT_THROW(run(table(), {7}, 4), std::out_of_range);
}

TEST(Simulation, TimesTheStrategyAlone) {
  struct Slow : Scripted {
    Slow() : Scripted({0, 1, 2, 3}) {}
    std::vector<search::ConfigurationId> ask(std::size_t count) override {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
      while (std::chrono::steady_clock::now() < end) continue;
      return Scripted::ask(count);
    }
  };
  const replay::RecordedSpace line = recorded_line(costs);
  const Trace trace = replay::simulate({line.space}, table(),
                                       [](const search::SearchTask&) { return std::make_unique<Slow>(); },
                                       {.evaluations = 4});
  EXPECT_GE(trace.strategy_seconds, 4 * 0.003);
}

}  // namespace
}  // namespace tune::testing
