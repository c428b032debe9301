// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

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
  std::optional<Reading> first_step_;
  double watts_ = 0;
};

}  // namespace tune::cuda
