// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "tuner/device/device_properties.hpp"

namespace tune::host {

/// Returns the facts of this machine as those of a device: the processor's model, the cores that this process
/// may use as multiprocessors of one lane, memory, last-level cache, highest clock, and the kernel's release
/// as driver. `root`: of the file system.
DeviceProperties device_properties(const std::filesystem::path& root = "/");

/// The machine right now.
MachineState machine_state();

}  // namespace tune::host
