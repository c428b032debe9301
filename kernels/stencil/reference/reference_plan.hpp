// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Whether `stencil_reference` takes a second or more on a host of a few cores, and a device can do it: the
/// stencil's points fit its constant memory, and a row of blocks the rows.
bool takes_long(const StencilJob& job);

/// The same as `stencil_reference` on a device: `in` of the job's type, `out` of doubles, dense. Steps one
/// after another, each the plain sum over the points in double precision.
Result<LaunchPlan> plan_stencil_reference(const StencilJob& job, const KernelSources& sources);

}  // namespace tune::kernels
