// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/replay_evaluator.hpp"

namespace tune::replay {

ReplayEvaluator::ReplayEvaluator(const std::vector<Evaluation>& recorded) {
  for (const Evaluation& evaluation : recorded) by_key_.emplace(evaluation.configuration.key(), evaluation);
}

void ReplayEvaluator::evaluate(std::span<const Configuration> batch,
                               const std::function<bool(Evaluation)>& done) {
  for (const Configuration& configuration : batch) {
    const auto found = by_key_.find(configuration.key());
    if (found == by_key_.end()) continue;
    Evaluation evaluation = found->second;
    evaluation.reused = false;
    if (!done(std::move(evaluation))) return;
  }
}

}  // namespace tune::replay
