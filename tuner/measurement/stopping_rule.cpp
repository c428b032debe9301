// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/stopping_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tune {
namespace {

constexpr std::size_t first_race = 3;  ///< samples before a configuration may be outpaced
constexpr std::size_t race_without_slack = 9;
constexpr double slack_per_sample = 0.0125;  ///< for each sample short of race_without_slack
/// Of one and of two samples that are long: fewer than three are enough where they are far slower.
constexpr double slack_of_long[] = {1.0, 0.3};
/// What takes so many times as long as the fastest would not win if nothing slowed the device down either.
constexpr double far_slower_factor = 2;

double slack_of(std::size_t samples) {
  if (samples < first_race) return slack_of_long[samples - 1];
  const std::size_t missing = samples < race_without_slack ? race_without_slack - samples : 0;
  return slack_per_sample * static_cast<double>(missing);
}

/// `sorted` ascending and not empty.
MedianInterval interval_of_sorted(std::span<const double> sorted, double confidence) {
  const std::size_t n = sorted.size();
  const std::size_t upper = n / 2;
  MedianInterval result;
  result.median = n % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
  // P(fewer than k + 1 samples lie below the true median), for growing k, in logarithms: 2^-n may be below
  // what a double holds.
  const auto count = static_cast<double>(n);
  double log_term = -count * std::numbers::ln2;
  double tail = std::exp(log_term);
  std::size_t rank = 0;  // the interval reaches from sorted[rank] to its mirror image
  for (;;) {
    const auto k = static_cast<double>(rank);
    const double next_log_term = log_term + std::log((count - k) / (k + 1));
    const double next_tail = tail + std::exp(next_log_term);
    if (2 * rank + 2 >= n || 2 * next_tail > 1 - confidence) break;
    log_term = next_log_term;
    tail = next_tail;
    ++rank;
  }
  result.low = sorted[rank];
  result.high = sorted[n - 1 - rank];
  result.confidence = std::max(0.0, 1 - 2 * tail);
  return result;
}

}  // namespace

MedianInterval median_interval(std::span<const double> samples, double confidence) {
  if (samples.empty()) throw std::logic_error("the median of no samples");
  if (!(confidence > 0 && confidence < 1)) throw std::logic_error("a confidence lies between 0 and 1");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return interval_of_sorted(sorted, confidence);
}

StoppingRule::StoppingRule(const MeasureOptions& options)
    : options_(options),
      min_(static_cast<std::size_t>(std::max(1, options.min_samples))),
      max_(std::max(min_, static_cast<std::size_t>(std::max(1, options.max_samples)))) {}

void StoppingRule::add(double sample_seconds) {
  if (!std::isfinite(sample_seconds) || sample_seconds < 0)
    throw std::invalid_argument("a sample that is no time");
  sorted_.insert(std::ranges::upper_bound(sorted_, sample_seconds), sample_seconds);
}

/// Whether the smallest so far would do if it were the smallest of so many.
bool StoppingRule::pruned(std::size_t samples) const {
  if (!options_.incumbent_seconds || sorted_.empty() || samples == 0) return false;
  if (samples < first_race && has_short_samples()) return false;
  return sorted_.front() > *options_.incumbent_seconds * (1 + racing_tolerance + slack_of(samples));
}

bool StoppingRule::far_slower_than_incumbent(std::span<const double> samples) const {
  if (!options_.incumbent_seconds || samples.empty()) return false;
  const double min = std::ranges::min(samples);
  return min >= long_sample && min > *options_.incumbent_seconds * far_slower_factor;
}

bool StoppingRule::precise() const {
  const MedianInterval interval = interval_of_sorted(sorted_, measuring_confidence);
  return (interval.high - interval.low) / 2 <= options_.spread * interval.median;
}

bool StoppingRule::has_short_samples() const {
  return sorted_.front() < long_sample;
}

/// The median of what is outpaced is stored too, and a model learns from it: where samples are cheap it has
/// to repeat like any other. Single launches of some kernels differ by 10 % (H200), and 20 of them say too
/// little.
bool StoppingRule::has_stable_median() const {
  if (!has_short_samples()) return true;
  return sorted_.size() >= max_ || (sorted_.size() >= min_ && precise());
}

std::optional<StopReason> StoppingRule::decision(double device_seconds_so_far) const {
  if (pruned(sorted_.size()) && has_stable_median()) return StopReason::pruned;
  if (sorted_.size() < min_) return std::nullopt;
  if (precise()) return StopReason::precise;
  if (sorted_.size() >= max_) return StopReason::samples;
  if (device_seconds_so_far >= options_.time_cap) return StopReason::time;
  return std::nullopt;
}

int StoppingRule::next_batch() const {
  const std::size_t n = sorted_.size();
  if (n >= max_) return 1;
  // To the end of the least number, or else by a quarter: the interval narrows with the square root.
  std::size_t target = n < min_ ? min_ : std::min(max_, n + std::max<std::size_t>(1, n / 4));
  if (options_.incumbent_seconds && !pruned(n)) {
    // The next number of samples at which it would be outpaced if it went on as until now.
    const bool all_long = n > 0 ? !has_short_samples() : *options_.incumbent_seconds >= long_sample;
    std::size_t race = std::max(all_long ? 1 : first_race, n + 1);
    while (n > 0 && race <= race_without_slack && !pruned(race)) ++race;
    if (n == 0 || race <= race_without_slack) target = std::min(target, race);
  }
  return static_cast<int>(target - n);
}

}  // namespace tune
