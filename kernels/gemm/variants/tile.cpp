// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/tile.hpp"

namespace tune::kernels {

using search::Role;
using search::var;

bool tile_applies(const GemmJob&) {
  return true;
}

GemmTile tile_of_tile(const Configuration& configuration) {
  const std::int64_t tile = configuration["tile"].as_int();
  return {tile, tile, tile};
}

void add_tile_rules(GemmSpace& space, const GemmJob&, const DeviceProperties&) {
  space.add({"tile", "rows and columns of a tile", {8, 16, 32, 64}, 32});
  space.add({"rows", "rows of a tile that a thread computes", {1, 2, 4, 8, 16}, 4, {}, Role::work});
  space.add({"unroll", "terms a turn of the innermost loop", {1, 2, 4, 8, 16, 32, 64}, 32});
  space.add({"padded", "whether rows are padded to whole lines of 128 bytes", {false, true}, true});
  space.add({"min_blocks",
             "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
             {1, 2, 3, 4, 8},
             1});
  space.rule(var("rows") * 4 <= var("tile"), "a block has fewer than four rows of threads");
  space.rule(var("unroll") <= var("tile"), "there are no more terms in a tile");
  // A product's sums, loads on their way, addresses and counters.
  space.add_limits(floor_div(var("tile") * var("tile"), var("rows")), var("rows") * var("words") * 3 + 18,
                   var("tile") * var("tile") * var("words") * 8);
}

Result<LaunchPlan> plan_tile(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  const std::int64_t tile = configuration["tile"].as_int(), rows = configuration["rows"].as_int();
  const bool padded = is_padded(configuration);
  LaunchPlan plan;
  plan.compile = gemm_request(job, "gemm/tile.cu", {}, configuration, sources);
  plan.compile.defines.emplace_back("PREFETCH", configuration["variant"].as_text() == "prefetch" ? "1" : "0");
  plan.compile.entries = {"gemm"};
  add_matrices(plan, job, padded);
  Launch launch;
  launch.entry = "gemm";
  launch.grid.x = static_cast<std::uint32_t>(tiles_of(job.m, tile) * tiles_of(job.n, tile));
  launch.block = {static_cast<std::uint32_t>(tile), static_cast<std::uint32_t>(tile / rows)};
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(2 * tile * tile * job.element_bytes());
  launch.arguments = gemm_arguments(job, padded);
  plan.launches.emplace_back(std::move(launch));
  return plan;
}

}  // namespace tune::kernels
