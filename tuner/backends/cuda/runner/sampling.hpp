// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::cuda {

/// Mean power of a device that is busy all the time, from readings of a counter of joules that moves in
/// steps, some tens of milliseconds apart. It is taken from step to step: from the moment in which the
/// counter moved first to one that is at least `min_seconds` later, so that what a step holds back is the
/// same at both ends.
class EnergyWindow {
 public:
  explicit EnergyWindow(double min_seconds) : min_seconds_(min_seconds) {}

  /// A reading; times and joules never fall. True once there are enough.
  bool add(double seconds, double joules);
  /// 0 before there are enough.
  double watts() const { return watts_; }

 private:
  struct Reading {
    double seconds;
    double joules;
  };
  double min_seconds_;
  std::optional<Reading> last_;
  std::vector<Reading> first_step_;  ///< none before the reading moved
  double watts_ = 0;
};

/// What takes samples: a plan on a device, or an invention of a test.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Takes so many samples: seconds an execution. A failure of the kernel.
  virtual Result<std::vector<double>> take(int samples) = 0;
  /// What all executions so far took on the device, flushes included.
  virtual double device_seconds() const = 0;
  /// Why clocks are held back now, as NVML's bits.
  virtual std::uint64_t throttle_reasons() = 0;
  /// Leaves the device alone for a moment, so that it cools down or its power falls.
  virtual void rest() = 0;
};

/// Those reasons that make the device slower than it is as a rule: a cap of the power, heat, the hardware's
/// protection. Not idleness, clocks that somebody has fixed, or clocks in step with other devices.
bool slows_down(std::uint64_t throttle_reasons);

/// Takes samples in batches until a StoppingRule has enough of them. What was taken while the device was
/// slowed down is dropped and taken again after a rest, three times at most: a device that is always slow is
/// measured as it is. Fills samples, stop, throttled and machine.throttle.
Result<Timing> take_samples(Sampler& sampler, const MeasureOptions& options);

}  // namespace tune::cuda
