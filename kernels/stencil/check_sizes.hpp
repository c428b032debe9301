// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "search/space/configuration.hpp"

namespace tune::kernels {

/// A small job, in the axes of the kernels.
struct CheckSize {
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 1;
};

/// Sizes that are no multiples of anything, at which a configuration of the job is valid: with cells that no
/// boundary concerns, and without; steps that run a whole launch and one of what is left over.
std::vector<CheckSize> check_sizes(const StencilJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
