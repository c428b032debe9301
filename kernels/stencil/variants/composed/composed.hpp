// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Sweeps that apply the stencil convolved with itself, `fused` steps each. What lies so near to a face that
/// a boundary has a say in one of these steps is computed step by step (rim.cuh), and so are the steps that
/// are left over.
Result<LaunchPlan> plan_composed(const StencilJob& job, const Configuration& configuration,
                                 const KernelSources& sources);

/// Steps that a sweep may compose at most: the weights of the box that they reach fit constant memory, beside
/// the stencil's own points. Less than 2 where it cannot.
int max_composed(const StencilJob& job);
bool composed_applies(const StencilJob& job);

}  // namespace tune::kernels
