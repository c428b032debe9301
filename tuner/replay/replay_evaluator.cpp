// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/replay_evaluator.hpp"

#include <stdexcept>

namespace tune::replay {

ReplayEvaluator::ReplayEvaluator(const std::vector<Evaluation>& recorded) {
  for (const Evaluation& evaluation : recorded) by_key_.emplace(evaluation.configuration.key(), evaluation);
}

std::optional<Evaluation> ReplayEvaluator::next() {
  if (queue_.empty()) throw std::logic_error("nothing was submitted");
  const Configuration configuration = std::move(queue_.front());
  queue_.pop_front();
  const auto found = by_key_.find(configuration.key());
  if (found == by_key_.end()) return std::nullopt;
  Evaluation evaluation = found->second;
  evaluation.reused = false;
  return evaluation;
}

}  // namespace tune::replay
