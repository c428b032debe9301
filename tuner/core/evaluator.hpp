// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/core/evaluation.hpp"

namespace tune {

/// Answers configurations with evaluations: by a device, or from a recording. A queue: what is submitted
/// early is worked ahead on (compiled, say) while what was submitted before it is on the device.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Puts a configuration at the end of the queue.
  virtual void submit(Configuration configuration) = 0;
  /// Evaluates the first of the queue, takes it out and waits for it. Nothing where it is unknown what would
  /// come out: a recording may lack a configuration. Throws std::logic_error where the queue is empty.
  virtual std::optional<Evaluation> next() = 0;
  /// Empties the queue: what was not evaluated is never heard of again.
  virtual void drop() = 0;
  /// How long a queue keeps it busy.
  virtual std::size_t window() const { return 1; }
  /// An evaluation of the same work that is known from elsewhere: what has to be beaten, for one.
  virtual void learn(const Evaluation&) {}
  /// Checks finalists more thoroughly and times them again, in turns, so that what slows the device down
  /// slows all of them: for each one the seconds of every round, or why it failed. Nothing at all where there
  /// is no device to time with.
  virtual std::vector<Result<std::vector<double>>> time_finalists(std::span<const Configuration>,
                                                                  int /*rounds*/) {
    return {};
  }
};

/// Evaluates all of them, in their order, as fast as the evaluator can; `done` returns false to stop early.
void evaluate_all(Evaluator& evaluator, std::span<const Configuration> configurations,
                  const std::function<bool(const Evaluation&)>& done);

}  // namespace tune
