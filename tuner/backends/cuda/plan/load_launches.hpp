// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// Failure{resources, "load"}; the runtime forgets the status.
tl::unexpected<Failure> not_loaded(cudaError_t status, const std::string& what);

/// Everything about a plan's kernel launches, those of the setup first, that needs no memory: kernels found
/// and opted in for their shared memory, limits of the device checked in the order in which they can be
/// asked. Adds to `launches` and `resources`. Throws Error where a kernel takes other arguments than the plan
/// gives.
Result<void> prepare_launches(const DeviceProperties& device, const LaunchPlan& plan, const Binary& binary,
                              const Module& module, std::vector<PreparedLaunch>& launches,
                              std::vector<KernelResources>& resources);

}  // namespace tune::cuda
