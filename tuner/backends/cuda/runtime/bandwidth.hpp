// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tune::cuda {

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
