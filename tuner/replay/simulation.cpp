// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/simulation.hpp"

#include <algorithm>
#include <stdexcept>

#include "tuner/base/stopwatch.hpp"

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

Trace simulate(const search::SearchTask& task, const OutcomeTable& outcomes, const StrategyFactory& factory,
               const SimulationOptions& options) {
  Trace trace;
  double begin = seconds_now();
  const std::unique_ptr<search::Strategy> strategy = factory(task);
  trace.strategy_seconds += seconds_now() - begin;
  const std::uint64_t batch =
      std::max<std::uint64_t>(1, std::min<std::uint64_t>(options.batch, strategy->max_in_flight()));
  std::vector<bool> asked(outcomes.size());
  double spent = 0;
  while (trace.evaluations.size() < options.evaluations || spent < options.seconds) {
    begin = seconds_now();
    const std::uint64_t left =
        options.evaluations - std::min<std::uint64_t>(options.evaluations, trace.evaluations.size());
    const std::vector<search::ConfigurationId> ids = strategy->ask(left > 0 ? std::min(batch, left) : batch);
    trace.strategy_seconds += seconds_now() - begin;
    if (ids.empty()) break;
    const std::size_t known = trace.evaluations.size();
    for (const search::ConfigurationId id : ids) {
      const Outcome& outcome = outcomes.at(id);
      if (asked[id])
        throw std::logic_error("the strategy asked for configuration " + std::to_string(id) + " twice");
      asked[id] = true;
      if (!outcome.recorded) continue;
      trace.evaluations.push_back({id, outcome.cost, outcome.seconds});
      spent += outcome.seconds;
    }
    begin = seconds_now();
    strategy->tell(std::span(trace.evaluations).subspan(known));
    trace.strategy_seconds += seconds_now() - begin;
  }
  return trace;
}

}  // namespace tune::replay
