// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune {

/// The mean power of a device that is busy all the time, from readings of a counter of joules that moves in
/// steps some tens of milliseconds apart. The window begins when the counter moves first and ends with a
/// step at least `min_seconds` later, so that the error of a step is the same at both ends.
class EnergyWindow {
 public:
  explicit EnergyWindow(double min_seconds) : min_seconds_(min_seconds) {}

  /// Adds a reading; times and joules never fall. True once there are enough readings.
  bool add(double seconds, double joules);
  /// 0 before there are enough readings.
  double watts() const { return watts_; }

 private:
  struct Reading {
    double seconds = 0;
    double joules = 0;
  };
  double min_seconds_;
  bool has_read_ = false;
  bool has_moved_ = false;
  Reading last_;
  Reading first_step_;  ///< the first reading at which the counter had moved
  double watts_ = 0;
};

/// Takes samples: of a plan on a device, or as a test invents them.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Takes so many samples, in seconds an execution. Returns a failure of the kernel.
  virtual Result<std::vector<double>> take(int samples) = 0;
  /// Returns how long all executions so far took on the device, flushes included.
  virtual double device_seconds() const = 0;
  /// Returns why clocks are held back now, as NVML's bits.
  virtual std::uint64_t throttle_reasons() = 0;
  /// Leaves the device idle for a moment, so that it cools down or its power falls.
  virtual void rest() = 0;
};

/// Returns the reasons (NVML's bits) by name, `power cap, thermal`; empty for none. Idleness does not count.
std::string throttle_text(std::uint64_t reasons);

/// True for reasons that make the device slower than usual: a power cap, heat, the hardware's protection. Not
/// for idleness, fixed clocks, or clocks in step with other devices.
bool slows_down(std::uint64_t throttle_reasons);

/// Returns the checked execution before, if it can count as a sample: long enough for its surroundings not to
/// matter, and with a cold cache if that is asked for.
std::optional<double> first_sample(const MeasureOptions& options);

/// Takes samples in batches until a StoppingRule has enough of them. Samples of a device that was slowed down
/// are dropped and taken again after a rest, three times at most: a device that is always slow is measured as
/// it is. Takes none where `first_sample` shows that the configuration lost. Fills samples, stop, throttled
/// and machine.throttle.
Result<Timing> take_samples(Sampler& sampler, const MeasureOptions& options);

}  // namespace tune
