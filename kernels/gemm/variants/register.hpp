// SPDX-License-Identifier: Apache-2.0
// The variant `register`: tiles of threads in registers, slabs on their way in registers too.
#pragma once

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

Result<LaunchPlan> plan_register(const GemmJob& job, const Configuration& configuration,
                                 const KernelSources& sources);
void add_register_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
