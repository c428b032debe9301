// SPDX-License-Identifier: Apache-2.0
// What a session tells while it runs, and what its result names.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "search/strategies/registry.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

class ActivityObserver : public SessionObserver {
 public:
  void on_evaluation(const Evaluation&, const Progress&) override {}
  void on_activity(Activity activity, std::size_t compiling) override {
    if (activity != Activity::compiling) return activities.push_back(activity);
    most_compiling = std::max(most_compiling, compiling);
    if (waits_for == nullptr) return;
    waits_for->release = true;
    waits_for->release.notify_all();
  }
  const testing::FakeCompiler* waits_for = nullptr;  ///< its slow compile ends once this is told
  std::vector<Activity> activities;
  std::size_t most_compiling = 0;
};

class SessionViewTest : public ::testing::Test {
 protected:
  SessionResult run(const std::string& where, Budget budget) {
    const search::SearchSpace space = testing::toy_space(where);
    const auto strategy = search::choose_strategy("random").make({space, 1});
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                              {.measure = {}, .recheck_share = 0, .compile_threads = 2});
    Session session(space, *strategy, evaluator, store_, [this] { return time_ += 0.001; });
    return session.run({}, budget, true, observer_, {.top_k = 0});
  }

  testing::ToyProblem problem_;
  testing::ToySources sources_;
  testing::FakeBackend backend_;
  testing::MemoryStore store_;
  ActivityObserver observer_;
  double time_ = 0;
};

TEST_F(SessionViewTest, TellsWhatItIsDoing) {
  using enum Activity;
  run("kind == plain", {.evaluations = 1});
  EXPECT_EQ(observer_.activities, (std::vector{checking, reference, checking, measuring}));
  EXPECT_LE(observer_.most_compiling, 1U);
}

TEST_F(SessionViewTest, TellsThatItWaitsForACompile) {
  backend_.compiler().slow_block = 64;
  observer_.waits_for = &backend_.compiler();
  run("kind == plain and block == 64", {.evaluations = 1});
  EXPECT_EQ(observer_.most_compiling, 1U);
}

TEST_F(SessionViewTest, NamesTheBestFive) {
  const SessionResult result = run("kind == plain", {.evaluations = 8});
  ASSERT_EQ(result.top.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(result.top, {}, &RankedConfiguration::value));
  EXPECT_EQ(result.top[0].configuration, result.progress.best->configuration);
  EXPECT_EQ(result.top[0].value, result.progress.best->outcome->time());
}

}  // namespace
}  // namespace tune
