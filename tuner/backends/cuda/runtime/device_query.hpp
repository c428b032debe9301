// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/backends/cuda/toolkit/nvml.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// Number of devices that the driver shows; 0 where there is none or no usable driver, and `failure_reason`
/// (may be null) then says which, in one line. Never throws.
int device_count(std::string* failure_reason);

/// Facts of a device, by the runtime and, where `nvml` is not null, the driver's management library. Throws
/// Error for a number that is none.
DeviceProperties query_device(int number, const Nvml* nvml);

/// `0000:17:00.0`.
std::string pci_address(int number);

}  // namespace tune::cuda
