// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/backends/binary.hpp"
#include "tuner/backends/runner.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/device/machine_state.hpp"

namespace tune {

/// A device with its compiler and runner: `cuda` is real, others check the same sources on the CPU.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceProperties& properties() const = 0;
  virtual const Compiler& compiler() const = 0;
  virtual Runner& runner() = 0;
  virtual MachineState machine_state() = 0;
};

}  // namespace tune
