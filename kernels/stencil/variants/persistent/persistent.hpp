// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Plans one cooperative launch for all time steps, whose blocks meet at a barrier of the grid between two.
Result<LaunchPlan> plan_persistent(const StencilJob& job, const Configuration& configuration,
                                   const KernelSources& sources);

/// True for at least two steps and weights that fit constant memory.
bool persistent_applies(const StencilJob& job);

}  // namespace tune::kernels
