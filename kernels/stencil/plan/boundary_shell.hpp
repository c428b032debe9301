// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::kernels {

/// Returns the text of `rim_points.cuh`: the points of the job's stencil as arrays in constant memory, for
/// loops over the points.
std::string shell_header(const StencilJob& job);
std::int64_t shell_constant_bytes(const StencilJob& job);

/// Returns launches of `stencil_rim` that compute `steps` time steps of all cells nearer to a face than steps
/// * reach, along every axis, from `source` to `target`. Between them the cells lie in `scratch` (two names,
/// used from the second and third step on). All arrays have this layout.
std::vector<Launch> shell_launches(const StencilJob& job, const Layout& layout, std::int64_t steps,
                                   const std::string& source, const std::string& target,
                                   const std::vector<std::string>& scratch);

/// Returns one time step of the whole array by the same kernel. It is slow: for steps that no other launch
/// can compute.
Launch whole_step(const StencilJob& job, const Layout& layout, const std::string& source,
                  const std::string& target);

}  // namespace tune::kernels
