// SPDX-License-Identifier: Apache-2.0
// Metrics as objectives: names, values, and a run that ranks by one.
#include "tuner/evaluation/objective.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "search/strategies/registry.hpp"
#include "tests/support/memory_store.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/session/session.hpp"

namespace tune {
namespace {

/// Metrics over facts and a parameter: a rate, a figure below 0, one that needs an energy, one that fails.
class MetricToy : public testing::ToyProblem {
 public:
  Metrics metrics(const Instance& /*instance*/, const Configuration& one, const Facts& facts) const override {
    const double work = one["work"].as_real();
    Metrics all = {{"rate", work / facts.at("time")}, {"debt", -work}};
    if (facts.contains("energy")) all.emplace_back("joules for each", facts.at("energy") / work);
    if (facts.contains("registers")) all.emplace_back("registers", facts.at("registers"));
    if (work == 13) throw UsageError("13 is not divisible");
    return all;
  }
  std::vector<MetricInfo> metric_infos() const override {
    return {{"rate"}, {"debt"}, {"joules for each", true}, {"registers"}};
  }
};

const MetricToy toy;

Objective by(const std::string& name) {
  return objective_of(objective_from_string(name), toy, testing::toy_instance(10));
}

std::optional<double> value_of(const std::string& name, int work, double seconds, double joules = 0,
                               const std::optional<KernelResources>& resources = std::nullopt) {
  const Configuration configuration = {{"work", work}};
  return objective_value({configuration, resources, seconds, joules}, by(name));
}

TEST(Objective, NamesAreReadAsTheyAreWritten) {
  for (const char* const name : {"time", "energy", "edp", "min:bytes", "max:GFLOP/s", "max:min:x",
                                 "pareto:time,min:bytes", "pareto:max:a,min:max(b, c)"})
    EXPECT_EQ(to_string(objective_from_string(name)), name);
  for (const char* const name : {"", "Time", "speed", "max:", "min", "mix:x", "pareto:", "pareto:a",
                                 "pareto:a,", "pareto:a,b,c", "pareto:a,pareto:b,c"})
    EXPECT_THROW(objective_from_string(name), std::invalid_argument) << name;
  EXPECT_EQ(objective_from_string("max:a"), objective_from_string("max:a"));
  EXPECT_NE(objective_from_string("max:a"), objective_from_string("min:a"));
  EXPECT_NE(objective_from_string("max:a"), objective_from_string("max:b"));
  EXPECT_NE(objective_from_string("max:time"), Objective(Objective::time));
  EXPECT_EQ(to_string(objective_from_string("pareto:bytes,energy")), "pareto:min:bytes,energy");
  EXPECT_NE(objective_from_string("pareto:a,b"), objective_from_string("pareto:b,a"));
}

// A ratio, a weighted sum: over metrics and facts.
TEST(Objective, AMetricMayBeAFormula) {
  EXPECT_DOUBLE_EQ(value_of("min:0.5 * rate + time", 6, 2).value(), 3.5);
  EXPECT_DOUBLE_EQ(value_of("max:rate/time", 6, 2).value(), 1 / 1.5);
  EXPECT_EQ(value_of("min:rate - 3", 6, 2), std::nullopt) << "0";
  EXPECT_EQ(value_of("min:registers * 2", 6, 2), std::nullopt) << "not known";
  EXPECT_TRUE(by("min:power * rate").needs_energy());
  const auto mistake = [](const std::string& name) -> std::string {
    try {
      by(name);
      return {};
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_NE(mistake("min:rate / tiem").find("there is no 'tiem' (did you mean 'time'?)"), std::string::npos);
  EXPECT_NE(mistake("min:rate +").find("the metrics of toy are 'rate', 'debt'"), std::string::npos);
  const Objective recorded = recorded_objective(objective_from_string("min:hits / misses"));
  const Metrics metrics = {{"hits", 6}, {"misses", 4}};
  EXPECT_EQ(objective_value({{}, std::nullopt, 1, 0, &metrics}, recorded), 1.5);
}

TEST(Objective, AFrontHasTwoQuantities) {
  const Objective front = by("pareto:time,max:rate");
  const Configuration six = {{"work", 6}};
  EXPECT_EQ(front_values({six, std::nullopt, 2}, front), (FrontValues{2, 1.0 / 3}));
  EXPECT_DOUBLE_EQ(objective_value({six, std::nullopt, 2}, front).value(), 2.0 / 3) << "their product";
  EXPECT_EQ(front_values({six, std::nullopt, 2}, by("pareto:time,energy")), std::nullopt);
  EXPECT_TRUE(by("pareto:time,energy").needs_energy());
  EXPECT_EQ(values_text({2, 1.0 / 3}, front), "time 2 s, rate 3");
  const std::vector<FrontValues> values = {{3, 1}, {1, 3}, {2, 2}, {2, 2}, {3, 3}, {1, 4}};
  EXPECT_EQ(front_of(values), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_TRUE(dominates({1, 1}, {1, 1.1}, 0.05));
  EXPECT_FALSE(dominates({1, 1}, {1, 1.01}, 0.05)) << "too near";
  EXPECT_FALSE(dominates({1, 1}, {1, 1}));
}

TEST(Objective, AMetricIsWhatTheProblemSays) {
  EXPECT_DOUBLE_EQ(value_of("min:rate", 6, 2).value(), 3);
  EXPECT_DOUBLE_EQ(value_of("max:rate", 6, 2).value(), 1.0 / 3) << "the inverse is minimised";
  EXPECT_EQ(by("max:rate").value_text(1.0 / 3), "3");
  EXPECT_EQ(value_of("max:debt", 6, 2), std::nullopt) << "not positive";
  EXPECT_EQ(value_of("max:rate", 13, 2), std::nullopt) << "its formula fails";
  EXPECT_EQ(value_of("min:joules for each", 6, 2), std::nullopt);
  EXPECT_DOUBLE_EQ(value_of("min:joules for each", 6, 2, 12).value(), 2);
  EXPECT_EQ(value_of("min:registers", 6, 2), std::nullopt);
  EXPECT_DOUBLE_EQ(
      value_of("min:registers", 6, 2, 0, KernelResources{.registers = 40, .limiter = {}}).value(), 40);
}

TEST(Objective, TellsWhetherAnEnergyIsMeasured) {
  EXPECT_TRUE(by("min:joules for each").needs_energy());
  EXPECT_TRUE(by("edp").needs_energy());
  EXPECT_FALSE(by("max:rate").needs_energy());
  EXPECT_FALSE(by("time").needs_energy());
}

TEST(Objective, AnUnknownMetricNamesTheKnownOnes) {
  try {
    by("max:speed");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "objective max:speed: there is no 'speed'; the metrics of toy are 'rate', 'debt', 'joules for each', "
        "'registers'");
  }
}

TEST(Objective, ARecordedMetricIsTheOneBesideTheTime) {
  const Objective objective = recorded_objective(objective_from_string("max:GFLOP/s"));
  const Configuration configuration;
  const Metrics recorded = {{"power (W)", 100}, {"GFLOP/s", 50}};
  EXPECT_EQ(objective_value({configuration, std::nullopt, 1, 0, &recorded}, objective), 1.0 / 50);
  EXPECT_EQ(objective_value({configuration, std::nullopt, 1}, objective), std::nullopt);
}

/// Measures what `work` makes: twice the work takes 1.5 times as long.
class WorkEvaluator : public Evaluator, public RerankDevice {
 public:
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  void drop() override { queue_.clear(); }
  std::optional<Evaluation> next() override {
    Evaluation evaluation;
    evaluation.configuration = std::move(queue_.front());
    queue_.pop_front();
    Measurement measurement;
    static_cast<Timing&>(measurement) = timing(evaluation.configuration);
    evaluation.outcome = std::move(measurement);
    evaluation.binary_hash = "the same";
    return evaluation;
  }
  RerankDevice* rerank_device() override { return this; }
  void begin_rerank(std::span<const Configuration> top_k) override {
    top_k_.assign(top_k.begin(), top_k.end());
  }
  Result<Timing> time_candidate(std::size_t index) override { return timing(top_k_[index]); }

 private:
  static Timing timing(const Configuration& one) {
    const double work = one["work"].as_real();
    return {.samples = std::vector(7, 1e-3 * (1 + work) / 2)};
  }
  std::deque<Configuration> queue_;
  std::vector<Configuration> top_k_;
};

class Watching : public SessionObserver {
 public:
  void on_evaluation(const Evaluation&, const Progress&) override {}
  bool stop_requested() override { return false; }
};

SessionResult run_by(const Objective& objective, Store& store) {
  search::SpaceDefinition definition;
  definition.parameters = {{"work", "done by an execution", {1, 2, 4, 8}, 1}};
  const search::SearchSpace space(std::move(definition));
  const auto strategy = search::choose_strategy("grid").make({space, 1});
  WorkEvaluator evaluator;
  Watching nobody;
  RunRecord record;
  record.options.objective = objective;
  Session session(space, *strategy, evaluator, store, [] { return 0.0; });
  return session.run(record, {}, false, nobody);
}

TEST(MetricRun, RanksByTheMetricAlsoInTheReRanking) {
  testing::MemoryStore store;
  const SessionResult by_time = run_by(Objective::time, store);
  EXPECT_EQ(by_time.progress.best->configuration["work"], search::Value(1));
  testing::MemoryStore other;
  const SessionResult by_rate = run_by(by("max:rate"), other);
  EXPECT_EQ(by_rate.progress.best->configuration["work"], search::Value(8));
  ASSERT_FALSE(by_rate.rerank.places.empty());
  EXPECT_EQ(by_rate.rerank.places.front().configuration["work"], search::Value(8));
}

TEST(MetricRun, EndsWhereNoMetricIsPositive) {
  testing::MemoryStore store;
  const SessionResult result = run_by(by("min:debt"), store);
  EXPECT_FALSE(result.progress.best.has_value());
  EXPECT_EQ(store.evaluations.size(), 4U) << "times are stored";
}

}  // namespace
}  // namespace tune
