// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/multi_fidelity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "search/strategies/registry.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

using testing::FakeBackend;
using testing::ToyProblem;
using testing::ToySources;

constexpr std::int64_t few = 100, all = 1000;

TEST(FidelityRatio, LearnsTheRatioOfAGroup) {
  FidelityRatio ratio;
  EXPECT_DOUBLE_EQ(ratio.estimate("a", 10, 1.0).seconds, 10);
  EXPECT_LT(ratio.estimate("a", 10, 1.0).optimistic, 7);  // nothing is known: a wide doubt
  for (const double noise : {0.99, 1.0, 1.01, 1.0}) ratio.add("a", 10, 1.0, 12 * noise);
  EXPECT_NEAR(ratio.estimate("a", 10, 1.0).seconds, 12, 0.05);
  EXPECT_GT(ratio.estimate("a", 10, 1.0).optimistic, 11);
  EXPECT_NEAR(ratio.estimate("b", 10, 1.0).seconds, 12, 0.05) << "the best guess for another group";
  EXPECT_LT(ratio.estimate("b", 10, 1.0).optimistic, 9) << "but not a certain one";
  EXPECT_TRUE(ratio.is_usable("a"));
  EXPECT_EQ(ratio.pairs(), 4u);
}

TEST(FidelityRatio, IsOfNoUseWhereTheInstancesDisagree) {
  FidelityRatio ratio;
  for (const double full : {5.0, 20.0, 10.0, 40.0}) ratio.add("a", 10, 1.0, full);
  ratio.add("b", 10, 1.0, 10);
  EXPECT_FALSE(ratio.is_usable("a"));
  EXPECT_TRUE(ratio.is_usable("b"));
}

class MultiFidelityTest : public ::testing::Test {
 protected:
  std::unique_ptr<MultiFidelityEvaluator> make(const std::string& low_where = "kind != dying",
                                               DeviceEvaluatorOptions options = {}) {
    options.compile_threads = 2;
    options.recheck_share = 0;
    const auto evaluator = [&](std::int64_t nx) {
      return std::make_unique<DeviceEvaluator>(problem_, testing::toy_instance(nx), backend_, sources_,
                                               options);
    };
    return std::make_unique<MultiFidelityEvaluator>(
        evaluator(few), evaluator(all),
        MultiFidelityEvaluator::Options{.low_space = testing::toy_space(low_where),
                                        .ratio = [](const Configuration&) { return 10.0; },
                                        .group = "kind",
                                        .reproducible = true});
  }

  static Configuration configuration(int block, int items, const char* kind = "plain") {
    return {{"kind", kind}, {"block", block}, {"items", items}};
  }
  Evaluation evaluate(MultiFidelityEvaluator& evaluator, const Configuration& one) {
    evaluator.submit(one);
    return evaluator.next().value();
  }
  bool was_run(std::int64_t nx) const {
    return std::ranges::count(backend_.runner_calls(), "measure " + std::to_string(nx)) > 0;
  }

  struct Backend : FakeBackend {
    const std::vector<std::string>& runner_calls() const {
      return const_cast<Backend*>(this)->runner().calls;
    }
  };
  ToyProblem problem_;
  ToySources sources_;
  Backend backend_;
};

TEST_F(MultiFidelityTest, EvaluatesAtTheInstanceItselfOnlyWhatMayBeTheFastest) {
  const auto evaluator = make();
  const Evaluation first = evaluate(*evaluator, configuration(128, 2));
  EXPECT_FALSE(first.estimate);
  EXPECT_FALSE(first.ended_at_low_fidelity());
  ASSERT_TRUE(first.low_fidelity);
  EXPECT_NEAR(first.outcome->time() / first.low_fidelity->outcome->time(), 10, 1e-6);

  backend_.runner().calls.clear();
  const Evaluation slow = evaluate(*evaluator, configuration(32, 1));
  ASSERT_TRUE(slow.estimate);
  EXPECT_TRUE(slow.ended_at_low_fidelity());
  EXPECT_NEAR(*slow.estimate, 32e-6 * 1.01, 1e-9);
  EXPECT_DOUBLE_EQ(*objective_value(slow, Objective::time), *slow.estimate);
  EXPECT_TRUE(was_run(few));
  EXPECT_FALSE(was_run(all));

  const Evaluation fast = evaluate(*evaluator, configuration(256, 4));
  EXPECT_FALSE(fast.estimate);
  EXPECT_TRUE(was_run(all));
  EXPECT_GT(fast.phases.verify, fast.low_fidelity->phases.verify) << "the time of both";
}

TEST_F(MultiFidelityTest, AConfigurationWithoutACounterpartIsEvaluatedAtTheInstanceItself) {
  const auto evaluator = make("block <= 128");
  evaluate(*evaluator, configuration(128, 4));
  backend_.runner().calls.clear();
  const Evaluation one = evaluate(*evaluator, configuration(256, 1));
  EXPECT_FALSE(one.estimate);
  EXPECT_FALSE(one.low_fidelity);
  EXPECT_TRUE(was_run(all));
  EXPECT_FALSE(was_run(few));
}

TEST_F(MultiFidelityTest, AFailureAtTheCheaperInstanceIsTheAnswer) {
  const auto evaluator = make();
  const Evaluation wrong = evaluate(*evaluator, configuration(128, 1, "wrong"));
  ASSERT_FALSE(wrong.outcome);
  EXPECT_TRUE(wrong.ended_at_low_fidelity());
  EXPECT_EQ(wrong.low_fidelity->outcome.error().phase, Phase::verify);
  EXPECT_FALSE(was_run(all));
}

TEST_F(MultiFidelityTest, WhereTheInstancesDisagreeAllAreEvaluatedAtTheInstanceItself) {
  // The order at few elements says nothing about that at all of them.
  backend_.runner().seconds_of = [](std::uint64_t elements, double threads) {
    if (elements != all) return 1e-6;
    return 1e-5 * (1 + std::fmod(threads / 32, 7));
  };
  const auto evaluator = make();
  int estimates = 0;
  for (const int items : {1, 2, 4})
    for (const int block : {32, 64, 128, 256})
      estimates += evaluate(*evaluator, configuration(block, items)).estimate ? 1 : 0;
  EXPECT_FALSE(evaluator->ratio().is_usable("plain"));
  EXPECT_LE(estimates, 6);
  backend_.runner().calls.clear();
  const auto again = evaluate(*evaluator, configuration(64, 2));
  EXPECT_FALSE(again.estimate);
  EXPECT_FALSE(was_run(few));
}

TEST_F(MultiFidelityTest, WhatIsKnownAtTheCheaperInstanceIsNotRunAgain) {
  std::vector<Evaluation> known;
  {
    const auto evaluator = make();
    for (const int block : {256, 32, 64})
      known.push_back(*evaluate(*evaluator, configuration(block, 4)).low_fidelity);
  }
  for (Evaluation& one : known) one.reused = true;
  const auto evaluator = make();
  evaluator->know_low_fidelity(known);
  backend_.runner().calls.clear();
  EXPECT_FALSE(evaluate(*evaluator, configuration(256, 4)).estimate);
  EXPECT_TRUE(evaluate(*evaluator, configuration(32, 4)).estimate);
  EXPECT_FALSE(was_run(few));
}

class SilentObserver : public SessionObserver {
 public:
  void on_evaluation(const Evaluation&, const Progress&) override {}
};

TEST_F(MultiFidelityTest, ARunStoresWhatWasEvaluatedWhereItWas) {
  const search::SearchSpace space = testing::toy_space("kind == plain");
  const auto strategy = search::choose_strategy("grid").make({space, 1});
  const auto evaluator = make();
  testing::MemoryStore store;
  std::vector<Evaluation> low;
  double time = 0;
  Session session(space, *strategy, *evaluator, store, [&] { return time += 1e-3; });
  session.store_low_fidelity([&](const Evaluation& one) { low.push_back(one); });
  SilentObserver observer;
  const SessionResult result = session.run({}, {}, false, observer, {.top_k = 2});
  EXPECT_EQ(result.progress.evaluations, 12u);
  EXPECT_EQ(low.size(), 12u);
  EXPECT_GT(result.progress.estimated, 0u);
  EXPECT_EQ(result.progress.estimated + result.progress.measured, 12u);
  EXPECT_EQ(store.evaluations.size(), result.progress.measured) << "estimates are no results";
  for (const Evaluation& one : low) EXPECT_LT(one.outcome->time(), 4e-6);
  EXPECT_EQ(result.fidelity.pairs, result.progress.measured);
  EXPECT_DOUBLE_EQ(result.fidelity.correlation.value(), 1) << "the toy's order is the same at both";
  EXPECT_EQ(result.progress.best->configuration, configuration(256, 4));
  ASSERT_FALSE(result.rerank.places.empty());
  EXPECT_EQ(result.rerank.places.front().configuration, configuration(256, 4));
}

}  // namespace
}  // namespace tune
