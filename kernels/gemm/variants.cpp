// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/framework/request.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

const VariantTable<GemmJob, GemmTile>& gemm_variants() {
  static const VariantTable<GemmJob, GemmTile> table = {
      "gemm",
      {
          TUNE_VARIANT(GemmVariant, register_gemm),
          TUNE_VARIANT(GemmVariant, async_gemm),
          TUNE_VARIANT(GemmVariant, tile_gemm),
          TUNE_VARIANT(GemmVariant, prefetch_gemm),
          TUNE_VARIANT(GemmVariant, tensor_gemm),
          TUNE_VARIANT(GemmVariant, wgmma_gemm),
      },
  };
  return table;
}

search::SpaceDefinition gemm_space(const GemmJob& job, const DeviceProperties& device) {
  Constants constants = gemm_constants(job);
  constants.merge(Constants{{"m", job.m}, {"n", job.n}, {"k", job.k}});
  FamilySpace space(std::move(constants), device);
  gemm_variants().add_to(space, job);
  search::SpaceDefinition definition = space.definition();
  // What the limits of registers and shared memory tie stands together.
  definition.counting_order = {"variant", "block_m",    "thread_n", "lanes_m", "thread_m",  "block_n",
                               "slices",  "transposed", "slab",     "vector",  "min_blocks"};
  return definition;
}

Result<LaunchPlan> plan_gemm(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  // Kernels count rows, columns and terms in 32 bits, up to the end of a tile that begins within the matrix.
  constexpr std::int64_t longest_tile = 1024;
  for (const std::int64_t extent : {job.m, job.n, job.k})
    if (extent > limit - longest_tile)
      return fail(Phase::constraint, "extent",
                  "indices of rows, columns or terms do not fit 32 bits: choose smaller extents");
  const GemmVariant& variant = gemm_variants().of(configuration);
  const GemmTile tile = variant.checked(job, configuration);
  if (ceil_div(job.m, tile.m) > limit / ceil_div(job.n, tile.n))
    return fail(Phase::constraint, "extent", "there are more tiles than a grid has blocks");
  return variant.plan(job, configuration, sources);
}

std::vector<GemmSize> gemm_check_sizes(const GemmJob& job, const Configuration& configuration) {
  const GemmTile tile = gemm_variants().of(configuration).checked(job, configuration);
  std::vector<GemmSize> sizes = {
      {tile.m * 2 + 7, tile.n + 9, tile.k * 3 + 5},
      {tile.m, tile.n, tile.k * 2},
      {tile.m / 2 + 3, 11, 3},
      {3, tile.n / 2 + 1, tile.k + 1},
      {3, 2, tile.k * 3 + 1},
      {1, 1, 1},
  };
  // Rows of unpadded matrices are whole vectors.
  const std::int64_t vector = row_vector(configuration);
  for (GemmSize& size : sizes) {
    size.n = round_up(size.n, vector);
    size.k = round_up(size.k, vector);
  }
  return sizes;
}

}  // namespace tune::kernels
