// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gemm/model/job.hpp"
#include "search/space/configuration.hpp"

namespace tune::kernels {

/// Extents in the kernels' axes.
struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Small sizes at which a configuration of the job is valid: several tiles and a remainder along each axis,
/// whole tiles, less than a tile, 1.
std::vector<GemmSize> gemm_check_sizes(const GemmJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
