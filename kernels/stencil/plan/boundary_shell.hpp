// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::kernels {

/// Text of `rim_points.cuh`: the points of the job's stencil as arrays in constant memory, in loops of which
/// the rim is computed.
std::string shell_header(const StencilJob& job);
/// Bytes of constant memory that these take.
std::int64_t shell_constant_bytes(const StencilJob& job);

/// Launches of `stencil_rim` that compute `steps` time steps of all cells nearer to a face than steps *
/// reach, along every axis, from `source` to `target`; between them the cells lie in `scratch` (two names,
/// used from the second and third step on). All arrays lie as `layout` says.
std::vector<Launch> shell_launches(const StencilJob& job, const Layout& layout, std::int64_t steps,
                                   const std::string& source, const std::string& target,
                                   const std::vector<std::string>& scratch);

/// One time step of the whole array by the same kernel: slow, for what no other launch can do.
Launch whole_step(const StencilJob& job, const Layout& layout, const std::string& source,
                  const std::string& target);

}  // namespace tune::kernels
