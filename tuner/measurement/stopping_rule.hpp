// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tuner/measurement/timing.hpp"

namespace tune {

/// A median and where the true one lies.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
  /// Probability that the true median is in [low, high], for independent samples of any distribution. At
  /// least what was asked for, or less where the samples are too few for it (95 % takes six): the interval
  /// then reaches from the smallest to the largest.
  double confidence = 0;
};

/// By order statistics: the number of samples below the true median is binomial with p = 1/2 (David and
/// Nagaraja, Order Statistics, 7.1). Throws std::logic_error for no samples, or a confidence not in (0, 1).
MedianInterval median_interval(std::span<const double> samples, double confidence);

/// How sure "precise" is of its interval.
inline constexpr double measuring_confidence = 0.95;
/// What is at most this share slower than `incumbent_seconds` is measured to the end: it may win the finals.
inline constexpr double racing_tolerance = 0.02;

/// Seconds: such samples are few and sure, shorter ones many and cheap.
inline constexpr double long_sample = 5e-3;

/// Decides after each sample whether more are worth their time. Needs no clock.
///
/// Racing: a configuration is outpaced when its smallest sample is above `incumbent_seconds` by
/// racing_tolerance and a slack, which falls from 7.5 % at three samples to nothing at nine. One that is in
/// truth at most racing_tolerance slower loses all of nine comparisons with probability 1/512 (0.5 % where a
/// tenth of the samples are outliers), whatever the distribution; with fewer samples the slack stands for
/// those that are missing. Long samples are enough by themselves where the first takes twice as long as
/// `incumbent_seconds`, or both of two by a third. The median of what is outpaced is stored like any other:
/// where samples are short it goes on until they are within the spread that is asked for, or to one of the
/// caps. See docs/decisions (0029 and 0030).
class StoppingRule {
 public:
  explicit StoppingRule(const MeasureOptions& options);

  /// Seconds an execution. Throws std::invalid_argument for what is no time (negative, not finite).
  void add(double sample_seconds);
  /// Why to stop now, or nothing. `device_seconds_so_far` is what all executions for this configuration took,
  /// with the flushes between them. The least number of samples is awaited unless outpaced.
  std::optional<StopReason> decision(double device_seconds_so_far) const;
  /// Whether samples that were taken while something slowed the device down say enough: they are long, and no
  /// such thing makes the difference to `incumbent_seconds`.
  bool far_slower_than_incumbent(std::span<const double> samples) const;
  /// How many further samples may be enqueued before `decision` can give another answer or is worth asking
  /// again; at least 1.
  int next_batch() const;

 private:
  bool pruned(std::size_t samples) const;
  bool has_short_samples() const;
  bool has_stable_median() const;
  bool precise() const;

  MeasureOptions options_;
  std::size_t min_;
  std::size_t max_;
  std::vector<double> sorted_;
};

}  // namespace tune
