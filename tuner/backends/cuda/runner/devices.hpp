// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/device/device_properties.hpp"

/// The devices of this machine. Every build has these functions; they report what is missing.
namespace tune::cuda {

/// Returns all devices, numbered as in the list, without measured bandwidths. Empty where there is no device
/// or no driver, or the program was built without CUDA: `failure_reason` (may be null) then names the cause
/// in one line. Never throws for that.
std::vector<DeviceProperties> list_devices(std::string* failure_reason);

/// True where list_devices() is empty although this machine has a GPU: its driver is too old or does not
/// start, the program may not open it, or was built without CUDA. False where $CUDA_VISIBLE_DEVICES hides it.
bool has_unusable_gpu();

/// Takes a device, with compiler and runner. Throws Error where there is no such device, or no NVRTC.
std::unique_ptr<Backend> open_device(int number);

/// Takes a device to launch on streams of this program. Throws Error where there is no such device.
std::unique_ptr<StreamRunner> open_stream_runner(int number);

}  // namespace tune::cuda
