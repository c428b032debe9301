// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "tuner/core/evaluation.hpp"

namespace tune {

/// Answers configurations with evaluations: by a device, or from a recording.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Evaluates the batch and hands over each evaluation as it ends, in the batch's order, on the calling
  /// thread. `done` returns false to stop early: what has not been launched is dropped.
  virtual void evaluate(std::span<const Configuration> batch,
                        const std::function<bool(Evaluation)>& done) = 0;
  /// How many configurations keep it busy: what a session asks the strategy for at a time.
  virtual std::size_t preferred_batch() const { return 1; }
};

}  // namespace tune
