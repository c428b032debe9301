// SPDX-License-Identifier: Apache-2.0
// The variant `tensor`: products by tensor cores. Doubles are strict; floats need `arithmetic` to allow tf32.
#pragma once

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

/// Doubles, and floats in tf32x3 or tf32.
bool tensor_applies(const GemmJob& job);
Result<LaunchPlan> plan_tensor(const GemmJob& job, const Configuration& configuration,
                               const KernelSources& sources);
void add_tensor_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device);
GemmTile tile_of_tensor(const Configuration& configuration);

/// Threads of a block of a configuration.
std::int64_t tensor_threads(const Configuration& configuration);
/// How far the results of a configuration may be from the reference: what its arithmetic gives, not what the
/// job allows.
Tolerance tensor_tolerance(const GemmJob& job, const Configuration& configuration);

}  // namespace tune::kernels
