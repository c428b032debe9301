// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/timing.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 4> stop_reason_names = {"precise", "outpaced", "samples", "time"};

constexpr std::array<std::string_view, 2> cache_names = {"cold", "warm"};

}  // namespace

std::string_view to_string(CacheState state) {
  return cache_names.at(static_cast<std::size_t>(state));
}

CacheState cache_state_from_string(std::string_view name) {
  for (std::size_t i = 0; i < cache_names.size(); ++i)
    if (cache_names[i] == name) return static_cast<CacheState>(i);
  throw std::invalid_argument("unknown state of the cache '" + std::string(name) + "'");
}

std::string_view to_string(StopReason reason) {
  return stop_reason_names.at(static_cast<std::size_t>(reason));
}

StopReason stop_reason_from_string(std::string_view name) {
  for (std::size_t i = 0; i < stop_reason_names.size(); ++i)
    if (stop_reason_names[i] == name) return static_cast<StopReason>(i);
  throw std::invalid_argument("unknown reason to stop '" + std::string(name) + "'");
}

namespace {

void add(std::string& text, const std::string& part) {
  text += (text.empty() ? "" : ", ") + part;
}

/// `+0.31`; zero has no sign that changes.
std::string percent_of(double ratio) {
  const double percent = std::round(10'000 * (ratio - 1)) / 100;
  return format("{:+.2f}", percent == 0 ? 0.0 : percent);
}

std::string_view stop_text(StopReason reason) {
  switch (reason) {
    case StopReason::precise:
      return "precise enough";
    case StopReason::pruned:
      return "slower than the incumbent";
    case StopReason::samples:
      return "sample limit reached";
    case StopReason::time:
      return "time limit reached";
  }
  return "";
}

}  // namespace

std::string to_text(const MachineState& machine) {
  std::string text;
  if (machine.core_clock > 0) add(text, "core " + si(machine.core_clock, "Hz"));
  if (machine.memory_clock > 0) add(text, "memory " + si(machine.memory_clock, "Hz"));
  if (machine.temperature > 0) add(text, format("{:.0f} C", machine.temperature));
  if (machine.power > 0) add(text, format("{:.0f} W", machine.power));
  if (!machine.throttle.empty()) add(text, "throttled: " + machine.throttle);
  return text;
}

std::string to_text(const Timing& timing) {
  std::string text = format("stopped: {}", stop_text(timing.stop));
  if (timing.executions > 1) add(text, format("{} executions a sample", timing.executions));
  if (timing.throttled > 0)
    add(text,
        format("{} sample{} dropped for throttling", timing.throttled, timing.throttled == 1 ? "" : "s"));
  if (timing.energy > 0) add(text, si(timing.energy, "J"));
  return text;
}

std::string interval_text(const MedianInterval& interval, std::string_view unit) {
  return format("{} to {} with {} confidence", si(interval.low, unit), si(interval.high, unit),
                percent_text(interval.confidence));
}

std::string difference_text(const MedianInterval& ratio) {
  return format("{} % ({} to {} %)", percent_of(ratio.median), percent_of(ratio.low), percent_of(ratio.high));
}

}  // namespace tune
