// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/device/device_properties.hpp"

/// The devices of this machine: the same functions in every build, which say what is missing where something
/// is.
namespace tune::cuda {

/// All devices, numbered as in the list, without measured bandwidth. Empty where there is none or no driver,
/// or the program was built without CUDA: `failure_reason` (may be null) then says so in one line. Never
/// throws for that.
std::vector<DeviceProperties> list_devices(std::string* failure_reason);

/// Takes a device, with compiler and runner. Throws Error where there is no such device, or no NVRTC.
std::unique_ptr<Backend> open_device(int number);

/// Launches on streams of this program on that device. Throws Error where there is no such device.
std::unique_ptr<StreamRunner> open_stream_runner(int number);

}  // namespace tune::cuda
