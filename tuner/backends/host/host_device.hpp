// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tuner/device/device_properties.hpp"

namespace tune::host {

/// Returns the facts of this machine as those of a device: the processor's model, the cores that this process
/// may use as multiprocessors of one lane, memory, caches, vectors, highest clock and what governs it, and
/// the kernel's release as driver. `root`: of the file system.
DeviceProperties device_properties(const std::filesystem::path& root = "/");

/// Returns the names of the processor's instruction sets and features, as the system lists them.
std::string instruction_sets(const std::filesystem::path& root = "/");

/// The machine right now.
MachineState machine_state();

}  // namespace tune::host
