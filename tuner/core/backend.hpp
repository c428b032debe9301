// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/core/binary.hpp"
#include "tuner/core/device_facts.hpp"
#include "tuner/core/runner.hpp"

namespace tune {

/// State of the machine around a run; zero or empty where it cannot be read.
struct MachineState {
  double core_clock = 0;    ///< Hz, now
  double memory_clock = 0;  ///< Hz, now
  double temperature = 0;   ///< degrees Celsius
  double power = 0;         ///< watts
  std::string throttle;     ///< reasons, comma-separated; empty for none
  std::string host;
};

/// A device with its compiler and runner: `cuda` is real, others check the same sources on the CPU.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual const Compiler& compiler() const = 0;
  virtual Runner& runner() = 0;
  virtual MachineState machine_state() = 0;
};

}  // namespace tune
