// SPDX-License-Identifier: Apache-2.0
// Budgets of time, and a strategy that computes while the device works.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "search/strategies/registry.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

class NotingObserver : public SessionObserver {
 public:
  void on_evaluation(const Evaluation& evaluation, const Progress&) override { seen.push_back(evaluation); }
  std::vector<Evaluation> seen;
};

class SessionTimeTest : public ::testing::Test {
 protected:
  /// `step`: of the clock, at each question.
  SessionResult run(const Budget& budget, double step) {
    const search::SearchSpace space = testing::toy_space("kind == plain");
    const auto strategy = search::choose_strategy("random").make({space, 1});
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
    Session session(space, *strategy, evaluator, store_, [this, step] { return time_ += step; });
    return session.run(record_, budget, true, observer_, rerank_);
  }

  testing::ToyProblem problem_;
  testing::ToySources sources_;
  testing::FakeBackend backend_;
  testing::MemoryStore store_;
  NotingObserver observer_;
  RunRecord record_;
  RerankOptions rerank_ = {.top_k = 0};
  DeviceEvaluatorOptions options_ = {.measure = {}, .recheck_share = 0, .compile_threads = 2};
  double time_ = 0;
};

/// Takes as long as a device does, and notes whether the strategy computed meanwhile.
class SlowStrategy : public search::Strategy {
 public:
  explicit SlowStrategy(const search::SearchSpace& space) : space_(space) {}
  std::vector<search::ConfigurationId> ask(std::size_t count) override {
    std::vector<search::ConfigurationId> ids;
    while (ids.size() < count && next_ < space_.size()) ids.push_back(next_++);
    if (std::this_thread::get_id() != main_thread) ++asked_elsewhere;
    return ids;
  }
  void tell(std::span<const search::Observation>) override {}
  std::size_t max_in_flight() const override { return 4; }
  std::thread::id main_thread = std::this_thread::get_id();
  std::size_t asked_elsewhere = 0;

 private:
  const search::SearchSpace& space_;
  search::ConfigurationId next_ = 0;
};

TEST_F(SessionTimeTest, AStrategyThatLearnsComputesWhileTheDeviceWorks) {
  search::SpaceDefinition definition = problem_.space(testing::toy_instance(1000), {});
  definition = search::restrict_to(std::move(definition), search::Expr::parse("kind == plain"));
  definition.parameters.push_back({"n", "a number", {}, 0});
  for (int i = 0; i < 20; ++i) definition.parameters.back().values.emplace_back(i);
  const search::SearchSpace space(std::move(definition));
  SlowStrategy strategy(space);
  backend_.compiler().compile_seconds = 1;  // so that several are in flight
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
  Session session(space, strategy, evaluator, store_, seconds_now);
  const SessionResult result = session.run(record_, {.evaluations = 150}, true, observer_, rerank_);
  EXPECT_EQ(result.progress.evaluations, 150u);
  EXPECT_GT(strategy.asked_elsewhere, 50u);
  std::set<std::string> keys;
  for (const Evaluation& evaluation : observer_.seen) keys.insert(evaluation.configuration.key());
  EXPECT_EQ(keys.size(), 150u);
}

TEST_F(SessionTimeTest, TheTimeBeforeTheSessionCounts) {
  const SessionResult all = run({.seconds = 60}, 1);
  const SessionResult less = run({.seconds = 60, .seconds_before = 40}, 1);
  EXPECT_EQ(less.end, RunEnd::budget);
  EXPECT_LT(less.progress.evaluations, all.progress.evaluations);
  EXPECT_DOUBLE_EQ(less.progress.seconds_allowed, 60);
  EXPECT_DOUBLE_EQ(less.progress.seconds_of_call, less.progress.seconds + 40);
}

TEST_F(SessionTimeTest, TheSearchLeavesTimeForTheReRanking) {
  rerank_ = {};
  backend_.runner().measuring_seconds = 0.02;
  backend_.runner().seconds_of = [](std::uint64_t, double) { return 4e-3; };
  const double start = seconds_now();
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("random").make({space, 1});
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
  Session session(space, *strategy, evaluator, store_, seconds_now);
  const SessionResult result = session.run(record_, {.seconds = 0.2}, true, observer_, rerank_);
  EXPECT_EQ(result.end, RunEnd::budget);
  EXPECT_FALSE(result.rerank.places.empty());
  EXPECT_LT(seconds_now() - start, 0.35);
}

/// The toy problem with a reference that takes ten seconds.
class SlowReference : public testing::ToyProblem {
 public:
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    parallel_for(2, 1, [](std::uint64_t, std::uint64_t) {
      for (int i = 0; i < 10'000; ++i) {
        throw_if_stopped();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    return ToyProblem::reference(instance, inputs);
  }
};

class InterruptingObserver : public NotingObserver {
 public:
  bool stop_requested() override { return watch_.seconds() > 0.05; }

 private:
  Stopwatch watch_;
};

TEST_F(SessionTimeTest, AReferenceOnTheHostEndsWithTheRun) {
  const SlowReference problem;
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto run = [&](const Budget& budget, SessionObserver& observer) {
    const auto strategy = search::choose_strategy("random").make({space, 1});
    DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend_, sources_, options_);
    Session session(space, *strategy, evaluator, store_, seconds_now);
    const Stopwatch watch;
    SessionResult result = session.run(record_, budget, true, observer, rerank_);
    EXPECT_LT(watch.seconds(), 0.4);
    EXPECT_EQ(result.progress.evaluations, 0u);
    return result.end;
  };
  EXPECT_EQ(run({.seconds = 0.1}, observer_), RunEnd::budget);
  InterruptingObserver observer;
  EXPECT_EQ(run({}, observer), RunEnd::interrupted);
}

}  // namespace
}  // namespace tune
