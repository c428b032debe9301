// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/device/device_properties.hpp"
#include "tuner/measurement/median_interval.hpp"

namespace tune {

/// The state of the device's caches when an execution starts: cold, they hold nothing of the buffers; warm,
/// they hold what the execution before left.
enum class CacheState { cold, warm };
/// Returns `cold`, `warm`: as stored and as typed.
std::string_view to_string(CacheState state);
/// Throws std::invalid_argument for an unknown name.
CacheState cache_state_from_string(std::string_view name);

/// How to time a configuration, and when to stop.
struct MeasureOptions {
  int warmup = 2;  ///< executions before the first sample
  int min_samples = 7;
  int max_samples = 60;
  double spread = 0.01;     ///< stop when the interval of the median is within this share of the median
  double time_cap = 1.0;    ///< seconds on the device, flushes included; `min_samples` are taken anyway
  bool flush_cache = true;  ///< L2 holds nothing of the buffers when an execution starts
  /// Seconds: stop as soon as the median is clearly above this.
  std::optional<double> incumbent_seconds = {};
  /// Seconds that the checked execution before took on the device: a long one is the first sample.
  std::optional<double> checked_seconds = {};
  bool energy = false;  ///< measure the joules of an execution too, in about half a second more
};

/// The reason why no further sample was taken.
enum class StopReason { precise, pruned, samples, time };
/// Returns `precise`, `outpaced`, `samples`, `time`: as stored.
std::string_view to_string(StopReason reason);
/// Throws std::invalid_argument for an unknown name.
StopReason stop_reason_from_string(std::string_view name);

/// Numbers by name, in the order in which they are shown.
using Metrics = std::vector<std::pair<std::string, double>>;

/// The samples of one configuration and how they were taken.
struct Timing {
  std::vector<double> samples;  ///< seconds per execution, in the order taken
  StopReason stop = StopReason::samples;
  int executions = 1;  ///< in a sample: above 1 where a single one is too short to time
  /// Samples taken while a power cap, heat or the like slowed the device down (machine.throttle). They were
  /// dropped and taken again, unless the device did not recover.
  int throttled = 0;
  double energy = 0;          ///< joules an execution; 0 where it was not measured
  MachineState machine = {};  ///< right after the last sample, with the throttle reasons of all samples
  Metrics metrics = {};       ///< further figures that another program measured or computed
};

/// `core 1.98 GHz, memory 3.2 GHz, 45 C, 620 W, throttled: power cap`; without the host.
std::string to_text(const MachineState& machine);
/// `stopped: precise enough, 3 executions a sample, 2 samples dropped for throttling`; without the machine.
std::string to_text(const Timing& timing);
/// `1.04 ms to 1.05 ms with 95 % confidence`; of one value `1.04 ms, from one measurement`.
std::string interval_text(const MedianInterval& interval, std::string_view unit);
/// A ratio as a difference: `+0.31 % (-0.05 to +0.62 %)`; of one value `+0.31 %`.
std::string difference_text(const MedianInterval& ratio);

}  // namespace tune
