// SPDX-License-Identifier: Apache-2.0
// The variants `tile` and `prefetch`: square tiles in shared memory.
#pragma once

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

bool tile_applies(const GemmJob& job);
Result<LaunchPlan> plan_tile(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources);
void add_tile_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device);
GemmTile tile_of_tile(const Configuration& configuration);

}  // namespace tune::kernels
