// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"

namespace tune {

/// A device that can time what was evaluated once more. Only an evaluator that has one takes part in
/// re-ranking.
class RerankDevice {
 public:
  virtual ~RerankDevice() = default;
  /// Announces configurations that will be timed again, so that they can be made ready together.
  virtual void begin_rerank(std::span<const Configuration> top_k) = 0;
  /// One turn of the candidate at that place of those announced: a few samples. Before its first turn it is
  /// checked more thoroughly than before; it must not be asked for again after a failure.
  virtual Result<Timing> time_candidate(std::size_t index) = 0;
  /// Hears of an evaluation of the same work that is known from elsewhere: what has to be beaten, for one.
  virtual void learn(const Evaluation& evaluation) = 0;
};

/// Answers configurations with evaluations: by a device, or from a recording. A queue: what is submitted
/// early is worked ahead on (compiled, say) while what was submitted before it is on the device.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Puts a configuration at the end of the queue.
  virtual void submit(Configuration configuration) = 0;
  /// Evaluates the first of the queue, or one behind it where the first would keep the device waiting, takes
  /// it out and waits for it. Nothing where it is unknown what would come out of the first: a recording may
  /// lack a configuration. Throws std::logic_error where the queue is empty.
  virtual std::optional<Evaluation> next() = 0;
  /// Empties the queue: what was not evaluated is never heard of again.
  virtual void drop() = 0;
  /// How long a queue keeps it busy.
  virtual std::size_t window() const { return 1; }
  /// Null where there is no device to time with: a recording.
  virtual RerankDevice* rerank_device() { return nullptr; }
};

/// Evaluates all of them, in the order of the evaluator, as fast as it can; `done` returns false to stop
/// early.
void evaluate_all(Evaluator& evaluator, std::span<const Configuration> configurations,
                  const std::function<bool(const Evaluation&)>& done);

}  // namespace tune
