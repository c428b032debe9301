// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// The needs of a block of a kernel.
struct OccupancyDemand {
  int threads = 0;                         ///< a block
  int registers = 0;                       ///< a thread
  std::int64_t static_shared_memory = 0;   ///< bytes a block
  std::int64_t dynamic_shared_memory = 0;  ///< bytes a block
};

/// The blocks that are resident at once.
struct Occupancy {
  int blocks = 0;       ///< per SM; 0 if the demand cannot run
  double fraction = 0;  ///< resident over possible threads of an SM, 0 to 1
  /// The limit: `threads`, `registers`, `shared memory` or `blocks`; the first of these where several apply,
  /// empty where the calculator does not know the architecture.
  std::string limiter;
};

/// Computes the occupancy on the host with the CUDA toolkit's calculator, without a device.
Occupancy occupancy(const DeviceProperties& device, const OccupancyDemand& demand);

/// Compares a launch with the limits of the device and of the kernel (registers, max_threads,
/// static_shared_memory of `kernel`). Failure{resources} names demand and limit: `block`, `threads`,
/// `registers`, `grid` or `shared memory`.
Result<void> check_launch(const DeviceProperties& device, const KernelResources& kernel,
                          const Launch& launch);

/// Checks by `blocks_per_multiprocessor` of `kernel` that a block fits at all, and that all blocks of a
/// cooperative grid are resident at once. Failure{resources}: `occupancy`, `cooperative grid`.
Result<void> check_residency(const DeviceProperties& device, const KernelResources& kernel,
                             const Launch& launch);

}  // namespace tune::cuda
