// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Launches that fuse `fused` time steps each, and one for what is left over.
Result<LaunchPlan> plan_temporal(const StencilJob& job, const Configuration& configuration,
                                 const KernelSources& sources);

/// Sums of a level are unrolled: neither reach nor points may be large. The cell itself must be a point, and
/// in three dimensions some point must lie beside it along y.
bool temporal_applies(const StencilJob& job);

}  // namespace tune::kernels
