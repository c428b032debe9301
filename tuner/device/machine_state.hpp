// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune {

/// State of a device and its machine at one moment; zero or empty where it cannot be read.
struct MachineState {
  double core_clock = 0;    ///< Hz, now
  double memory_clock = 0;  ///< Hz, now
  double temperature = 0;   ///< degrees Celsius
  double power = 0;         ///< watts
  std::string throttle;     ///< reasons, comma-separated; empty for none
  std::string host;
};

}  // namespace tune
