// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/binary.hpp"
#include "tuner/backends/stream_runner.hpp"
#include "tuner/device/device_properties.hpp"

/// What the rest of the program needs of CUDA: the same functions in every build, which say what is missing
/// where something is.
namespace tune::cuda {

/// All devices, numbered as in the list, without measured bandwidth. Empty where there is none or no driver,
/// or the program was built without CUDA: `failure_reason` (may be null) then says so in one line. Never
/// throws for that.
std::vector<DeviceProperties> list_devices(std::string* failure_reason);

/// Takes a device, with compiler and runner. Throws Error where there is no such device, or no NVRTC.
std::unique_ptr<Backend> open_device(int number);

/// Launches on streams of this program on that device. Throws Error where there is no such device.
std::unique_ptr<StreamRunner> open_stream_runner(int number);

/// A compiler for an architecture such as `sm_90`, without a device. Null where NVRTC is not there or does
/// not know the architecture: `failure_reason` (may be null) then says so in one line.
std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture, std::string* failure_reason);

/// `NVRTC 13.0 in libnvrtc.so.13`, or what is missing, in one line.
std::string toolkit_text();

}  // namespace tune::cuda
