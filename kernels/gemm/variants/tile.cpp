// SPDX-License-Identifier: Apache-2.0
// The variants `tile` and `prefetch`: square tiles in shared memory.
#include "kernels/framework/request.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::var;

GemmTile tile_of_tile(const GemmJob&, const Configuration& configuration) {
  const std::int64_t tile = configuration["tile"].as_int();
  return {tile, tile, tile};
}

Expr tile_shared() {
  return var("tile") * var("tile") * var("words") * 8;
}

void add_tile(FamilySpace& space, const GemmJob&) {
  space.add("tile", "rows and columns of a tile", {8, 16, 32, 64}, 32);
  space.add("rows", "rows of a tile that a thread computes", {1, 2, 4, 8, 16}, 4, {}, Role::work);
  space.add("unroll", "terms in a turn of the innermost loop", {1, 2, 4, 8, 16, 32, 64}, 32);
  space.add("padded", "whether rows are padded to whole lines of 128 bytes", {false, true}, true);
  space.add(min_blocks({1, 2, 3, 4, 8}));
  space.rule(var("rows") * 4 <= var("tile"), "a block has fewer than four rows of threads");
  space.rule(var("unroll") <= var("tile"), "a tile has fewer terms");
  // A product's sums, loads on their way, addresses and counters.
  add_gemm_limits(space, floor_div(var("tile") * var("tile"), var("rows")),
                  var("rows") * var("words") * 3 + 18, tile_shared());
}

Result<LaunchPlan> plan_tile(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  const std::int64_t tile = configuration["tile"].as_int(), rows = configuration["rows"].as_int();
  LaunchPlan plan = gemm_plan(job, "tile.cu", configuration, sources);
  plan.compile.defines.emplace_back("PREFETCH", configuration["variant"].as_text() == "prefetch" ? "1" : "0");
  plan.compile.entries = {"gemm"};
  plan.launches.emplace_back(gemm_launch(job, configuration, "gemm", tile_of_tile(job, configuration),
                                         block_of(tile, tile / rows),
                                         gemm_value(tile_shared(), job, configuration, {})));
  return plan;
}

}  // namespace

GemmVariant tile_gemm() {
  return {"tile",
          "a block brings square tiles to shared memory, a thread computes one column of a tile or a part",
          always,
          add_tile,
          plan_tile,
          tile_of_tile,
          nullptr,
          seconds_on_scalar_cores};
}

GemmVariant prefetch_gemm() {
  return {"prefetch", "like tile, and the next tiles are loaded into registers while these are multiplied",
          always,     add_tile,
          plan_tile,  tile_of_tile,
          nullptr,    seconds_on_scalar_cores};
}

}  // namespace tune::kernels
