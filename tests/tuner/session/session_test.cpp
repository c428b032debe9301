// SPDX-License-Identifier: Apache-2.0
#include "tuner/session/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <set>

#include "search/strategies/registry.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune {
namespace {

using testing::FakeBackend;
using testing::ToyProblem;
using testing::ToySources;

class CountingObserver : public SessionObserver {
 public:
  void on_evaluation(const Evaluation& evaluation, const Progress&) override { seen.push_back(evaluation); }
  bool stop_requested() override { return seen.size() >= stop_after; }
  std::vector<Evaluation> seen;
  std::size_t stop_after = 1'000'000;
};

class SessionTest : public ::testing::Test {
 protected:
  SessionResult run(const std::string& where, Budget budget, std::uint64_t seed = 1, bool fresh = false,
                    const char* strategy_name = "random") {
    const search::SearchSpace space = testing::toy_space(where);
    const auto strategy = search::choose_strategy(strategy_name).make({space, seed});
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
    Session session(space, *strategy, evaluator, store_, [this] { return time_ += step_; });
    if (default_first_) session.begin_with(space.default_configuration());
    default_ = space.at(*space.default_configuration());
    return session.run(record_, budget, fresh, observer_, rerank_);
  }

  ToyProblem problem_;
  ToySources sources_;
  FakeBackend backend_;
  testing::MemoryStore store_;
  CountingObserver observer_;
  RunRecord record_;
  RerankOptions rerank_ = {.top_k = 0};
  DeviceEvaluatorOptions options_ = {.measure = {}, .recheck_share = 0, .compile_threads = 2};
  double time_ = 0;
  double step_ = 0.001;
  bool default_first_ = false;
  search::Configuration default_;  ///< of the last run's space
};

/// Its tolerance is a large share of its results.
class WideProblem : public ToyProblem {
 public:
  Tolerance tolerance(const Instance&) const override {
    return {.absolute = 0.3, .cause = "errors grow", .cure = "take fewer steps"};
  }
};

TEST_F(SessionTest, ItsResultHasTheNoticeOfTheEvaluator) {
  EXPECT_EQ(run("kind == plain", {.evaluations = 2}).notice, "");
  const WideProblem problem;
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("random").make({space, 1});
  DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend_, sources_, options_);
  Session session(space, *strategy, evaluator, store_, [this] { return time_ += step_; });
  const SessionResult result = session.run(record_, {.evaluations = 3}, true, observer_, rerank_);
  EXPECT_EQ(result.progress.measured, 3U);
  EXPECT_NE(result.notice.find("because errors grow: smaller mistakes are not found"), std::string::npos)
      << result.notice;
}

TEST_F(SessionTest, FindsTheBestOfTheWholeSpace) {
  const SessionResult result = run("kind == plain", {});
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_EQ(result.progress.evaluations, 12u);
  EXPECT_EQ(result.progress.measured, 12u);
  ASSERT_TRUE(result.progress.best.has_value());
  EXPECT_EQ(result.progress.best->configuration.key(), "block=256,items=4,kind=plain");
  EXPECT_EQ(store_.evaluations.size(), 12u);
  EXPECT_EQ(store_.end, RunEnd::exhausted);
}

TEST_F(SessionTest, BeginsWithTheDefaultWhereThatIsWanted) {
  default_first_ = true;
  for (const char* strategy : {"random", "grid", "model", "genetic"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      observer_ = {};
      const SessionResult result = run("kind == plain", {}, seed, true, strategy);
      ASSERT_EQ(observer_.seen.size(), 12u) << strategy << ": each once, the default too";
      EXPECT_EQ(observer_.seen.front().configuration, default_) << strategy;
      std::set<std::string> keys;
      for (const Evaluation& evaluation : observer_.seen) keys.insert(evaluation.configuration.key());
      EXPECT_EQ(keys.size(), 12u) << strategy;
      EXPECT_EQ(result.end, RunEnd::exhausted);
    }
  }
  observer_ = {};
  EXPECT_EQ(run("kind == plain", {.evaluations = 1}, 1, true).progress.evaluations, 1u);
  EXPECT_EQ(observer_.seen.front().configuration, default_);
  observer_ = {};
  EXPECT_EQ(run("kind == plain", {.evaluations = 0}, 1, true).progress.evaluations, 0u);
}

TEST_F(SessionTest, KnowsTheValuesOfTheDefaultAndOfTheMedian) {
  const SessionResult without = run("kind == plain", {});
  EXPECT_FALSE(without.default_value);
  default_first_ = true;
  observer_ = {};
  const SessionResult result = run("kind == plain", {}, 1, true);
  std::vector<double> times;
  for (const Evaluation& evaluation : observer_.seen) times.push_back(evaluation.outcome->time());
  ASSERT_EQ(times.size(), 12U);
  EXPECT_EQ(result.default_value, times.front());
  EXPECT_EQ(result.median_value, median(times));
  EXPECT_GT(*result.median_value, result.progress.best->outcome->time());
}

TEST_F(SessionTest, ADefaultThatIsKnownIsAnsweredFromTheDatabase) {
  run("kind == plain", {});
  default_first_ = true;
  observer_ = {};
  run("kind == plain", {.evaluations = 3});
  ASSERT_EQ(observer_.seen.size(), 3u);
  EXPECT_EQ(observer_.seen.front().configuration, default_);
  EXPECT_TRUE(observer_.seen.front().reused);
}

TEST_F(SessionTest, NeverEvaluatesAConfigurationTwice) {
  run("kind == plain", {});
  std::set<std::string> keys;
  for (const Evaluation& evaluation : observer_.seen)
    EXPECT_TRUE(keys.insert(evaluation.configuration.key()).second);
}

TEST_F(SessionTest, EndsAtTheBudgetOfEvaluations) {
  const SessionResult result = run("kind == plain", {.evaluations = 5, .seconds = {}});
  EXPECT_EQ(result.end, RunEnd::budget);
  EXPECT_EQ(result.progress.evaluations, 5u);
  EXPECT_EQ(store_.evaluations.size(), 5u);
}

TEST_F(SessionTest, EndsAtTheBudgetOfTime) {
  step_ = 1;
  const SessionResult result = run("kind == plain", {.evaluations = {}, .seconds = 10});
  EXPECT_EQ(result.end, RunEnd::budget);
  EXPECT_LT(result.progress.evaluations, 12u);
  EXPECT_GT(result.progress.evaluations, 0u);
}

TEST_F(SessionTest, FailuresBeforeALaunchDoNotCountAgainstTheBudget) {
  const SessionResult result = run("kind in ['plain', 'too_big']", {.evaluations = 12, .seconds = {}});
  EXPECT_EQ(result.progress.evaluations, 12u);
  EXPECT_EQ(result.progress.measured, 12u);
  EXPECT_GT(result.progress.failures.at(Phase::resources), 0u);
}

TEST_F(SessionTest, WrongResultsCountAndNeverWin) {
  const SessionResult result = run("kind in ['plain', 'wrong', 'faulting']", {});
  EXPECT_EQ(result.progress.evaluations, 36u);
  EXPECT_EQ(result.progress.failures.at(Phase::verify), 12u);
  EXPECT_EQ(result.progress.failures.at(Phase::crash), 12u);
  EXPECT_EQ(result.progress.best->configuration["kind"].as_text(), "plain");
}

TEST_F(SessionTest, StopsWhenTheObserverAsksTo) {
  observer_.stop_after = 3;
  const SessionResult result = run("kind == plain", {});
  EXPECT_EQ(result.end, RunEnd::interrupted);
  EXPECT_EQ(store_.evaluations.size(), 3u);
}

TEST_F(SessionTest, ASecondRunGoesOnWhereTheFirstStopped) {
  observer_.stop_after = 5;
  run("kind == plain", {});
  std::vector<Evaluation> first = observer_.seen;
  observer_ = {};
  const int compiled_before = backend_.compiler().compiled;
  const SessionResult result = run("kind == plain", {});
  EXPECT_EQ(result.progress.evaluations, 12u);
  EXPECT_EQ(result.progress.reused, 5u);
  EXPECT_EQ(observer_.seen.size(), 12u);
  EXPECT_EQ(backend_.compiler().compiled - compiled_before, 7 + 1) << "and the best known, to time it again";
  std::set<std::string> reused;
  for (const Evaluation& evaluation : observer_.seen)
    if (evaluation.reused) reused.insert(evaluation.configuration.key());
  for (const Evaluation& evaluation : first) EXPECT_TRUE(reused.contains(evaluation.configuration.key()));
}

TEST_F(SessionTest, FreshEvaluatesWhatIsKnown) {
  run("kind == plain", {});
  const SessionResult result = run("kind == plain", {}, 1, true);
  EXPECT_EQ(result.progress.reused, 0u);
  EXPECT_EQ(store_.evaluations.size(), 24u);
}

TEST_F(SessionTest, TheSameSeedGivesTheSameTrace) {
  run("kind == plain", {.evaluations = 6, .seconds = {}}, 7);
  const std::vector<Evaluation> first = std::exchange(observer_.seen, {});
  run("kind == plain", {.evaluations = 6, .seconds = {}}, 7, true);
  ASSERT_EQ(first.size(), observer_.seen.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_EQ(first[i].configuration, observer_.seen[i].configuration);
}

TEST_F(SessionTest, ASpaceInWhichNothingCompilesEndsAsExhausted) {
  const SessionResult result = run("kind == broken_compile", {.evaluations = 5, .seconds = {}});
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_EQ(result.progress.evaluations, 0u);
  EXPECT_FALSE(result.progress.best.has_value());
}

/// Fails every configuration before a launch.
class BrokenEvaluator : public Evaluator {
 public:
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  void drop() override { queue_.clear(); }
  std::optional<Evaluation> next() override {
    Evaluation evaluation;
    evaluation.configuration = std::move(queue_.front());
    queue_.pop_front();
    evaluation.outcome = fail(Phase::compile, "syntax", "line 1");
    return evaluation;
  }

 private:
  std::deque<Configuration> queue_;
};

/// A device that is gone.
class ThrowingEvaluator : public Evaluator {
 public:
  void submit(Configuration) override {}
  void drop() override {}
  std::optional<Evaluation> next() override { throw Error("the device is gone"); }
};

TEST_F(SessionTest, ABrokenDeviceEndsTheRunAsFailed) {
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("random").make({space, 1});
  ThrowingEvaluator evaluator;
  Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
  EXPECT_THROW(session.run({}, {}, false, observer_), Error);
  EXPECT_EQ(store_.end, RunEnd::failed);
}

TEST_F(SessionTest, FinalsConfirmTheBest) {
  rerank_ = {};
  const SessionResult result = run("kind == plain", {});
  ASSERT_FALSE(result.rerank.places.empty());
  EXPECT_EQ(result.rerank.places.front().configuration, result.progress.best->configuration);
  EXPECT_TRUE(result.rerank.places.front().tied);
  EXPECT_FALSE(result.rerank.reused);
  EXPECT_GT(result.progress.rerank_seconds, 0);
  EXPECT_EQ(store_.rerank.size(), 1u);
  EXPECT_EQ(store_.end, RunEnd::exhausted);
  // Checked with other inputs at the size itself, then timed and checked once more: the turns come after
  // everything else.
  const std::vector<std::string>& calls = backend_.runner().calls;
  EXPECT_EQ(std::ranges::count(calls, "compare 1000"), 12 + 1 + 6);
  EXPECT_EQ(calls.back(), "compare 1000");
  EXPECT_EQ(std::ranges::count(calls, "measure 1000"), 12 + 6);
}

TEST_F(SessionTest, ARepeatedRunTakesTheFinalsOfTheFirst) {
  rerank_ = {};
  const SessionResult first = run("kind == plain", {});
  const std::size_t calls = backend_.runner().calls.size();
  const SessionResult second = run("kind == plain", {});
  EXPECT_EQ(backend_.runner().calls.size(), calls);
  EXPECT_TRUE(second.rerank.reused);
  ASSERT_EQ(second.rerank.places.size(), first.rerank.places.size());
  EXPECT_EQ(second.rerank.places.front().configuration, first.rerank.places.front().configuration);
  EXPECT_EQ(second.rerank.places.front().time.median, first.rerank.places.front().time.median);
  EXPECT_FALSE(run("kind == plain", {}, 1, true).rerank.reused);
}

TEST_F(SessionTest, WithoutADeviceNothingIsTimedAgain) {
  class Recording : public DeviceEvaluator {
   public:
    using DeviceEvaluator::DeviceEvaluator;
    RerankDevice* rerank_device() override { return nullptr; }
  };
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("grid").make({space, 1});
  Recording evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
  Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
  const SessionResult result = session.run({}, {}, false, observer_, {});
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_TRUE(result.progress.best.has_value());
  EXPECT_TRUE(result.rerank.places.empty());
  EXPECT_TRUE(store_.rerank.empty());
}

TEST_F(SessionTest, AnInterruptedRunHasNoFinals) {
  rerank_ = {};
  observer_.stop_after = 11;
  const SessionResult result = run("kind == plain", {});
  EXPECT_EQ(result.end, RunEnd::interrupted);
  EXPECT_TRUE(result.rerank.places.empty());
  EXPECT_TRUE(store_.rerank.empty());
}

TEST_F(SessionTest, AnInterruptEndsTheWaitForACompile) {
  class Interrupting : public CountingObserver {
   public:
    bool stop_requested() override { return ++asked > 2; }
    std::atomic<int> asked = 0;
  };
  for (const bool reproducible : {false, true}) {
    options_.reproducible = reproducible;
    backend_.compiler().slow_block = 64;
    backend_.compiler().release = false;
    Interrupting observer;
    const search::SearchSpace space = testing::toy_space("kind == plain and block == 64");
    const auto strategy = search::choose_strategy("grid").make({space, 1});
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
    Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
    EXPECT_EQ(session.run({}, {}, true, observer, {}).end, RunEnd::interrupted);
    EXPECT_TRUE(observer.seen.empty());
    backend_.compiler().release = true;
    backend_.compiler().release.notify_all();
  }
}

TEST_F(SessionTest, AnInterruptInTheFinalsEndsThem) {
  class Impatient : public CountingObserver {
   public:
    void on_rerank(std::size_t) override { stop_after = 0; }
  };
  rerank_ = {};
  Impatient observer;
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("grid").make({space, 1});
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
  Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
  const SessionResult result = session.run({}, {}, false, observer, rerank_);
  EXPECT_EQ(result.end, RunEnd::interrupted);
  EXPECT_TRUE(store_.rerank.empty());
  EXPECT_TRUE(result.progress.best.has_value());
}

TEST_F(SessionTest, AFinalistThatIsWrongIsStoredAsFailedAndTheNextOneWins) {
  rerank_ = {};
  backend_.runner().wrong_for_second_seed = 1024;  // block * items of the fastest
  const SessionResult result = run("kind == plain", {});
  ASSERT_EQ(result.rerank.failures.size(), 1u);
  EXPECT_EQ(result.rerank.failures[0].outcome.error().phase, Phase::verify);
  EXPECT_EQ(store_.evaluations.size(), 13u);
  EXPECT_EQ(store_.evaluations.back().configuration.key(), "block=256,items=4,kind=plain");
  EXPECT_FALSE(store_.evaluations.back().outcome.has_value());
  ASSERT_FALSE(result.rerank.places.empty());
  EXPECT_NE(result.progress.best->configuration.key(), "block=256,items=4,kind=plain");
  EXPECT_EQ(result.rerank.places.front().configuration, result.progress.best->configuration);
}

TEST_F(SessionTest, TheObjectiveDecides) {
  record_.options.objective = Objective::energy;
  rerank_ = {};
  backend_.runner().joules_per_thread = 1e-3;  // the slowest takes the least energy
  const SessionResult result = run("kind == plain", {});
  EXPECT_EQ(result.progress.best->configuration.key(), "block=32,items=1,kind=plain");
  EXPECT_EQ(result.rerank.places.front().configuration.key(), "block=32,items=1,kind=plain");
  EXPECT_NEAR(result.rerank.places.front().energy(), 0.032, 1e-12);
}

TEST_F(SessionTest, AMeasurementWithoutEnergyIsNotReusedForIt) {
  run("kind == plain", {});
  record_.options.objective = Objective::edp;
  backend_.runner().joules_per_thread = 1e-3;
  EXPECT_EQ(run("kind == plain", {}).progress.reused, 0u);
}

TEST_F(SessionTest, GivesUpWhenNothingEverStarts) {
  search::SpaceDefinition definition;
  std::vector<search::Value> values;
  for (int i = 0; i < 5000; ++i) values.emplace_back(i);
  definition.parameters = {{"n", "a number", values, 0}};
  const search::SearchSpace space(std::move(definition));
  const auto strategy = search::choose_strategy("random").make({space, 1});
  BrokenEvaluator evaluator;
  Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
  const SessionResult result = session.run({}, {.evaluations = 200, .seconds = {}}, false, observer_);
  EXPECT_EQ(result.end, RunEnd::failed);
  EXPECT_NE(result.reason.find("syntax"), std::string::npos) << result.reason;
  EXPECT_LT(observer_.seen.size(), 300u);
}

/// Gives the outcomes that it was told to give.
class ScriptedEvaluator : public BrokenEvaluator {
 public:
  explicit ScriptedEvaluator(Result<Measurement> outcome) : outcome_(std::move(outcome)) {}
  std::optional<Evaluation> next() override {
    std::optional<Evaluation> evaluation = BrokenEvaluator::next();
    evaluation->outcome = outcome_;
    return evaluation;
  }

 private:
  Result<Measurement> outcome_;
};

Result<Measurement> good_measurement(double seconds = 1e-3) {
  Measurement measurement;
  measurement.samples = std::vector(7, seconds);
  return measurement;
}

class StoredFailures : public SessionTest {
 protected:
  SessionResult run_with(const Result<Measurement>& outcome, Budget budget = {}, std::size_t values = 12) {
    search::SpaceDefinition definition;
    std::vector<search::Value> all;
    for (std::size_t i = 0; i < values; ++i) all.emplace_back(static_cast<int>(i));
    definition.parameters = {{"n", "a number", all, 0}};
    const search::SearchSpace space(std::move(definition));
    const auto strategy = search::choose_strategy("random").make({space, 1});
    ScriptedEvaluator evaluator(outcome);
    observer_ = {};
    Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
    return session.run(record_, budget, false, observer_);
  }
  /// Evaluations that were answered from the store after a first run in which all failed.
  std::uint64_t reused_after(const Failure& failure, int runs = 1) {
    store_ = {};
    for (int i = 0; i < runs; ++i) run_with(tl::unexpected(failure));
    EXPECT_EQ(store_.evaluations.size(), static_cast<std::size_t>(12 * runs)) << "stored as it is";
    run_with(good_measurement());
    return static_cast<std::uint64_t>(std::ranges::count(observer_.seen, true, &Evaluation::reused));
  }
};

TEST_F(StoredFailures, WhatMayNotComeAgainIsTriedAgain) {
  for (const auto& [phase, reason] : std::initializer_list<std::pair<Phase, std::string_view>>{
           {Phase::resources, "device memory"},
           {Phase::resources, "host memory"},
           {Phase::resources, "cuFFT"},
           {Phase::compile, "missing header"},
           {Phase::compile, "compiler crashed"},
           {Phase::timeout, slow_compiler},
           {Phase::launch, "cudaErrorMpsServerNotReady"},
           {Phase::crash, killed_from_outside},
           {Phase::crash, "illegal address"}})
    EXPECT_EQ(reused_after({phase, std::string(reason), "detail"}), 0u) << reason;
}

TEST_F(StoredFailures, WhatComesAgainIsAnAnswer) {
  EXPECT_EQ(reused_after({Phase::compile, "syntax", "line 1"}), 12u);
  EXPECT_EQ(reused_after({Phase::resources, "shared memory", "1 MiB"}), 12u);
  EXPECT_EQ(reused_after({Phase::verify, "wrong result", "at 3"}), 12u);
}

TEST_F(StoredFailures, ACrashIsAnAnswerOnceItCameTwice) {
  EXPECT_EQ(reused_after({Phase::crash, "illegal address", "kernel"}, 2), 12u);
  EXPECT_EQ(reused_after({Phase::crash, std::string(killed_from_outside), "kernel"}, 2), 0u);
  EXPECT_EQ(reused_after({Phase::crash, "cudaErrorECCUncorrectable", "memory"}, 2), 0u);
}

TEST_F(StoredFailures, ATimeoutIsAnAnswerUnderNoLargerLimit) {
  Failure failure{Phase::timeout, "launch", "slow"};
  failure.time_limit = 10;
  record_.options.timeout = 10;
  EXPECT_EQ(reused_after(failure), 12u);
  record_.options.timeout = 5;
  EXPECT_EQ(reused_after(failure), 12u);
  record_.options.timeout = 10.5;
  EXPECT_EQ(reused_after(failure), 0u);
  failure.time_limit = 0;  // of a record that does not know it
  record_.options.timeout = 1;
  EXPECT_EQ(reused_after(failure), 0u);
}

TEST_F(StoredFailures, NeverEndARun) {
  const auto broken = run_with(fail(Phase::compile, "syntax", "line 1"), {.evaluations = 20}, 5000);
  ASSERT_EQ(broken.end, RunEnd::failed);
  const SessionResult result = run_with(good_measurement(), {.evaluations = 20}, 5000);
  EXPECT_EQ(result.end, RunEnd::budget);
  EXPECT_EQ(result.progress.measured, 20u);
}

TEST_F(StoredFailures, ACauseOutsideEndsARunAndIsNamed) {
  const auto result = run_with(fail(Phase::resources, "device memory", "another process holds it"),
                               {.evaluations = 20}, 5000);
  EXPECT_EQ(result.end, RunEnd::failed);
  EXPECT_EQ(store_.evaluations.size(), 100u);
  EXPECT_NE(result.reason.find("another process holds it"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("which tries them again"), std::string::npos) << result.reason;
  EXPECT_EQ(run_with(good_measurement(), {.evaluations = 20}, 5000).progress.measured, 20u);
}

TEST_F(StoredFailures, ASlowCompilerDoesNotCountAgainstTheBudget) {
  const auto result = run_with(fail(Phase::timeout, std::string(slow_compiler)), {.evaluations = 5});
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_EQ(result.progress.evaluations, 0u);
  EXPECT_EQ(result.progress.cannot_run.at(Phase::timeout), 12u);
}

TEST_F(SessionTest, AnAccidentNeverReplacesAMeasurement) {
  run("kind == plain", {});
  int launches = 0;
  backend_.runner().interferes = [&](std::uint64_t) {
    ++launches;
    return std::optional(Failure{Phase::crash, std::string(killed_from_outside), "signal 9"});
  };
  run("kind == plain", {}, 1, true);
  EXPECT_GT(launches, 0);
  backend_.runner().interferes = nullptr;
  const SessionResult result = run("kind == plain", {});
  EXPECT_EQ(result.progress.reused, 12u);
  EXPECT_EQ(result.progress.measured, 12u);
}

TEST_F(SessionTest, AProcessThatIsKilledInTheFinalsCostsNothing) {
  rerank_ = {};
  bool in_finals = false;
  class Watching : public CountingObserver {
   public:
    explicit Watching(bool& in) : in_(in) {}
    void on_rerank(std::size_t) override { in_ = true; }

   private:
    bool& in_;
  } observer(in_finals);
  backend_.runner().interferes = [&](std::uint64_t) -> std::optional<Failure> {
    if (!in_finals) return std::nullopt;
    return Failure{Phase::crash, std::string(killed_from_outside), "signal 9"};
  };
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("grid").make({space, 1});
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options_);
  Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
  const SessionResult result = session.run({}, {}, false, observer, rerank_);
  EXPECT_TRUE(result.rerank.places.empty());
  ASSERT_TRUE(result.progress.best.has_value());
  EXPECT_EQ(result.progress.best->configuration.key(), "block=256,items=4,kind=plain");
  for (const Evaluation& known : store_.known({})) EXPECT_TRUE(known.outcome.has_value());
}

/// What is known was measured when the device took 1 / `then` of today's times.
TEST_F(SessionTest, KnownTimesArePutOnTodaysScale) {
  rerank_ = {};
  run("kind == plain and items < 4", {});
  store_.rerank.clear();
  const double then = 0.8;
  for (Evaluation& known : store_.evaluations)
    for (double& sample : known.outcome->samples) sample *= then;
  backend_.runner().calls.clear();
  const SessionResult result = run("kind == plain", {});
  ASSERT_TRUE(result.progress.known_scale.has_value());
  EXPECT_NEAR(*result.progress.known_scale, 1 / then, 1e-9);
  EXPECT_EQ(result.progress.evaluations, 12u) << "timing the best known again does not count";
  EXPECT_EQ(result.progress.reused, 8u);
  EXPECT_EQ(result.progress.best->configuration.key(), "block=256,items=4,kind=plain");
  EXPECT_EQ(store_.evaluations.size(), 8u + 4u) << "the new time of the best known is not stored";
}

TEST_F(SessionTest, ABestKnownThatIsWrongTodayIsStoredAsWrong) {
  run("kind == plain and items < 4", {});
  backend_.runner().wrong_for_second_seed = 512;  // block * items of the best, and of one that is not known
  backend_.runner().runs_of_wrong = 1;
  const SessionResult result = run("kind == plain", {});
  EXPECT_TRUE(result.progress.known_scale.has_value()) << "of the next best";
  EXPECT_EQ(result.progress.measured, 10u);
  EXPECT_EQ(result.progress.failures.at(Phase::verify), 2u);
}

TEST_F(SessionTest, NothingIsTimedAgainWhereAllIsKnownOrNothing) {
  EXPECT_FALSE(run("kind == plain", {}).progress.known_scale.has_value());
  backend_.runner().calls.clear();
  EXPECT_FALSE(run("kind == plain", {}).progress.known_scale.has_value());
  EXPECT_TRUE(backend_.runner().calls.empty());
}

TEST_F(SessionTest, WhereTheBestKnownFailsTodayTheNextOneIsTimed) {
  run("kind == plain and items < 4", {});
  int failing = 2;  // it is tried once more
  backend_.runner().interferes = [&](std::uint64_t elements) -> std::optional<Failure> {
    if (elements != 1000 || failing-- <= 0) return std::nullopt;
    return Failure{Phase::crash, std::string(killed_from_outside), "signal 9"};
  };
  const SessionResult result = run("kind == plain", {});
  EXPECT_LT(failing, 0);
  EXPECT_NEAR(result.progress.known_scale.value_or(0), 1, 1e-9);
  EXPECT_EQ(result.progress.measured, 12u);
}

}  // namespace
}  // namespace tune
