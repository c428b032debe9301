// SPDX-License-Identifier: Apache-2.0
// The variant `async`: tiles of threads in registers, slabs on their way by asynchronous copies.
#pragma once

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

Result<LaunchPlan> plan_async(const GemmJob& job, const Configuration& configuration,
                              const KernelSources& sources);
void add_async_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
