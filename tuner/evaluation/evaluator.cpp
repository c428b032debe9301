// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/evaluator.hpp"

#include <algorithm>

namespace tune {

void evaluate_all(Evaluator& evaluator, std::span<const Configuration> configurations,
                  const std::function<bool(const Evaluation&)>& done) {
  const std::size_t window = std::max<std::size_t>(1, evaluator.window());
  std::size_t submitted = 0;
  for (std::size_t taken = 0; taken < configurations.size(); ++taken) {
    for (; submitted < configurations.size() && submitted < taken + window; ++submitted)
      evaluator.submit(configurations[submitted]);
    const std::optional<Evaluation> evaluation = evaluator.next();
    if (evaluation && !done(*evaluation)) return evaluator.drop();
  }
}

}  // namespace tune
