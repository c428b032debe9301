// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/timing.hpp"

#include <array>
#include <cmath>

#include "tuner/base/enum_names.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 4> stop_reason_names = {"precise", "outpaced", "samples", "time"};
constexpr std::array<std::string_view, 2> cache_names = {"cold", "warm"};

/// `+0.31`; zero always has the same sign.
std::string percent_of(double ratio) {
  const double percent = std::round(10'000 * (ratio - 1)) / 100;
  return format("{:+.2f}", percent == 0 ? 0.0 : percent);
}

std::string_view stop_text(StopReason reason) {
  constexpr std::array<std::string_view, 4> texts = {"precise enough", "slower than the incumbent",
                                                     "sample limit reached", "time limit reached"};
  return texts.at(static_cast<std::size_t>(reason));
}

}  // namespace

std::string_view to_string(CacheState state) {
  return cache_names.at(static_cast<std::size_t>(state));
}

CacheState cache_state_from_string(std::string_view name) {
  return enum_from_name<CacheState>(cache_names, name, "state of the caches");
}

std::string_view to_string(StopReason reason) {
  return stop_reason_names.at(static_cast<std::size_t>(reason));
}

StopReason stop_reason_from_string(std::string_view name) {
  return enum_from_name<StopReason>(stop_reason_names, name, "reason to stop");
}

std::string to_text(const MachineState& machine) {
  std::vector<std::string> parts;
  if (machine.core_clock > 0) parts.push_back("core " + si(machine.core_clock, "Hz"));
  if (machine.memory_clock > 0) parts.push_back("memory " + si(machine.memory_clock, "Hz"));
  if (machine.temperature > 0) parts.push_back(format("{:.0f} C", machine.temperature));
  if (machine.power > 0) parts.push_back(format("{:.0f} W", machine.power));
  if (!machine.throttle.empty()) parts.push_back("throttled: " + machine.throttle);
  return joined(parts);
}

std::string to_text(const Timing& timing) {
  std::vector<std::string> parts = {format("stopped: {}", stop_text(timing.stop))};
  if (timing.executions > 1) parts.push_back(format("{} executions a sample", timing.executions));
  if (timing.throttled > 0)
    parts.push_back(counted(static_cast<std::uint64_t>(timing.throttled), "sample") +
                    " dropped for throttling");
  if (timing.energy > 0) parts.push_back(si(timing.energy, "J"));
  return joined(parts);
}

std::string interval_text(const MedianInterval& interval, std::string_view unit) {
  if (interval.confidence == 0) return format("{}, from one measurement", si(interval.median, unit));
  return format("{} to {} with {} confidence", si(interval.low, unit), si(interval.high, unit),
                percent_text(interval.confidence));
}

std::string difference_text(const MedianInterval& ratio) {
  if (ratio.confidence == 0) return format("{} %", percent_of(ratio.median));
  return format("{} % ({} to {} %)", percent_of(ratio.median), percent_of(ratio.low), percent_of(ratio.high));
}

}  // namespace tune
