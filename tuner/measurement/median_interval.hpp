// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace tune {

/// A median and the interval in which the true one lies.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
  /// Probability that the true median is in [low, high], for independent samples of any distribution: at
  /// least what was asked for, or less where the samples are too few (95 % takes six) and the interval
  /// reaches from the smallest to the largest.
  double confidence = 0;
};

/// Computes the interval by order statistics: the number of samples below the true median is binomial with p
/// = 1/2 (David and Nagaraja, Order Statistics, 7.1). Throws std::logic_error for no samples, or a confidence
/// not in (0, 1).
MedianInterval median_interval(std::span<const double> samples, double confidence);

/// As median_interval, for at least one sample, in ascending order; `confidence` must lie in (0, 1).
MedianInterval interval_of_sorted(std::span<const double> sorted, double confidence);

/// The confidence of the interval that PrecisionCriterion compares.
inline constexpr double measuring_confidence = 0.95;

}  // namespace tune
