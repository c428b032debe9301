// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// What a kernel asks of a multiprocessor.
struct OccupancyDemand {
  int threads = 0;                         ///< a block
  int registers = 0;                       ///< a thread
  std::int64_t static_shared_memory = 0;   ///< bytes a block
  std::int64_t dynamic_shared_memory = 0;  ///< bytes a block
};

/// How many blocks are resident at once.
struct Occupancy {
  int blocks = 0;       ///< a multiprocessor; 0 where the demand cannot run
  double fraction = 0;  ///< resident over possible threads of a multiprocessor, 0 to 1
  /// What bounds it: `threads`, `registers`, `shared memory` or `blocks`; the first of these where several
  /// do, empty where the architecture is not known to the calculator.
  std::string limiter;
};

/// Computes it on the host, from facts alone, by the calculator of the CUDA toolkit: no device is asked. In a
/// build without CUDA everything is zero and empty.
Occupancy occupancy(const DeviceProperties& device, const OccupancyDemand& demand);

}  // namespace tune::cuda
