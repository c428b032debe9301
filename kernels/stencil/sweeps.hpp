// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/job.hpp"
#include "tuner/core/problem.hpp"

namespace tune::kernels {

/// One launch a time step, each reading what the last one wrote.
Result<LaunchPlan> plan_direct(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources);
Result<LaunchPlan> plan_streaming(const StencilJob& job, const Configuration& configuration,
                                  const KernelSources& sources);

/// Weights must fit constant memory and offsets a block's halo.
bool sweeps_apply(const StencilJob& job);

}  // namespace tune::kernels
