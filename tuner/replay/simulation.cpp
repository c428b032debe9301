// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/simulation.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <span>
#include <stdexcept>

#include "tuner/base/stopwatch.hpp"
#include "tuner/replay/pipeline.hpp"
#include "tuner/session/session.hpp"

namespace tune::replay {

OutcomeTable::OutcomeTable(std::vector<Outcome> by_id) : by_id_(std::move(by_id)) {
  summarise();
}

OutcomeTable::OutcomeTable(const search::SearchSpace& space, const std::vector<Evaluation>& evaluations)
    : by_id_(space.size()) {
  for (const Evaluation& evaluation : evaluations) {
    const auto id = space.find(evaluation.configuration);
    if (!id || by_id_[*id].recorded) continue;
    by_id_[*id].recorded = true;
    const PhaseTimes& phases = evaluation.phases;
    by_id_[*id].compile = phases.compile;
    by_id_[*id].seconds = phases.compile + phases.load + phases.verify + phases.measure;
    if (evaluation.outcome) by_id_[*id].cost = evaluation.outcome->time();
  }
  summarise();
}

void OutcomeTable::summarise() {
  for (const Outcome& outcome : by_id_) {
    if (outcome.recorded) ++recorded_;
    if (outcome.recorded && outcome.cost) costs_.push_back(*outcome.cost);
  }
  std::ranges::sort(costs_);
}

double OutcomeTable::seconds_each() const {
  double sum = 0;
  for (const Outcome& outcome : by_id_)
    if (outcome.recorded) sum += outcome.seconds;
  return recorded_ > 0 ? sum / static_cast<double>(recorded_) : 0;
}

double OutcomeTable::optimum() const {
  if (costs_.empty()) throw std::logic_error("no configuration has a time: all failed");
  return costs_.front();
}

double OutcomeTable::median() const {
  return tune::median(costs_);
}

double OutcomeTable::worst() const {
  if (costs_.empty()) throw std::logic_error("no configuration has a time: every one failed");
  return costs_.back();
}

std::uint64_t OutcomeTable::within(double share) const {
  if (costs_.empty()) return 0;
  const auto end =
      std::ranges::partition_point(costs_, [&](double cost) { return is_within(cost, optimum(), share); });
  return static_cast<std::uint64_t>(end - costs_.begin());
}

std::vector<double> Trace::best_so_far(double nothing) const {
  std::vector<double> best;
  best.reserve(evaluations.size());
  std::optional<double> smallest;
  for (const search::Observation& evaluation : evaluations) {
    if (evaluation.cost && (!smallest || *evaluation.cost < *smallest)) smallest = evaluation.cost;
    best.push_back(smallest.value_or(nothing));
  }
  return best;
}

namespace {

/// Counts the time that a strategy takes, and checks that it repeats nothing.
class WatchedStrategy : public search::Strategy {
 public:
  WatchedStrategy(const search::SearchTask& task, const OutcomeTable& outcomes,
                  const StrategyFactory& factory)
      : outcomes_(outcomes), asked_(outcomes.size()) {
    timed([&] { strategy_ = factory(task); });
  }
  std::vector<search::ConfigurationId> ask(std::size_t count) override {
    std::vector<search::ConfigurationId> ids;
    timed([&] { ids = strategy_->ask(count); });
    for (const search::ConfigurationId id : ids) {
      static_cast<void>(outcomes_.at(id));  // throws for what is not in the space
      if (asked_[id])
        throw std::logic_error("the strategy asked for configuration " + std::to_string(id) + " twice");
      asked_[id] = true;
    }
    return ids;
  }
  void tell(std::span<const search::Observation> observations) override {
    timed([&] { strategy_->tell(observations); });
  }
  std::size_t max_in_flight() const override { return strategy_->max_in_flight(); }
  double seconds() const { return seconds_; }

 private:
  void timed(const std::function<void()>& call) {
    const Stopwatch watch;
    call();
    seconds_ += watch.seconds();
  }

  const OutcomeTable& outcomes_;
  std::unique_ptr<search::Strategy> strategy_;
  std::vector<bool> asked_;
  double seconds_ = 0;
};

/// A search under way.
class Search {
 public:
  Search(WatchedStrategy& strategy, const OutcomeTable& outcomes, const SimulationOptions& options)
      : outcomes_(outcomes), options_(options), strategy_(strategy) {}

  const search::Strategy& strategy() const { return strategy_; }
  /// True when it goes on after the results of `out` more.
  bool wants_more(std::uint64_t out = 0) const {
    return trace_.evaluations.size() + out < options_.evaluations || spent_ < options_.seconds;
  }
  std::vector<search::ConfigurationId> ask(std::uint64_t count) {
    const std::uint64_t told = trace_.evaluations.size();
    if (told < options_.evaluations) count = std::min(count, options_.evaluations - told);
    return strategy_.ask(count);
  }
  void tell(std::span<const search::ConfigurationId> ids) {
    const std::size_t known = trace_.evaluations.size();
    for (const search::ConfigurationId id : ids) {
      const Outcome& outcome = outcomes_.at(id);
      if (!outcome.recorded) continue;
      trace_.evaluations.push_back({id, outcome.cost, outcome.seconds});
      spent_ += outcome.seconds;
    }
    strategy_.tell(std::span(trace_.evaluations).subspan(known));
  }
  Trace take() { return std::move(trace_); }

 private:
  const OutcomeTable& outcomes_;
  const SimulationOptions& options_;
  WatchedStrategy& strategy_;
  Trace trace_;
  double spent_ = 0;
};

void search_in_batches(Search& search, std::uint64_t batch) {
  batch = std::max<std::uint64_t>(1, std::min<std::uint64_t>(batch, search.strategy().max_in_flight()));
  while (search.wants_more()) {
    const std::vector<search::ConfigurationId> ids = search.ask(batch);
    if (ids.empty()) break;
    search.tell(ids);
  }
}

void search_in_flight(Search& search, std::uint64_t count) {
  std::deque<search::ConfigurationId> out;
  while (search.wants_more()) {
    const std::uint64_t limit = std::min<std::uint64_t>(count, search.strategy().max_in_flight());
    while (out.size() < limit && search.wants_more(out.size())) {
      const std::vector<search::ConfigurationId> ids = search.ask(1);
      if (ids.empty()) break;
      out.push_back(ids.front());
    }
    if (out.empty()) break;
    search.tell({&out.front(), 1});
    out.pop_front();
  }
}

/// Notes what a session evaluates, and ends it.
class TraceObserver : public SessionObserver {
 public:
  TraceObserver(const SimulatedPipeline& pipeline, const OutcomeTable& outcomes,
                const SimulationOptions& options)
      : pipeline_(pipeline), outcomes_(outcomes), options_(options) {}
  void on_evaluation(const Evaluation&, const Progress&) override {
    const Outcome& outcome = outcomes_.at(pipeline_.latest());
    trace.evaluations.push_back({pipeline_.latest(), outcome.cost, outcome.seconds});
    trace.ended.push_back(pipeline_.now());
  }
  bool stop_requested() override {
    return trace.evaluations.size() >= options_.evaluations && pipeline_.now() >= options_.seconds;
  }
  Trace trace;

 private:
  const SimulatedPipeline& pipeline_;
  const OutcomeTable& outcomes_;
  const SimulationOptions& options_;
};

Trace search_as_a_run(const search::SearchTask& task, WatchedStrategy& strategy, const OutcomeTable& outcomes,
                      const SimulationOptions& options) {
  SimulatedPipeline pipeline(task.space, outcomes, options.compilers);
  NoStore store;
  TraceObserver observer(pipeline, outcomes, options);
  Session session(task.space, strategy, pipeline, store, [&pipeline] { return pipeline.now(); });
  Budget budget;
  if (!(options.seconds > 0)) budget.evaluations = options.evaluations;
  session.run({}, budget, true, observer, {.top_k = 0});
  return std::move(observer.trace);
}

}  // namespace

Trace simulate(const search::SearchTask& task, const OutcomeTable& outcomes, const StrategyFactory& factory,
               const SimulationOptions& options) {
  WatchedStrategy strategy(task, outcomes, factory);
  Trace trace;
  if (options.compilers > 0) {
    trace = search_as_a_run(task, strategy, outcomes, options);
  } else {
    Search search(strategy, outcomes, options);
    if (options.in_flight > 1)
      search_in_flight(search, options.in_flight);
    else
      search_in_batches(search, options.batch);
    trace = search.take();
  }
  trace.strategy_seconds = strategy.seconds();
  return trace;
}

}  // namespace tune::replay
