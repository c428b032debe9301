// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/outcome_table.hpp"

#include <algorithm>
#include <stdexcept>

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
  if (costs_.empty()) throw std::logic_error("the best time of none");
  return costs_.front();
}

double OutcomeTable::median() const {
  return tune::median(costs_);
}

double OutcomeTable::worst() const {
  if (costs_.empty()) throw std::logic_error("the worst time of none");
  return costs_.back();
}

std::uint64_t OutcomeTable::within(double share) const {
  if (costs_.empty()) return 0;
  const auto end =
      std::ranges::partition_point(costs_, [&](double cost) { return is_within(cost, optimum(), share); });
  return static_cast<std::uint64_t>(end - costs_.begin());
}

}  // namespace tune::replay
