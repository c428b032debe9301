// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/simulation.hpp"

#include <algorithm>
#include <stdexcept>

#include "tuner/base/stopwatch.hpp"

namespace tune::replay {
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
