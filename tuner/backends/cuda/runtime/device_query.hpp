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

/// Bytes read plus written a second by a copy within the memory of the current device: the median of several
/// copies of 2 GiB, of less where less is free. 0 where there is no room for any copy worth timing.
double measure_copy_bandwidth();

/// Bytes a second between pinned memory of the host and the current device.
struct HostBandwidth {
  double to_device = 0;
  double to_host = 0;
};

/// The fastest of several copies of 128 MiB each way, one at a time: what else uses the bus or the host's
/// memory only slows them down. 0 where there is no room for them.
HostBandwidth measure_host_bandwidth();

}  // namespace tune::cuda
