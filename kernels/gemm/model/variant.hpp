// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/framework/variant.hpp"
#include "kernels/gemm/model/job.hpp"

namespace tune::kernels {

/// What a block computes in one turn of its loop: m x n elements of the result, k terms of their sums. Checks
/// take sizes of several such tiles and of parts of them.
struct GemmTile {
  std::int64_t m = 0, n = 0, k = 0;
};

using GemmVariant = Variant<GemmJob, GemmTile>;

/// All variants. A new one is a source with one function and a line in this table.
const VariantTable<GemmJob, GemmTile>& gemm_variants();

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition gemm_space(const GemmJob& job, const DeviceProperties& device);

/// The plan of a configuration. Inputs `a` and `b`, output `c`; what else it allocates is scratch.
Result<LaunchPlan> plan_gemm(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources);

/// Extents in the kernels' axes.
struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Small sizes at which a configuration of the job is valid: several tiles and a remainder along each axis,
/// whole tiles, less than a tile, 1.
std::vector<GemmSize> gemm_check_sizes(const GemmJob& job, const Configuration& configuration);

}  // namespace tune::kernels
