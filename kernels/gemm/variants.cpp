// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <stdexcept>

#include "kernels/gemm/model/variant.hpp"
#include "kernels/gemm/variants/async.hpp"
#include "kernels/gemm/variants/blocked.hpp"
#include "kernels/gemm/variants/register.hpp"
#include "kernels/gemm/variants/tensor.hpp"
#include "kernels/gemm/variants/tile.hpp"
#include "kernels/gemm/variants/wgmma.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

// The first one that applies is the default.
constexpr GemmVariant table[] = {
    {"register",
     "threads compute tiles in registers from slabs in shared memory, the next slab comes through registers",
     blocked_applies, plan_register, add_register_rules, tile_of_blocked},
    {"async", "like register, but slabs come by asynchronous copies (cp.async)", blocked_applies, plan_async,
     add_async_rules, tile_of_blocked},
    {"tile", "a block brings square tiles to shared memory, a thread computes one column of a tile or a part",
     tile_applies, plan_tile, add_tile_rules, tile_of_tile},
    {"prefetch", "like tile, and the next tiles are loaded into registers while these are multiplied",
     tile_applies, plan_tile, add_tile_rules, tile_of_tile},
    {"tensor", "tensor cores multiply fragments of slabs that asynchronous copies bring to shared memory",
     tensor_applies, plan_tensor, add_tensor_rules, tile_of_tensor},
    {"wgmma",
     "tensor cores, by products of four warps that read shared memory themselves (compute 9.0 alone)",
     wgmma_applies, plan_wgmma, add_wgmma_rules, tile_of_wgmma},
};

}  // namespace

std::span<const GemmVariant> gemm_variants() {
  return table;
}

const GemmVariant& variant_of_gemm(const Configuration& configuration) {
  const std::string& name = configuration["variant"].as_text();
  for (const GemmVariant& variant : table)
    if (variant.name == name) return variant;
  throw std::out_of_range(format("no gemm variant '{}'", name));
}

search::SpaceDefinition gemm_space(const GemmJob& job, const DeviceProperties& device) {
  GemmSpace space(job, device);
  for (const GemmVariant& variant : table) {
    if (!variant.applies(job)) continue;
    space.begin(variant.name, variant.summary);
    variant.add_rules(space, job, device);
  }
  return space.definition();
}

Result<LaunchPlan> plan_gemm(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  // Kernels count rows, columns and terms in 32 bits, up to the end of a tile that begins within them.
  constexpr std::int64_t longest_tile = 1024;
  for (const std::int64_t extent : {job.m, job.n, job.k})
    if (extent > limit - longest_tile)
      return fail(Phase::constraint, "extent",
                  "indices of so many rows, columns or terms do not fit 32 bits");
  // Tiles are numbered along x.
  const GemmVariant& variant = variant_of_gemm(configuration);
  const GemmTile tile = variant.tile(configuration);
  if (tiles_of(job.m, tile.m) > limit / tiles_of(job.n, tile.n))
    return fail(Phase::constraint, "extent", "there are more tiles than a grid has blocks");
  return variant.plan(job, configuration, sources);
}

}  // namespace tune::kernels
