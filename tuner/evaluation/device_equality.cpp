// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/device_equality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune {

DeviceEquality::DeviceEquality(std::vector<std::string> names) {
  for (std::string& name : names) devices_.emplace_back().name = std::move(name);
}

std::size_t DeviceEquality::first() const {
  const auto found = std::ranges::find_if(devices_, [this](const Device& one) { return takes_part(one); });
  return static_cast<std::size_t>(found - devices_.begin());
}

std::size_t DeviceEquality::taking_part() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(devices_, [this](const Device& one) { return takes_part(one); }));
}

bool DeviceEquality::may_evaluate(std::size_t device) const {
  const Device& one = devices_[device];
  if (!takes_part(one) || device == first()) return takes_part(one);
  return one.equal && !(one.in_round && !one.ratios.empty());
}

bool DeviceEquality::wants_round() const {
  if (taking_part() < 2 || std::ranges::any_of(devices_, &Device::in_round)) return false;
  const bool all_equal = std::ranges::all_of(devices_, [&](const Device& one) {
    return !takes_part(one) || one.equal || &one == &devices_[first()];
  });
  return !all_equal || since_round_ >= interval * taking_part();
}

void DeviceEquality::begin_round(std::optional<double> seconds) {
  since_round_ = 0;
  for (Device& one : devices_) {
    one.in_round = takes_part(one);
    one.seconds = 0;
    one.ratios.clear();
  }
  if (!seconds) return;
  devices_[first()].seconds = *seconds;
  devices_[first()].in_round = false;
}

bool DeviceEquality::owes(std::size_t device) const {
  const Device& one = devices_[device];
  return takes_part(one) && one.in_round && one.seconds == 0;
}

DeviceEquality::Verdict DeviceEquality::add(std::size_t device, std::optional<double> seconds,
                                            const std::string& failure) {
  Device& one = devices_[device];
  one.seconds = seconds.value_or(std::numeric_limits<double>::infinity());
  one.failure = failure;
  if (device == first()) {
    if (!seconds) {
      one.ratios.push_back(one.seconds);
      one.seconds = 0;
      if (one.ratios.size() < trials) return {};
      return {leave_out(device, format("it fails what it measured before: {}", failure))};
    }
    one.in_round = false;
    one.ratios.clear();
  }
  Verdict verdict;
  for (std::size_t other = 0; other < devices_.size(); ++other) judge(other, verdict);
  return verdict;
}

/// Compares a device with the first one, where both have timed the common configuration.
void DeviceEquality::judge(std::size_t device, Verdict& verdict) {
  Device& one = devices_[device];
  Device& reference = devices_[first()];
  if (&one == &reference || !takes_part(one) || !one.in_round || one.seconds == 0 || reference.seconds == 0)
    return;
  const auto fits = [](double ratio) { return std::abs(ratio - 1) <= tolerance; };
  one.ratios.push_back(one.seconds / reference.seconds);
  double ratio = one.ratios.front();
  if (!(one.ratios.size() == 1 && fits(ratio))) {
    if (one.ratios.size() < trials) {  // both once more
      one.seconds = reference.seconds = 0;
      reference.in_round = true;
      return;
    }
    ratio = median(one.ratios);
  }
  one.in_round = false;
  if (std::isfinite(ratio)) {
    one.share.ratio = ratio;
    verdict.ratios.emplace_back(device, ratio);
  }
  one.equal = fits(ratio);
  if (one.equal) return;
  verdict.line +=
      (verdict.line.empty() ? "" : "; ") +
      leave_out(device, std::isfinite(ratio)
                            ? format("it takes {:.3f} times as long as {} for the same configuration", ratio,
                                     reference.name)
                            : format("it fails what {} measures: {}", reference.name, one.failure));
}

void DeviceEquality::count(std::size_t device, bool is_doubtful) {
  Device& one = devices_[device];
  ++one.share.evaluations;
  ++since_round_;
  one.doubtful = is_doubtful ? one.doubtful + 1 : 0;
  if (one.doubtful < suspicious || taking_part() < 2) return;
  one.doubtful = 0;
  one.in_round = true;
  one.seconds = 0;
  one.ratios.clear();
}

std::string DeviceEquality::leave_out(std::size_t device, const std::string& why) {
  Device& one = devices_[device];
  const bool was_first = device == first();
  one.share.left_out = why;
  one.in_round = false;
  if (was_first && taking_part() > 0) {
    for (Device& other : devices_) {
      other.in_round = false;
      other.seconds = 0;
      other.ratios.clear();
    }
    devices_[first()].equal = true;
  }
  return format("{} is left out: {}; the run goes on with {}", one.name, why,
                counted(taking_part(), "device"));
}

std::vector<DeviceShare> DeviceEquality::shares() const {
  std::vector<DeviceShare> all;
  for (const Device& one : devices_) all.push_back(one.share);
  return all;
}

}  // namespace tune
