// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/device_properties.hpp"
#include "tuner/measurement/median_interval.hpp"

namespace tune {

/// Of the caches when an execution starts: nothing of the buffers in them, or what the execution before left.
enum class CacheState { cold, warm };
/// `cold`, `warm`: as stored and as typed.
std::string_view to_string(CacheState state);
/// Throws std::invalid_argument for an unknown name.
CacheState cache_state_from_string(std::string_view name);

/// How to time a configuration and when enough is known.
struct MeasureOptions {
  int warmup = 2;        ///< executions before the first sample
  int min_samples = 7;   ///< before the spread may end it
  int max_samples = 60;  ///< at the latest
  double spread = 0.01;  ///< ends when the interval of the median is within this share of it
  /// Seconds on the device, flushes included; the least number of samples is taken anyway.
  double time_cap = 1.0;
  bool flush_cache = true;  ///< L2 holds nothing of the buffers when an execution starts
  /// Seconds: ends as soon as it is clear that the median is above it.
  std::optional<double> incumbent_seconds = {};
  bool energy = false;  ///< measure joules an execution too: takes about half a second more
};

/// Why no further sample was taken.
enum class StopReason { precise, pruned, samples, time };
/// `precise`, `outpaced`, `samples`, `time`: as stored and as shown.
std::string_view to_string(StopReason reason);
/// Throws std::invalid_argument for an unknown name.
StopReason stop_reason_from_string(std::string_view name);

/// What measuring one configuration gave.
struct Timing {
  std::vector<double> samples;  ///< seconds an execution, in the order taken
  StopReason stop = StopReason::samples;
  int executions = 1;  ///< behind each sample: above 1 where a single one is too short to time
  /// Samples taken while a power cap, heat or the like slowed the device down. They were dropped and taken
  /// again, but for a device that did not recover; machine.throttle says why.
  int throttled = 0;
  double energy = 0;          ///< joules an execution; 0 where it was not asked for or cannot be read
  MachineState machine = {};  ///< right after it, throttle reasons of all the while
};

}  // namespace tune

/// Words for measurements that the command line and the reports share.
namespace tune {

/// `core 1.98 GHz, memory 3.2 GHz, 45 C, 620 W, throttled: power cap`: what is known of it, without the host.
std::string to_text(const MachineState& machine);
/// `stopped: precise enough, 3 executions a sample, 2 samples dropped for throttling`; the machine not
/// included.
std::string to_text(const Timing& timing);
/// `1.04 ms to 1.05 ms with 95 % confidence`.
std::string interval_text(const MedianInterval& interval, std::string_view unit);
/// A ratio as a difference: `+0.31 % (-0.05 to +0.62 %)`.
std::string difference_text(const MedianInterval& ratio);

}  // namespace tune
