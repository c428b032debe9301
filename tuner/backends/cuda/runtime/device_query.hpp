// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/backends/cuda/toolkit/nvml.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// Returns the number of devices that the driver shows; 0 where there is no device or no usable driver:
/// `failure_reason` (may be null) then has the cause in one line. Never throws.
int device_count(std::string* failure_reason);

/// True where there is a driver, and asking it for devices ends with an error.
bool driver_fails();

/// Reads a device's properties from the runtime and, where `nvml` is not null, from the driver's management
/// library. Throws Error for an unknown number.
DeviceProperties query_device(int number, const Nvml* nvml);

/// `0000:17:00.0`.
std::string pci_address(int number);

/// Returns the bytes read plus written a second by a copy within the memory of the current device: the median
/// of several copies of 2 GiB, or of less where less is free. 0 where there is no room for a useful copy.
double measure_copy_bandwidth();

/// Bytes a second between pinned memory of the host and the current device.
struct HostBandwidth {
  double to_device = 0;
  double to_host = 0;
};

/// Takes the fastest of several copies of 128 MiB each way, one at a time, because other users of the bus or
/// the host's memory only slow them down. 0 where there is no room for them.
HostBandwidth measure_host_bandwidth();

}  // namespace tune::cuda
