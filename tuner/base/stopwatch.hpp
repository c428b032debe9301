// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace tune {

/// Returns the seconds since a fixed point of this machine's steady clock.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Measures the time since its construction.
class Stopwatch {
 public:
  double seconds() const { return seconds_now() - start_; }

 private:
  double start_ = seconds_now();
};

/// Returns the seconds since the first call: a program that calls it first knows how long it has run.
inline double seconds_of_program() {
  static const Stopwatch since_start;
  return since_start.seconds();
}

}  // namespace tune
