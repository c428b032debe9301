// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/tensor.hpp"

#include "kernels/gemm/model/rounding.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

namespace {

Expr warps() {
  return floor_div(var("block_m"), var("warp_m")) * floor_div(var("block_n"), var("warp_n"));
}

std::int64_t shared_bytes(const GemmJob& job, const Configuration& configuration) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  return (value("block_m") + value("block_n")) * value("slab") * value_or(configuration, "stages", 3) *
         job.element_bytes();
}

void add_arithmetic(GemmSpace& space, const GemmJob& job) {
  if (job.type == ElementType::f64) {
    space.add({"precision", "what is multiplied: f64: doubles", {"f64"}, "f64"});
    space.add({"inner", "terms of one instruction (of several before sm_90)", {4, 8, 16}, 4});
    return;
  }
  std::vector<Value> precisions = {"tf32x3"};
  if (job.arithmetic == Arithmetic::tf32) precisions.emplace_back("tf32");
  space.add({"precision",
             "what is multiplied: tf32x3: floats as sums of two numbers of 11 bits, three products in place "
             "of one; tf32: floats rounded to 11 bits",
             precisions, "tf32x3"});
  space.add({"rounded",
             "whether operands (tf32x3: their large parts) are rounded to 11 bits; else they are cut, which "
             "costs less; tf32x3: the product of the small parts, which is left out, is then four times as "
             "large; tf32: all products become too small",
             {false, true},
             true,
             var("precision") == "tf32x3"});
}

void add_tiles(GemmSpace& space, const GemmJob& job) {
  const bool doubles = job.type == ElementType::f64;
  space.add({"block_m", "rows of the result that a block computes", {64, 128, 256}, doubles ? 256 : 128});
  space.add({"block_n", "columns of the result that a block computes", {64, 128, 256}, doubles ? 64 : 128});
  space.add({"slab", "terms of the sums between two barriers",
             doubles ? std::vector<Value>{8, 16, 32} : std::vector<Value>{16, 32}, doubles ? 32 : 16});
  space.add({"warp_m", "rows of the result that a warp computes", {16, 32, 64, 128}, 64});
  space.add({"warp_n", "columns of the result that a warp computes",
             doubles ? std::vector<Value>{16, 32, 64} : std::vector<Value>{32, 64, 128}, 32});
  space.add({"stages", "slabs in shared memory, or on their way there", {2, 3, 4, 5}, doubles ? 2 : 3});
  space.add({"ahead",
             "whether fragments are read from shared memory while those before are multiplied",
             {false, true},
             doubles});
  space.add({"vector", "neighbouring elements of an access to global memory",
             doubles ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, doubles ? 2 : 4});
  // A group of more than all rows of the smallest tiles is one of all.
  std::vector<Value> groups;
  for (const std::int64_t rows : {1, 4, 8, 16})
    if (rows == 1 || rows < tiles_of(job.m, 64) * 2) groups.emplace_back(rows);
  space.add({"group",
             "rows of tiles that consecutive blocks compute together, so that they share operands in L2",
             groups, groups.back()});
  space.add_padded();
  space.add({"min_blocks",
             "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
             {1, 2, 3, 4},
             1});
}

/// What the compiler cannot do without: sums, fragments, and what is made of these.
Expr registers(const GemmJob& job) {
  const Expr sums = floor_div(var("warp_m") * var("warp_n"), 32) * var("words");
  const Expr buffers = Expr(1) + var("ahead");
  // Of a turn, the terms of an instruction: a quarter of them in a lane, for warp_m / 8 rows and warp_n / 8
  // columns.
  const Expr turn = job.type == ElementType::f64 ? var("inner") : Expr(8);
  return sums + floor_div((var("warp_m") + var("warp_n")) * turn * var("words"), 32) * buffers + 32;
}

void add_shape_rules(GemmSpace& space, const GemmJob& job) {
  space.rule(var("block_m") % var("warp_m") == 0 && var("block_n") % var("warp_n") == 0,
             "a block's tile is no whole number of warps' tiles");
  space.rule(warps() >= 2 && warps() <= 16, "a block has 2 to 16 warps");
  space.rule(var("warp_m") * var("warp_n") >= 1024,
             "so small a tile of a warp reads shared memory more than it multiplies");
  if (job.type == ElementType::f64)
    space.rule(var("slab") % var("inner") == 0, "a slab has fewer terms than an instruction");
  const Expr threads = warps() * 32;
  space.rule(var("block_m") * var("slab") % (threads * var("vector")) == 0 &&
                 var("block_n") * var("slab") % (threads * var("vector")) == 0,
             "threads have unequal parts of a slab to copy");
  space.rule(threads * var("vector") >= var("block_n"),
             "a row of a slab has more vectors than there are threads");
  space.rule(var("group") == 1 || var("group") < ceil_div(var("m"), var("block_m")) * 2,
             "there are not so many rows of tiles");
}

}  // namespace

bool tensor_applies(const GemmJob& job) {
  return job.type == ElementType::f64 || job.arithmetic != Arithmetic::strict;
}

GemmTile tile_of_tensor(const Configuration& configuration) {
  // The longest sums of a check, of three such tiles, come to every stage a second time.
  const std::int64_t slabs = tiles_of(value_or(configuration, "stages", 3) + 2, 3);
  return {configuration["block_m"].as_int(), configuration["block_n"].as_int(),
          configuration["slab"].as_int() * slabs};
}

std::int64_t tensor_threads(const Configuration& configuration) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  return value("block_m") / value("warp_m") * (value("block_n") / value("warp_n")) * 32;
}

void add_tensor_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties& device) {
  add_arithmetic(space, job);
  add_tiles(space, job);
  add_shape_rules(space, job);
  space.rule(Expr(device.compute_major == 0 || device.compute_major >= 8),
             "the device has no tensor cores for these types: they came with compute capability 8.0");
  space.add_limits(warps() * 32, registers(job),
                   (var("block_m") + var("block_n")) * var("slab") * var("stages") * var("words") * 4);
}

Tolerance tensor_tolerance(const GemmJob& job, const Configuration& configuration) {
  if (job.type == ElementType::f64) return gemm_tolerance(job, Arithmetic::strict);
  const bool split = configuration["precision"].as_text() == "tf32x3";
  return tensor_core_tolerance(job, split, !split || value_or(configuration, "rounded", 1) != 0);
}

Result<LaunchPlan> plan_tensor(const GemmJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const bool padded = is_padded(configuration);
  LaunchPlan plan;
  plan.compile = gemm_request(job, "gemm/tensor.cu",
                              {"gemm/tensor_products.cuh", "gemm/tensor_tiles.cuh", "common/async_copy.cuh",
                               "common/tensor_core.cuh", "common/vectors.cuh"},
                              configuration, sources);
  plan.compile.entries = {"gemm_tensor"};
  add_matrices(plan, job, padded);
  const GemmTile tile = tile_of_tensor(configuration);
  Launch launch;
  launch.entry = "gemm_tensor";
  launch.grid.x = static_cast<std::uint32_t>(tiles_of(job.m, tile.m) * tiles_of(job.n, tile.n));
  launch.block.x = static_cast<std::uint32_t>(tensor_threads(configuration));
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(shared_bytes(job, configuration));
  launch.arguments = gemm_arguments(job, padded);
  plan.launches.emplace_back(std::move(launch));
  plan.tolerance = tensor_tolerance(job, configuration);
  return plan;
}

}  // namespace tune::kernels
