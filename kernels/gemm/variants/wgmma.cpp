// SPDX-License-Identifier: Apache-2.0
// The variant `wgmma`: floats in tf32x3 or tf32 by products of warpgroups, on devices of compute
// capability 9.0.
#include "kernels/framework/request.hpp"
#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Value;
using search::var;

constexpr std::int64_t small_tiles = 3;  ///< left tiles of small parts (wgmma.cu)

void add_parameters(FamilySpace& space, const GemmJob& job) {
  std::vector<Value> precisions = {"tf32x3"};
  if (job.arithmetic == Arithmetic::tf32) precisions.emplace_back("tf32");
  space.add("precision", "what is multiplied", precisions, "tf32x3");
  space.add("rounded", "whether operands are rounded", {false, true}, true, var("precision") == "tf32");
  space.add("block_m", "rows of the result that a block computes", {64, 128, 192, 256}, 128);
  space.add("block_n", "columns of the result that a block computes", {64, 128, 192, 256}, 128);
  space.add("slab", "terms of the sums between two barriers", {16, 32}, 16);
  space.add("instruction", "rows of the result that an instruction of a warpgroup computes, of 64 columns",
            {64, 96, 128, 256}, 64);
  const Expr is_split = var("precision") == "tf32x3";
  space.add("turn", "terms that tensor cores add by themselves: their sums are cut, those of turns rounded",
            {16, 32}, 16, is_split);
  space.add("partial_sums", "sums of turns in registers: with 2 one is computed while the other one is added",
            {1, 2}, 2, is_split);
  space.add("stages", "slabs in shared memory, or on their way there", {3, 4, 5, 6}, 3);
  space.add("vector", "neighbouring elements of an access to global memory", {1, 2, 4}, 4);
  add_group(space, job, 64);
  add_padded(space);
  space.add(min_blocks({1, 2, 3, 4}));
}

/// 1 with tf32x3, else 0.
Expr split() {
  return Expr(0) + (var("precision") == "tf32x3");
}

Expr threads() {
  return var("block_n") * 2;
}

Expr wgmma_shared() {
  return (var("stages") * (var("block_m") + var("block_n")) + split() * small_tiles * var("block_m")) *
         var("slab") * 4;
}

/// Returns the registers for the sums of the tile, fragments of two turns, and addresses.
Expr registers() {
  return floor_div(var("block_m"), 2) + 16 + 28;
}

/// Returns the same for tf32x3, which keeps sums of turns, and fragments in two parts.
Expr split_registers() {
  return floor_div(var("block_m"), 2) + floor_div(var("instruction"), 2) * var("partial_sums") +
         var("turn") * 2 + 28;
}

void add_shape_rules(FamilySpace& space) {
  space.rule(var("block_m") % var("instruction") == 0,
             "a block's rows are not a whole number of instructions' rows");
  space.rule(var("slab") <= 2 * var("turn") && var("turn") <= var("slab"), "a slab is one turn or two");
  space.rule(var("block_m") * var("slab") % (threads() * var("vector")) == 0,
             "threads have unequal parts of a slab to copy");
  add_group_rule(space);
}

bool wgmma_applies(const GemmJob& job) {
  return job.type == ElementType::f32 && job.arithmetic != Arithmetic::strict;
}

GemmTile tile_of_wgmma(const GemmJob&, const Configuration& configuration) {
  // The longest sums of a check have three such tiles: every stage is used twice.
  const std::int64_t slabs = ceil_div(configuration["stages"].as_int() + 2, 3);
  return {configuration["block_m"].as_int(), configuration["block_n"].as_int(),
          configuration["slab"].as_int() * slabs};
}

void add_wgmma(FamilySpace& space, const GemmJob& job) {
  add_parameters(space, job);
  add_shape_rules(space);
  space.rule(Expr(space.device().compute_major == 9 && space.device().compute_minor == 0),
             "only devices of compute capability 9.0 multiply by warpgroups (wgmma)");
  space.rules().add_registers(split_registers(), threads(), few_registers);
  add_gemm_limits(space, threads(), registers(), wgmma_shared());
}

Result<LaunchPlan> plan_wgmma(const GemmJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const auto value = [&](const Expr& expression) { return gemm_value(expression, job, configuration, {}); };
  LaunchPlan plan = gemm_plan(job, "wgmma.cu", configuration, sources);
  plan.compile.entries = {"gemm_wgmma"};
  plan.compile.architecture_specific = true;
  plan.launches.emplace_back(gemm_launch(job, configuration, "gemm_wgmma", tile_of_wgmma(job, configuration),
                                         block_of(value(threads())), value(wgmma_shared())));
  const bool split = configuration["precision"].as_text() == "tf32x3";
  plan.tolerance = tensor_core_tolerance(job, split, !split && value_or(configuration, "rounded", 1) != 0);
  return plan;
}

}  // namespace

GemmVariant wgmma_gemm() {
  return {"wgmma",
          "tensor cores, by products of four warps that read shared memory themselves (compute 9.0 alone)",
          wgmma_applies,
          add_wgmma,
          plan_wgmma,
          tile_of_wgmma,
          nullptr,
          seconds_on_tensor_cores};
}

}  // namespace tune::kernels
