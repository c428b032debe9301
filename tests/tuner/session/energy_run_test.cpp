// SPDX-License-Identifier: Apache-2.0
// Runs by energy on a device whose energy counter does not answer every time.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "search/strategies/registry.hpp"
#include "tests/support/memory_store.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

/// Measures the same time for all configurations, and the energy from this attempt on; 0: never.
class EnergyEvaluator : public Evaluator {
 public:
  explicit EnergyEvaluator(int first_read) : first_read_(first_read) {}
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  void drop() override { queue_.clear(); }
  std::optional<Evaluation> next() override {
    Evaluation evaluation;
    evaluation.configuration = std::move(queue_.front());
    queue_.pop_front();
    Measurement measurement;
    measurement.samples = std::vector(7, 1e-3);
    const int attempt = ++attempts_[evaluation.configuration.key()];
    measurement.energy = first_read_ > 0 && attempt >= first_read_ ? 2.5 : 0;
    evaluation.outcome = std::move(measurement);
    return evaluation;
  }

 private:
  int first_read_;
  std::deque<Configuration> queue_;
  std::map<std::string, int> attempts_;
};

class Seen : public SessionObserver {
 public:
  void on_evaluation(const Evaluation& evaluation, const Progress&) override { all.push_back(evaluation); }
  bool stop_requested() override { return false; }
  std::vector<Evaluation> all;
};

class EnergyRun : public ::testing::Test {
 protected:
  SessionResult run_by(Objective objective, int first_read, int values) {
    search::SpaceDefinition definition;
    std::vector<search::Value> all;
    for (int i = 0; i < values; ++i) all.emplace_back(i);
    definition.parameters = {{"n", "a number", all, 0}};
    const search::SearchSpace space(std::move(definition));
    const auto strategy = search::choose_strategy("random").make({space, 1});
    EnergyEvaluator evaluator(first_read);
    RunRecord record;
    record.options.objective = objective;
    Session session(space, *strategy, evaluator, store_, [] { return 0.0; });
    return session.run(record, {}, false, seen_);
  }
  testing::MemoryStore store_;
  Seen seen_;
};

TEST_F(EnergyRun, AnEnergyThatIsNotReadIsMeasuredOnceMore) {
  const SessionResult result = run_by(Objective::energy, 2, 12);
  EXPECT_EQ(result.progress.evaluations, 12U);
  EXPECT_EQ(store_.evaluations.size(), 12U) << "the first attempt is neither stored nor told";
  for (const Evaluation& evaluation : seen_.all)
    EXPECT_TRUE(objective_value(evaluation, Objective::energy).has_value());
  ASSERT_TRUE(result.progress.best.has_value());
}

TEST_F(EnergyRun, ACounterThatStoppedEndsTheRunAndTheTimesAreStored) {
  const SessionResult result = run_by(Objective::edp, 0, 150);
  EXPECT_EQ(result.end, RunEnd::failed);
  EXPECT_NE(result.reason.find("the energy of the last one was not read"), std::string::npos)
      << result.reason;
  EXPECT_EQ(store_.evaluations.size(), 100U);
  for (const Evaluation& evaluation : store_.evaluations) EXPECT_TRUE(evaluation.outcome.has_value());
}

TEST_F(EnergyRun, ATimeNeedsNoEnergy) {
  const SessionResult result = run_by(Objective::time, 0, 150);
  EXPECT_EQ(result.end, RunEnd::exhausted);
  EXPECT_EQ(result.progress.evaluations, 150U);
  EXPECT_EQ(store_.evaluations.size(), 150U);
}

}  // namespace
}  // namespace tune
