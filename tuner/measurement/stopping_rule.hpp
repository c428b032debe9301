// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tuner/measurement/stopping_criteria.hpp"

namespace tune {

/// Decides after each sample whether more are worth their time: racing where there is an incumbent, then
/// precision, the limit of samples and that of time; the first that says so ends it.
class StoppingRule {
 public:
  explicit StoppingRule(const MeasureOptions& options);

  /// Seconds an execution. Throws std::invalid_argument for what is no time (negative, not finite).
  void add(double sample_seconds);
  /// Why to stop now, or nothing. `device_seconds_so_far` is what all executions for this configuration took,
  /// with the flushes between them. The least number of samples is awaited unless pruned.
  std::optional<StopReason> decision(double device_seconds_so_far) const;
  /// As RacingCriterion says; false where nothing is to be beaten.
  bool far_slower_than_incumbent(std::span<const double> samples) const;
  /// How many further samples may be enqueued before `decision` can give another answer or is worth asking
  /// again; at least 1.
  int next_batch() const;
  /// In the order in which they are asked.
  const std::vector<std::unique_ptr<StoppingCriterion>>& criteria() const { return criteria_; }

 private:
  std::vector<std::unique_ptr<StoppingCriterion>> criteria_;
  const RacingCriterion* racing_ = nullptr;  ///< one of them
  std::vector<double> sorted_;
};

}  // namespace tune
