// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/backends/binary.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Holds a launch against the limits of the device and of the kernel (registers, max_threads,
/// static_shared_memory of `kernel`). Failure{resources} names demand and limit: `block`, `threads`,
/// `registers`, `grid` or `shared memory`. Asks no device.
Result<void> check_launch(const DeviceProperties& device, const KernelResources& kernel,
                          const Launch& launch);

/// What only the occupancy tells, `blocks_per_multiprocessor` of `kernel`: that a block fits at all, and that
/// all blocks of a cooperative grid are resident at once. Failure{resources}: `occupancy`, `cooperative
/// grid`.
Result<void> check_residency(const DeviceProperties& device, const KernelResources& kernel,
                             const Launch& launch);

}  // namespace tune::cuda
