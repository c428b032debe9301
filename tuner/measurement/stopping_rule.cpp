// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/stopping_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tuner/measurement/median_interval.hpp"

namespace tune {
namespace {

constexpr std::size_t first_race = 3;  ///< samples before a configuration may be pruned
constexpr std::size_t race_without_slack = 9;
constexpr double slack_per_sample = 0.0125;  ///< for each sample short of race_without_slack
/// The slack of one and of two long samples: fewer than three are enough where they are far slower.
constexpr double slack_of_long[] = {1.0, 0.3};
/// A configuration that takes so many times as long as the fastest loses whatever slowed the device down.
constexpr double far_slower_factor = 2;

double slack_of(std::size_t samples) {
  if (samples < first_race) return slack_of_long[samples - 1];
  const std::size_t missing = samples < race_without_slack ? race_without_slack - samples : 0;
  return slack_per_sample * static_cast<double>(missing);
}

bool has_short_samples(const SampleState& samples) {
  return samples.sorted.front() < long_sample;
}

}  // namespace

std::vector<StoppingCriterion::Parameter> PrecisionCriterion::parameters() const {
  return {{"max_noise", max_noise_}, {"min_samples", static_cast<double>(min_samples_)}};
}

std::optional<StopReason> PrecisionCriterion::decision(const SampleState& samples) const {
  if (samples.count() < min_samples_) return std::nullopt;
  const MedianInterval interval = interval_of_sorted(samples.sorted, measuring_confidence);
  if ((interval.high - interval.low) / 2 > max_noise_ * interval.median) return std::nullopt;
  return StopReason::precise;
}

/// Looks again at the least number of samples, then after a quarter more: the interval narrows with the
/// square root.
std::optional<std::size_t> PrecisionCriterion::next_look(const SampleState& samples) const {
  const std::size_t n = samples.count();
  return n < min_samples_ ? min_samples_ : n + std::max<std::size_t>(1, n / 4);
}

std::vector<StoppingCriterion::Parameter> SampleLimit::parameters() const {
  return {{"max_samples", static_cast<double>(max_samples_)}};
}

std::optional<StopReason> SampleLimit::decision(const SampleState& samples) const {
  if (samples.count() < max_samples_) return std::nullopt;
  return StopReason::samples;
}

std::vector<StoppingCriterion::Parameter> TimeLimit::parameters() const {
  return {{"max_seconds", max_seconds_}, {"min_samples", static_cast<double>(min_samples_)}};
}

std::optional<StopReason> TimeLimit::decision(const SampleState& samples) const {
  if (samples.count() < min_samples_ || samples.device_seconds < max_seconds_) return std::nullopt;
  return StopReason::time;
}

std::vector<StoppingCriterion::Parameter> RacingCriterion::parameters() const {
  return {{"incumbent_seconds", incumbent_seconds_}};
}

/// True where the smallest sample so far would prune the configuration if there were `count` samples.
bool RacingCriterion::is_pruned_at(std::size_t count, const SampleState& samples) const {
  if (samples.count() == 0 || count == 0) return false;
  if (count < first_race && has_short_samples(samples)) return false;
  return samples.sorted.front() > incumbent_seconds_ * (1 + racing_tolerance + slack_of(count));
}

/// Short samples go on until they are precise: single launches of some kernels differ by 10 % (H200), and 20
/// of them are too few.
std::optional<StopReason> RacingCriterion::decision(const SampleState& samples) const {
  if (!is_pruned_at(samples.count(), samples)) return std::nullopt;
  if (has_short_samples(samples) && !limit_.decision(samples) && !precision_.decision(samples))
    return std::nullopt;
  return StopReason::pruned;
}

/// Returns the next number of samples at which the configuration would be pruned if it went on as before.
std::optional<std::size_t> RacingCriterion::next_look(const SampleState& samples) const {
  const std::size_t n = samples.count();
  if (is_pruned_at(n, samples)) return std::nullopt;
  const bool all_long = n > 0 ? !has_short_samples(samples) : incumbent_seconds_ >= long_sample;
  std::size_t race = std::max(all_long ? 1 : first_race, n + 1);
  while (n > 0 && race <= race_without_slack && !is_pruned_at(race, samples)) ++race;
  if (n > 0 && race > race_without_slack) return std::nullopt;
  return race;
}

bool RacingCriterion::far_slower_than_incumbent(std::span<const double> samples) const {
  if (samples.empty()) return false;
  const double min = std::ranges::min(samples);
  return min >= long_sample && min > incumbent_seconds_ * far_slower_factor;
}

StoppingRule::StoppingRule(const MeasureOptions& options) {
  const auto min_samples = static_cast<std::size_t>(std::max(1, options.min_samples));
  const auto max_samples = std::max(min_samples, static_cast<std::size_t>(std::max(1, options.max_samples)));
  const PrecisionCriterion precision(options.spread, min_samples);
  const SampleLimit limit(max_samples);
  if (options.incumbent_seconds) {
    auto racing = std::make_unique<RacingCriterion>(*options.incumbent_seconds, precision, limit);
    racing_ = racing.get();
    criteria_.push_back(std::move(racing));
  }
  criteria_.push_back(std::make_unique<PrecisionCriterion>(precision));
  criteria_.push_back(std::make_unique<SampleLimit>(limit));
  criteria_.push_back(std::make_unique<TimeLimit>(options.time_cap, min_samples));
}

void StoppingRule::add(double sample_seconds) {
  if (!std::isfinite(sample_seconds) || sample_seconds < 0)
    throw std::invalid_argument("a sample must be a finite time of at least 0");
  sorted_.insert(std::ranges::upper_bound(sorted_, sample_seconds), sample_seconds);
}

std::optional<StopReason> StoppingRule::decision(double device_seconds_so_far) const {
  for (const auto& criterion : criteria_)
    if (const auto reason = criterion->decision({sorted_, device_seconds_so_far})) return reason;
  return std::nullopt;
}

bool StoppingRule::far_slower_than_incumbent(std::span<const double> samples) const {
  return racing_ != nullptr && racing_->far_slower_than_incumbent(samples);
}

int StoppingRule::next_batch() const {
  std::size_t target = std::numeric_limits<std::size_t>::max();
  for (const auto& criterion : criteria_)
    if (const auto look = criterion->next_look({sorted_})) target = std::min(target, *look);
  return target > sorted_.size() ? static_cast<int>(target - sorted_.size()) : 1;
}

}  // namespace tune
