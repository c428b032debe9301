// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/stopping_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tune {

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
    throw std::invalid_argument("a sample that is no time");
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
