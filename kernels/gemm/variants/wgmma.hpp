// SPDX-License-Identifier: Apache-2.0
// The variant `wgmma`: floats in tf32x3 or tf32 by products of warpgroups, on devices of compute
// capability 9.0.
#pragma once

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

/// Floats whose arithmetic may be tf32x3 or tf32.
bool wgmma_applies(const GemmJob& job);
Result<LaunchPlan> plan_wgmma(const GemmJob& job, const Configuration& configuration,
                              const KernelSources& sources);
void add_wgmma_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device);
GemmTile tile_of_wgmma(const Configuration& configuration);

}  // namespace tune::kernels
