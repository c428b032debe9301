// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/sampling.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/measurement/stopping_rule.hpp"

namespace tune {

bool EnergyWindow::add(double seconds, double joules) {
  if (watts_ > 0) return true;
  const bool moves = has_read_ && joules > last_.joules;
  last_ = {seconds, joules};
  has_read_ = true;
  if (!moves) return false;
  if (!has_moved_) {
    first_step_ = last_;
    has_moved_ = true;
    return false;
  }
  const double duration = seconds - first_step_.seconds;
  if (duration < min_seconds_) return false;
  watts_ = (joules - first_step_.joules) / duration;
  return true;
}

namespace {

/// Samples between two waits: the queue of a stream holds about a thousand launches.
constexpr int max_at_once = 64;

/// How often samples that were taken under throttling are taken again. A long execution reaches the power cap
/// by itself.
constexpr int max_repeats = 3;
constexpr int max_repeats_of_long = 1;

int repeats_of(const std::vector<double>& seconds) {
  return std::ranges::min(seconds) < long_sample ? max_repeats : max_repeats_of_long;
}

}  // namespace

std::string throttle_text(std::uint64_t reasons) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 8> names{{
      {0x02, "fixed clocks"},
      {0x04, "power cap"},
      {0x08, "hardware slowdown"},
      {0x10, "sync boost"},
      {0x20, "thermal"},
      {0x40, "hardware thermal"},
      {0x80, "power brake"},
      {0x100, "display clocks"},
  }};
  std::vector<std::string_view> found;
  for (const auto& [bit, name] : names)
    if ((reasons & bit) != 0) found.emplace_back(name);
  return joined(found);
}

bool slows_down(std::uint64_t throttle_reasons) {
  constexpr std::uint64_t power_cap = 0x04;
  constexpr std::uint64_t hardware_slowdown = 0x08;
  constexpr std::uint64_t thermal = 0x20;
  constexpr std::uint64_t hardware_thermal = 0x40;
  constexpr std::uint64_t power_brake = 0x80;
  return (throttle_reasons & (power_cap | hardware_slowdown | thermal | hardware_thermal | power_brake)) != 0;
}

std::optional<double> first_sample(const MeasureOptions& options) {
  const bool is_long = options.checked_seconds.value_or(0) >= long_sample;
  return is_long && options.flush_cache ? options.checked_seconds : std::nullopt;
}

Result<Timing> take_samples(Sampler& sampler, const MeasureOptions& options) {
  StoppingRule rule(options);
  Timing timing;
  std::optional<StopReason> stop;
  int repeats = 0;
  std::uint64_t seen = 0;
  std::uint64_t before = sampler.throttle_reasons();
  if (const auto first = first_sample(options);
      first && (!slows_down(before) || rule.far_slower_than_incumbent({&*first, 1}))) {
    rule.add(*first);
    timing.samples.push_back(*first);
    seen = before;
    stop = rule.decision(*first);
  }
  while (!stop) {
    const int batch = std::min(rule.next_batch(), max_at_once);
    const auto seconds = sampler.take(batch);
    if (!seconds) return tl::unexpected(seconds.error());
    const std::uint64_t after = sampler.throttle_reasons();
    const std::uint64_t during = before | after;
    before = after;
    seen |= during;
    if (slows_down(during)) {
      timing.throttled += batch;
      if (repeats < repeats_of(*seconds) && !rule.far_slower_than_incumbent(*seconds)) {
        ++repeats;
        sampler.rest();
        before = sampler.throttle_reasons();
        continue;
      }
    }
    for (const double sample : *seconds) {
      rule.add(sample);
      timing.samples.push_back(sample);
    }
    stop = rule.decision(sampler.device_seconds());
  }
  timing.stop = *stop;
  timing.machine.throttle = throttle_text(seen);
  return timing;
}

}  // namespace tune
