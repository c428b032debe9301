// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/wgmma.hpp"

#include "kernels/gemm/model/rounding.hpp"

namespace tune::kernels {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

namespace {

constexpr std::int64_t small_tiles = 3;  ///< left tiles of small parts (wgmma.cu)

bool is_split(const Configuration& configuration) {
  return configuration["precision"].as_text() == "tf32x3";
}

std::int64_t shared_bytes(const Configuration& configuration) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  const std::int64_t whole = value("stages") * (value("block_m") + value("block_n"));
  return (whole + (is_split(configuration) ? small_tiles * value("block_m") : 0)) * value("slab") * 4;
}

void add_parameters(GemmSpace& space, const GemmJob& job) {
  std::vector<Value> precisions = {"tf32x3"};
  if (job.arithmetic == Arithmetic::tf32) precisions.emplace_back("tf32");
  space.add({"precision", "what is multiplied", precisions, "tf32x3"});
  space.add({"rounded", "whether operands are rounded", {false, true}, true, var("precision") == "tf32"});
  space.add({"block_m", "rows of the result that a block computes", {64, 128, 192, 256}, 128});
  space.add({"block_n", "columns of the result that a block computes", {64, 128, 192, 256}, 128});
  space.add({"slab", "terms of the sums between two barriers", {16, 32}, 16});
  space.add({"instruction",
             "rows of the result that an instruction of a warpgroup computes, of 64 columns",
             {64, 96, 128, 256},
             64});
  const Expr is_split = var("precision") == "tf32x3";
  space.add({"turn",
             "terms that tensor cores add by themselves: their sums are cut, those of turns rounded",
             {16, 32},
             16,
             is_split});
  space.add({"partial_sums",
             "sums of turns in registers: with 2 one is computed while the other one is added",
             {1, 2},
             2,
             is_split});
  space.add({"stages", "slabs in shared memory, or on their way there", {3, 4, 5, 6}, 3});
  space.add({"vector", "neighbouring elements of an access to global memory", {1, 2, 4}, 4});
  std::vector<Value> groups;
  for (const std::int64_t rows : {1, 4, 8, 16})
    if (rows == 1 || rows < tiles_of(job.m, 64) * 2) groups.emplace_back(rows);
  space.add({"group", "rows of tiles that consecutive blocks compute together", groups, groups.back()});
  space.add_padded();
  space.add({"min_blocks", "blocks that shall fit on a multiprocessor", {1, 2, 3, 4}, 1});
}

/// 1 with tf32x3, else 0.
Expr split() {
  return Expr(0) + (var("precision") == "tf32x3");
}

Expr threads() {
  return var("block_n") * 2;
}

/// Sums of the tile, fragments of two turns, and what the compiler needs beside these.
Expr registers() {
  return floor_div(var("block_m"), 2) + 16 + 28;
}

/// The same with tf32x3, which keeps sums of turns, and fragments in two parts.
Expr split_registers() {
  return floor_div(var("block_m"), 2) + floor_div(var("instruction"), 2) * var("partial_sums") +
         var("turn") * 2 + 28;
}

void add_shape_rules(GemmSpace& space) {
  space.rule(var("block_m") % var("instruction") == 0,
             "a block's rows are no whole number of instructions' rows");
  space.rule(var("slab") <= 2 * var("turn") && var("turn") <= var("slab"), "a slab is one turn or two");
  space.rule(var("block_m") * var("slab") % (threads() * var("vector")) == 0,
             "threads have unequal parts of a slab to copy");
  space.rule(var("group") == 1 || var("group") < ceil_div(var("m"), var("block_m")) * 2,
             "there are not so many rows of tiles");
}

}  // namespace

bool wgmma_applies(const GemmJob& job) {
  return job.type == ElementType::f32 && job.arithmetic != Arithmetic::strict;
}

GemmTile tile_of_wgmma(const Configuration& configuration) {
  // The longest sums of a check, of three such tiles, come to every stage a second time.
  const std::int64_t slabs = tiles_of(configuration["stages"].as_int() + 2, 3);
  return {configuration["block_m"].as_int(), configuration["block_n"].as_int(),
          configuration["slab"].as_int() * slabs};
}

void add_wgmma_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device) {
  add_parameters(space, job);
  add_shape_rules(space);
  space.rule(Expr(device.compute_major == 9 && device.compute_minor == 0),
             "only devices of compute capability 9.0 multiply by warpgroups (wgmma)");
  space.rule(split_registers() <= min(var("thread_registers"), floor_div(var("multiprocessor_registers"),
                                                                         threads() * var("min_blocks"))),
             "a thread needs more registers than min_blocks leaves to it");
  space.add_limits(
      threads(), registers(),
      (var("stages") * (var("block_m") + var("block_n")) + split() * small_tiles * var("block_m")) *
          var("slab") * 4);
}

Result<LaunchPlan> plan_wgmma(const GemmJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const bool padded = is_padded(configuration);
  LaunchPlan plan;
  plan.compile = gemm_request(job, "gemm/wgmma.cu",
                              {"gemm/wgmma_tiles.cuh", "common/async_copy.cuh", "common/tensor_core.cuh",
                               "common/vectors.cuh", "common/warpgroup_product.cuh"},
                              configuration, sources);
  plan.compile.entries = {"gemm_wgmma"};
  plan.compile.architecture_specific = true;
  add_matrices(plan, job, padded);
  const GemmTile tile = tile_of_wgmma(configuration);
  Launch launch;
  launch.entry = "gemm_wgmma";
  launch.grid.x = static_cast<std::uint32_t>(tiles_of(job.m, tile.m) * tiles_of(job.n, tile.n));
  launch.block.x = static_cast<std::uint32_t>(2 * tile.n);
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(shared_bytes(configuration));
  launch.arguments = gemm_arguments(job, padded);
  plan.launches.emplace_back(std::move(launch));
  const bool split = is_split(configuration);
  plan.tolerance = tensor_core_tolerance(job, split, !split && value_or(configuration, "rounded", 1) != 0);
  return plan;
}

}  // namespace tune::kernels
