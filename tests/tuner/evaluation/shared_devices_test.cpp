// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "search/strategies/registry.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/evaluation/device_equality.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/evaluation/multi_fidelity.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

using testing::FakeBackend;
using testing::ToyProblem;
using testing::ToySources;

class Listener : public SessionObserver {
 public:
  void on_evaluation(const Evaluation& evaluation, const Progress&) override { seen.push_back(evaluation); }
  void on_activity(Activity activity, std::size_t count) override {
    if (activity != Activity::compiling) most_busy = std::max(most_busy, count);
  }
  void on_news(const std::string& line) override { news.push_back(line); }
  bool stop_requested() override { return seen.size() >= stop_after; }
  std::vector<Evaluation> seen;
  std::vector<std::string> news;
  std::size_t most_busy = 0;
  std::atomic<std::size_t> stop_after = 1'000'000;
};

/// Three devices that do not exist. Each measures for some milliseconds, so that all get something to do.
class SharedDevicesTest : public ::testing::Test {
 protected:
  SharedDevicesTest() {
    for (FakeBackend& backend : backends_) backend.runner().measuring_seconds = 0.004;
    for (std::size_t i = 1; i < backends_.size(); ++i) record_.other_devices.emplace_back();
  }

  std::shared_ptr<DeviceTeam> team(std::size_t count = 3) {
    std::vector<Backend*> backends;
    for (std::size_t i = 0; i < count; ++i) backends.push_back(&backends_[i]);
    return std::make_shared<DeviceTeam>(backends, std::vector{4, 5, 6});
  }

  SessionResult run(Evaluator& evaluator, const std::string& where = "kind == plain", Budget budget = {},
                    RerankOptions rerank = {.top_k = 0}) {
    const search::SearchSpace space = testing::toy_space(where);
    const auto strategy = search::choose_strategy("random").make({space, 1});
    Session session(space, *strategy, evaluator, store_, seconds_now);
    session.begin_with(space.default_configuration());
    return session.run(record_, budget, true, listener_, rerank);
  }
  SessionResult run(const std::string& where = "kind == plain", Budget budget = {},
                    RerankOptions rerank = {.top_k = 0}) {
    const auto all = team();
    team_ = all.get();
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), all, sources_, options_);
    return run(evaluator, where, budget, rerank);
  }

  using Event = std::function<std::optional<Failure>()>;
  /// Asks `event` before each run of a device behind those of its first configuration: the common one.
  void after_the_first(std::size_t device, const Event& event, int runs_of_first = 5) {
    backends_[device].runner().interferes = [runs = 0, runs_of_first, event](std::uint64_t) mutable {
      return ++runs > runs_of_first ? event() : std::nullopt;
    };
  }
  /// Waits until the other threads have come so far, whatever the machine does beside.
  template<class Condition>
  static std::optional<Failure> wait_for(const Condition& condition) {
    for (int i = 0; i < 20'000 && !condition(); ++i) usleep(1000);
    return std::nullopt;
  }
  Event until_one_is_left_out() {
    return [this] { return wait_for([this] { return team_->taking_part() < 3; }); };
  }

  /// Device `which` takes so many times as long as the others.
  void slow_down(std::size_t which, double factor) {
    backends_[which].runner().seconds_of = [factor](std::uint64_t elements, double threads) {
      return factor * 1e-9 * static_cast<double>(elements) * 1024 / threads;
    };
  }

  /// Counts what each device evaluated, comparisons apart.
  std::map<std::size_t, int> by_device() const {
    std::map<std::size_t, int> counts;
    for (const Evaluation& one : listener_.seen) ++counts[one.device];
    return counts;
  }

  DeviceTeam* team_ = nullptr;  ///< of the last run
  ToyProblem problem_;
  ToySources sources_;
  std::array<FakeBackend, 3> backends_;
  testing::MemoryStore store_;
  Listener listener_;
  RunRecord record_;
  DeviceEvaluatorOptions options_ = {.measure = {}, .recheck_share = 0, .compile_threads = 2};
};

TEST_F(SharedDevicesTest, EachTakesAPartOfOneSearch) {
  std::atomic<int> began = 0;
  for (std::size_t device = 0; device < 3; ++device)
    after_the_first(device, [&, is_first = true]() mutable {
      if (std::exchange(is_first, false)) ++began;
      return wait_for([&] { return began == 3; });  // all work at the same time
    });
  const SessionResult result = run("kind == plain", {}, {});
  EXPECT_EQ(result.end, RunEnd::exhausted);
  ASSERT_TRUE(result.progress.best);
  EXPECT_EQ(result.progress.best->configuration.key(), "block=256,items=4,kind=plain");
  std::set<std::string> keys;
  for (const Evaluation& one : listener_.seen) keys.insert(one.configuration.key());
  EXPECT_EQ(keys.size(), 12U);
  EXPECT_EQ(listener_.seen.size(), 12U) << "each once";
  EXPECT_EQ(listener_.seen.front().device, 0U) << "the others wait for something to compare";
  EXPECT_EQ(by_device().size(), 3U);
  EXPECT_TRUE(listener_.news.empty());
  EXPECT_EQ(backends_[1].compiler().compiled + backends_[2].compiler().compiled, 0) << "compilers are shared";
  ASSERT_EQ(result.devices.size(), 3U);
  EXPECT_FALSE(result.devices[0].ratio);
  for (const std::size_t other : {1U, 2U}) {
    EXPECT_EQ(result.devices[other].ratio, 1.0);
    EXPECT_EQ(result.devices[other].evaluations, static_cast<std::uint64_t>(by_device()[other]));
  }
  EXPECT_FALSE(result.rerank.places.empty());
}

TEST_F(SharedDevicesTest, AnEvaluationIsStoredInTheRunOfItsDevice) {
  const SessionResult result = run();
  std::map<RunId, std::set<std::size_t>> devices_of;
  std::set<std::size_t> compared;
  for (std::size_t i = 0; i < store_.evaluations.size(); ++i) {
    const Evaluation& one = store_.evaluations[i];
    devices_of[store_.makers[i]].insert(one.device);
    if (!one.is_comparison) continue;
    compared.insert(one.device);
    ASSERT_EQ(one.outcome->metrics.size(), 1U);
    EXPECT_EQ(one.outcome->metrics.front().second, 1.0);
  }
  EXPECT_EQ(compared, (std::set<std::size_t>{1, 2}));
  EXPECT_EQ(devices_of.size(), 3U);
  for (const auto& [maker, devices] : devices_of) EXPECT_EQ(devices.size(), 1U) << maker;
  EXPECT_EQ(devices_of[result.run], std::set<std::size_t>{0});
}

TEST_F(SharedDevicesTest, OneThatDiffersIsLeftOut) {
  slow_down(1, 1.05);
  slow_down(2, 1.015);
  after_the_first(
      0, [this] { return wait_for([this] { return team_->may_evaluate(2) || team_->owed(0) != nullptr; }); });
  after_the_first(2, until_one_is_left_out());
  const SessionResult result = run();
  EXPECT_EQ(result.progress.measured, 12U);
  ASSERT_EQ(listener_.news.size(), 1U);
  EXPECT_NE(listener_.news[0].find("device 5 is left out: it takes 1.050 times as long as device 4"),
            std::string::npos)
      << listener_.news[0];
  EXPECT_NE(result.notice.find("device 5 is left out"), std::string::npos);
  EXPECT_EQ(by_device().count(1), 0U);
  EXPECT_GT(by_device()[2], 0) << "a difference of 1.5 % is small enough";
  EXPECT_NEAR(result.devices[1].ratio.value_or(0), 1.05, 1e-9);
  EXPECT_NEAR(result.devices[2].ratio.value_or(0), 1.015, 1e-9);
  const auto of_it = [](const Evaluation& one) { return one.device == 1; };
  ASSERT_EQ(std::ranges::count_if(store_.evaluations, of_it), 1);
  EXPECT_TRUE(std::ranges::find_if(store_.evaluations, of_it)->is_comparison) << "which replaces nothing";
}

std::optional<Failure> dead() {
  throw Error("the process that runs the kernels does not start");
}

TEST_F(SharedDevicesTest, OneThatIsLostCostsItsEvaluation) {
  for (const std::size_t lost : {1U, 0U}) {
    store_ = {};
    listener_.seen.clear();
    listener_.news.clear();
    for (std::size_t device = 0; device < 3; ++device)
      after_the_first(device, device == lost ? dead : until_one_is_left_out());
    const SessionResult result = run("kind == plain", {}, {});
    EXPECT_EQ(result.end, RunEnd::exhausted);
    EXPECT_EQ(listener_.seen.size(), 12U);
    EXPECT_EQ(result.progress.measured, 11U);
    ASSERT_EQ(listener_.news.size(), 1U);
    EXPECT_NE(listener_.news[0].find("does not start; the run goes on with 2 devices"), std::string::npos)
        << listener_.news[0];
    const auto failed =
        std::ranges::find_if(listener_.seen, [](const Evaluation& one) { return !one.outcome.has_value(); });
    ASSERT_NE(failed, listener_.seen.end());
    EXPECT_EQ(failed->outcome.error().reason, lost_device);
    EXPECT_EQ(failed->device, lost);
    EXPECT_TRUE(is_accident(failed->outcome.error(), 1)) << "it is tried again";
    EXPECT_FALSE(result.rerank.places.empty()) << "on a device that is there";
  }
}

TEST_F(SharedDevicesTest, OneThatFailsAgainAndAgainIsLeftOut) {
  std::atomic<int> failures = 0;
  after_the_first(0, [&] { return wait_for([&] { return failures >= DeviceEquality::suspicious; }); });
  after_the_first(1, until_one_is_left_out());
  after_the_first(2, [&] {
    ++failures;
    return std::optional(Failure{Phase::crash, "process", "was killed by signal 11"});
  });
  const SessionResult result = run("kind == plain or kind == faulting");
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_EQ(listener_.seen.size(), 24U);
  ASSERT_EQ(listener_.news.size(), 1U);
  EXPECT_NE(listener_.news[0].find("device 6 is left out: it fails what device 4 measures: process: "),
            std::string::npos)
      << listener_.news[0];
  const auto of_it = std::ranges::count_if(listener_.seen, [](const Evaluation& one) {
    return one.device == 2 && !one.outcome && one.outcome.error().reason == "process";
  });
  EXPECT_LE(of_it, DeviceEquality::suspicious);
}

TEST_F(SharedDevicesTest, WithoutAnyDeviceTheRunFails) {
  for (std::size_t device = 0; device < 3; ++device) after_the_first(device, dead);
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(store_.end, RunEnd::failed);
  EXPECT_EQ(listener_.news.size(), 2U);
}

TEST_F(SharedDevicesTest, AnInterruptEndsTheRun) {
  listener_.stop_after = 5;
  const SessionResult result = run("kind == plain", {}, {});
  EXPECT_EQ(result.end, RunEnd::interrupted);
  EXPECT_EQ(listener_.seen.size(), 5U);
  EXPECT_EQ(result.progress.evaluations, 5U);
}

TEST_F(SharedDevicesTest, BudgetsActAsWithOne) {
  EXPECT_EQ(run("kind == plain", {.evaluations = 7}).progress.evaluations, 7U);
  EXPECT_EQ(listener_.seen.size(), 7U);
  listener_.seen.clear();
  for (FakeBackend& backend : backends_) backend.runner().measuring_seconds = 0.1;
  const SessionResult result = run("kind == plain", {.seconds = 0.25});
  EXPECT_EQ(result.end, RunEnd::budget);
  EXPECT_LT(listener_.seen.size(), 12U);
  EXPECT_GE(listener_.seen.size(), 1U);
}

TEST_F(SharedDevicesTest, ACheaperInstanceIsSharedToo) {
  const auto both = team(2);
  auto full =
      std::make_unique<DeviceEvaluator>(problem_, testing::toy_instance(1000), both, sources_, options_);
  options_.compare_devices = false;
  auto low =
      std::make_unique<DeviceEvaluator>(problem_, testing::toy_instance(100), both, sources_, options_);
  MultiFidelityEvaluator evaluator(
      std::move(low), std::move(full),
      {.low_space = testing::toy_space("kind == plain"), .ratio = [](const Configuration&) { return 10.0; }});
  std::atomic<bool> began = false;
  after_the_first(1, [&] {
    began = true;
    return std::nullopt;
  });
  after_the_first(
      0, [&] { return wait_for([&] { return began.load(); }); }, 10);  // the first one at both
  const SessionResult result = run(evaluator);
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_EQ(listener_.seen.size(), 12U);
  EXPECT_EQ(result.progress.best->configuration.key(), "block=256,items=4,kind=plain");
  EXPECT_GT(result.progress.estimated, 0U);
  EXPECT_EQ(result.devices.size(), 2U);
  std::set<std::size_t> low_devices;
  for (const Evaluation& one : listener_.seen)
    if (one.low_fidelity) low_devices.insert(one.low_fidelity->device);
  EXPECT_EQ(low_devices.size(), 2U);
}

TEST(DeviceEquality, OneDoubtfulComparisonIsRepeated) {
  DeviceEquality equality({"device 0", "device 1"});
  EXPECT_TRUE(equality.may_evaluate(0));
  EXPECT_FALSE(equality.may_evaluate(1)) << "it was not compared";
  ASSERT_TRUE(equality.wants_round());
  equality.begin_round(1.0);
  EXPECT_FALSE(equality.owes(0));
  ASSERT_TRUE(equality.owes(1));
  EXPECT_TRUE(equality.add(1, 1.1).ratios.empty()) << "noise, perhaps";
  EXPECT_TRUE(equality.owes(0) && equality.owes(1));
  EXPECT_FALSE(equality.may_evaluate(1));
  EXPECT_TRUE(equality.add(0, 1.0).ratios.empty());
  EXPECT_TRUE(equality.add(1, 1.01).ratios.empty()) << "the median of three counts";
  EXPECT_TRUE(equality.add(1, 0.99).ratios.empty());
  EXPECT_EQ(equality.add(0, 1.0).line, "");
  EXPECT_TRUE(equality.may_evaluate(1));
  EXPECT_EQ(equality.shares()[1].ratio, 1.01);
}

TEST(DeviceEquality, IsAskedAgainDuringTheRun) {
  DeviceEquality equality({"device 0", "device 1"});
  equality.begin_round(1.0);
  EXPECT_EQ(equality.add(1, 1.0).ratios.size(), 1U);
  for (std::size_t i = 0; i < 2 * DeviceEquality::interval; ++i) {
    EXPECT_FALSE(equality.wants_round()) << i;
    equality.count(i % 2, false);
  }
  ASSERT_TRUE(equality.wants_round());
  equality.begin_round();
  EXPECT_TRUE(equality.owes(0) && equality.owes(1));
  EXPECT_TRUE(equality.may_evaluate(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(equality.add(1, 1.06).line, "");
    EXPECT_EQ(equality.add(0, 1.0).line, "");
    EXPECT_FALSE(equality.may_evaluate(1)) << "it seems to differ";
  }
  EXPECT_EQ(equality.add(0, 1.0).line, "");
  EXPECT_EQ(equality.add(1, 1.06).line,
            "device 1 is left out: it takes 1.060 times as long as device 0 for the same configuration; the "
            "run goes on with 1 device");
  EXPECT_FALSE(equality.may_evaluate(1));
  EXPECT_FALSE(equality.wants_round());
}

TEST(DeviceEquality, TheNextOneTakesThePlaceOfTheFirst) {
  DeviceEquality equality({"device 0", "device 1", "device 2"});
  equality.leave_out(0, "lost");
  EXPECT_EQ(equality.first(), 1U);
  EXPECT_TRUE(equality.may_evaluate(1));
  EXPECT_FALSE(equality.may_evaluate(2));
  EXPECT_TRUE(equality.wants_round());
}

}  // namespace
}  // namespace tune
