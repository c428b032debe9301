// SPDX-License-Identifier: Apache-2.0
// What a session takes from its strategy besides configurations: what is left to gain, and how many may be
// out at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "search/random.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

using Gain = std::optional<double>;

/// Asks for all configurations in their order; what it says of itself is given.
class ScriptedStrategy : public search::Strategy {
 public:
  std::vector<search::ConfigurationId> ask(std::size_t count) override {
    std::vector<search::ConfigurationId> ids;
    while (ids.size() < count && asked < size) ids.push_back(asked++);
    max_outstanding = std::max(max_outstanding, asked - told);
    too_many_out = too_many_out || asked - told > std::max<std::size_t>(1, max_in_flight());
    return ids;
  }
  void tell(std::span<const search::Observation> observations) override {
    told += observations.size();
    for (const search::Observation& one : observations) costs[one.id] = one.cost;
  }
  Gain expected_gain() override { return gain(told); }
  std::size_t max_in_flight() const override { return limit(told); }

  std::size_t size = 5000;
  std::function<Gain(std::size_t told)> gain = [](std::size_t) { return Gain(); };
  std::function<std::size_t(std::size_t told)> limit = [](std::size_t) { return 1000U; };
  std::size_t asked = 0, told = 0, max_outstanding = 0;
  std::map<search::ConfigurationId, std::optional<double>> costs = {};
  bool too_many_out = false;
};

/// Everything succeeds, in (n + 1) ms; every third fails where that is wanted.
class EasyEvaluator : public Evaluator {
 public:
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  void drop() override { queue_.clear(); }
  std::size_t window() const override { return size_of_window; }
  std::optional<Evaluation> next() override {
    Evaluation evaluation;
    const auto taken = queue_.begin() + static_cast<std::ptrdiff_t>(last_first ? queue_.size() - 1 : 0);
    evaluation.configuration = std::move(*taken);
    queue_.erase(taken);
    Measurement measurement;
    measurement.samples = {1e-3 * (1 + static_cast<double>(evaluation.configuration["n"].as_int()))};
    evaluation.outcome = measurement;
    if (some_fail && ++count_ % 3 == 0) evaluation.outcome = fail(Phase::compile, "syntax", "line 1");
    return evaluation;
  }

  std::size_t size_of_window = 64;
  bool some_fail = false;
  bool last_first = false;  ///< what was submitted last overtakes all others

 private:
  std::deque<Configuration> queue_;
  int count_ = 0;
};

search::SearchSpace numbers(int count) {
  search::SpaceDefinition definition;
  std::vector<search::Value> values;
  for (int i = 0; i < count; ++i) values.emplace_back(i);
  definition.parameters = {{"n", "a number", values, 0}};
  return search::SearchSpace(std::move(definition));
}

class SessionStrategy : public ::testing::Test {
 protected:
  SessionResult run(const Budget& budget) {
    static const search::SearchSpace space = numbers(5000);
    Session session(space, strategy_, evaluator_, store_, [] { return 0.0; });
    return session.run({}, budget, true, observer_, {.top_k = 0});
  }

  class Silent : public SessionObserver {
   public:
    void on_evaluation(const Evaluation&, const Progress&) override { ++seen; }
    bool stop_requested() override { return seen >= stop_after; }
    std::size_t seen = 0, stop_after = 1'000'000;
  };

  ScriptedStrategy strategy_;
  EasyEvaluator evaluator_;
  testing::MemoryStore store_;
  Silent observer_;
};

constexpr double enough = 0.5, little = 0.009;
const Budget until_1_percent = {.evaluations = 300, .seconds = {}, .gain = 0.01};

TEST_F(SessionStrategy, EndsAfterExactlyTenTimesTooLittleInARow) {
  for (const std::size_t from : {1U, 2U, 50U}) {
    strategy_ = {};
    strategy_.gain = [&](std::size_t told) { return Gain(told < from ? enough : little); };
    const SessionResult result = run(until_1_percent);
    EXPECT_EQ(result.end, RunEnd::stopped);
    EXPECT_EQ(store_.end, RunEnd::stopped);
    EXPECT_EQ(result.progress.evaluations, from + 9);
    EXPECT_EQ(strategy_.told, from + 9) << "what was not taken in is told to nobody";
  }
}

TEST_F(SessionStrategy, MoreToGainBeginsTheCountAnew) {
  strategy_.gain = [](std::size_t told) { return Gain(told % 10 == 0 ? enough : little); };
  EXPECT_EQ(run(until_1_percent).end, RunEnd::budget);
  EXPECT_EQ(strategy_.told, 300U);
}

TEST_F(SessionStrategy, HavingNoIdeaBeginsTheCountAnewToo) {
  strategy_.gain = [](std::size_t told) { return told % 10 == 0 ? Gain() : Gain(little); };
  EXPECT_EQ(run(until_1_percent).end, RunEnd::budget);
}

TEST_F(SessionStrategy, TheShareItselfIsNotTooLittle) {
  strategy_.gain = [](std::size_t) { return Gain(0.01); };
  EXPECT_EQ(run(until_1_percent).end, RunEnd::budget);
}

TEST_F(SessionStrategy, WithoutTheOptionNothingIsAsked) {
  strategy_.gain = [](std::size_t) -> Gain { throw std::logic_error("asked"); };
  EXPECT_EQ(run({.evaluations = 300}).end, RunEnd::budget);
}

TEST_F(SessionStrategy, TheBudgetAndTheSpaceStillEndARun) {
  strategy_.gain = [](std::size_t) { return Gain(little); };
  EXPECT_EQ(run({.evaluations = 9, .seconds = {}, .gain = 0.01}).end, RunEnd::budget);
  strategy_ = {};
  strategy_.size = 9;
  strategy_.gain = [](std::size_t) { return Gain(little); };
  EXPECT_EQ(run({.evaluations = {}, .seconds = {}, .gain = 0.01}).end, RunEnd::exhausted);
}

TEST_F(SessionStrategy, APersonWhoInterruptsAtThatMomentInterrupts) {
  strategy_.gain = [](std::size_t) { return Gain(little); };
  observer_.stop_after = 10;
  EXPECT_EQ(run(until_1_percent).end, RunEnd::interrupted);
}

TEST_F(SessionStrategy, FailuresAreEvaluationsToo) {
  evaluator_.some_fail = true;
  strategy_.gain = [](std::size_t told) { return Gain(told < 30 ? enough : little); };
  EXPECT_EQ(run(until_1_percent).end, RunEnd::stopped);
  EXPECT_EQ(strategy_.told, 39U);
}

// Whatever a strategy says: the run ends at the first ten in a row, or not before the budget.
TEST_F(SessionStrategy, EndsAtTheFirstTenInARowOfAnySequence) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    search::Random random(seed);
    std::vector<Gain> gains(301);
    for (Gain& gain : gains) {
      const double drawn = random.uniform();
      gain = drawn < 0.8 ? Gain(0.01 * random.uniform()) : drawn < 0.9 ? Gain(1.0) : Gain();
    }
    std::size_t expected = 300, in_a_row = 0;
    for (std::size_t told = 1; told <= 300 && expected == 300; ++told) {
      in_a_row = gains[told] && *gains[told] < 0.01 ? in_a_row + 1 : 0;
      if (in_a_row == 10) expected = told;
    }
    strategy_ = {};
    strategy_.gain = [&](std::size_t told) { return gains.at(told); };
    const SessionResult result = run(until_1_percent);
    EXPECT_EQ(strategy_.told, expected) << "seed " << seed;
    EXPECT_EQ(result.end == RunEnd::stopped, in_a_row == 10) << "seed " << seed;
    stopped += result.end == RunEnd::stopped ? 1 : 0;
  }
  EXPECT_GT(stopped, 10);
}

TEST_F(SessionStrategy, StoppedSoItHoldsFinals) {
  const search::SearchSpace space = testing::toy_space("kind == plain");
  testing::ToyProblem problem;
  testing::ToySources sources;
  testing::FakeBackend backend;
  DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend, sources,
                            {.measure = {}, .compile_threads = 2});
  strategy_.size = space.size();
  strategy_.gain = [](std::size_t) { return Gain(little); };
  Session session(space, strategy_, evaluator, store_, [] { return 0.0; });
  const SessionResult result = session.run({}, until_1_percent, false, observer_, {});
  EXPECT_EQ(result.end, RunEnd::stopped);
  EXPECT_EQ(store_.end, RunEnd::stopped);
  EXPECT_EQ(result.progress.evaluations, 10U);
  ASSERT_FALSE(result.rerank.places.empty());
  EXPECT_EQ(result.rerank.places.front().configuration, result.progress.best->configuration);
  EXPECT_EQ(store_.rerank.size(), 1U);
}

TEST_F(SessionStrategy, NoMoreIsOutThanBothTake) {
  struct Case {
    std::size_t window, max, out;
  };
  for (const Case& one :
       {Case{64, 1000, 64}, Case{64, 5, 5}, Case{3, 1000, 3}, Case{64, 1, 1}, Case{64, 0, 1}}) {
    strategy_ = {};
    strategy_.limit = [&](std::size_t) { return one.max; };
    evaluator_.size_of_window = one.window;
    EXPECT_EQ(run({.evaluations = 200}).progress.evaluations, 200U);
    EXPECT_EQ(strategy_.max_outstanding, one.out) << one.window << " and " << one.max;
  }
}

TEST_F(SessionStrategy, WhatOvertakesOthersIsToldAsItself) {
  for (const bool last_first : {false, true}) {
    strategy_ = {};
    strategy_.size = 100;
    store_ = {};
    evaluator_.last_first = last_first;
    const SessionResult result = run({});
    EXPECT_EQ(result.end, RunEnd::exhausted);
    ASSERT_EQ(strategy_.costs.size(), 100U);
    for (const auto& [id, cost] : strategy_.costs)
      EXPECT_DOUBLE_EQ(*cost, 1e-3 * static_cast<double>(id + 1));
    EXPECT_EQ(store_.evaluations.size(), 100U);
    EXPECT_EQ(store_.evaluations.front().configuration["n"].as_int() == 0, !last_first);
    EXPECT_EQ(result.progress.best->configuration["n"].as_int(), 0);
  }
}

TEST_F(SessionStrategy, WhatMayBeOutGrowsAsTheStrategyLearns) {
  strategy_.limit = [](std::size_t told) { return std::max<std::size_t>(8, told / 4); };
  EXPECT_EQ(run({.evaluations = 400}).progress.evaluations, 400U);
  EXPECT_FALSE(strategy_.too_many_out);
  EXPECT_GT(strategy_.max_outstanding, 40U);
}

}  // namespace
}  // namespace tune
