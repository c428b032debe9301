// SPDX-License-Identifier: Apache-2.0
// The variant `tensor`: products by tensor cores. Doubles are strict; floats need `arithmetic` to allow tf32.
#include "kernels/framework/request.hpp"
#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Value;
using search::var;

Expr warps() {
  return floor_div(var("block_m"), var("warp_m")) * floor_div(var("block_n"), var("warp_n"));
}

Expr tensor_shared() {
  return (var("block_m") + var("block_n")) * var("slab") * var("stages") * var("words") * 4;
}

void add_arithmetic(FamilySpace& space, const GemmJob& job) {
  if (job.type == ElementType::f64) {
    space.add("precision", "what is multiplied: f64: doubles", {"f64"}, "f64");
    space.add("inner", "terms of one instruction (of several before sm_90)", {4, 8, 16}, 4);
    return;
  }
  std::vector<Value> precisions = {"tf32x3"};
  if (job.arithmetic == Arithmetic::tf32) precisions.emplace_back("tf32");
  space.add("precision",
            "what is multiplied: tf32x3: floats as sums of two numbers of 11 bits, three products in place "
            "of one; tf32: floats rounded to 11 bits",
            precisions, "tf32x3");
  space.add("rounded",
            "whether operands (tf32x3: their large parts) are rounded to 11 bits; else they are cut, which "
            "costs less; tf32x3: the product of the small parts, which is left out, is then four times as "
            "large; tf32: all products become too small",
            {false, true}, true, var("precision") == "tf32x3");
}

void add_tiles(FamilySpace& space, const GemmJob& job) {
  const bool doubles = job.type == ElementType::f64;
  space.add("block_m", "rows of the result that a block computes", {64, 128, 256}, doubles ? 256 : 128);
  space.add("block_n", "columns of the result that a block computes", {64, 128, 256}, doubles ? 64 : 128);
  space.add("slab", "terms of the sums between two barriers",
            doubles ? std::vector<Value>{8, 16, 32} : std::vector<Value>{16, 32}, doubles ? 32 : 16);
  space.add("warp_m", "rows of the result that a warp computes", {16, 32, 64, 128}, 64);
  space.add("warp_n", "columns of the result that a warp computes",
            doubles ? std::vector<Value>{16, 32, 64} : std::vector<Value>{32, 64, 128}, 32);
  space.add("stages", "slabs in shared memory, or on their way there", {2, 3, 4, 5}, doubles ? 2 : 3);
  space.add("ahead", "whether fragments are read from shared memory while those before are multiplied",
            {false, true}, doubles);
  space.add("vector", "neighbouring elements of an access to global memory",
            doubles ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, doubles ? 2 : 4);
  add_group(space, job, 64);
  add_padded(space);
  space.add(min_blocks({1, 2, 3, 4}));
}

/// Returns the registers that the compiler needs at least: sums, and fragments in all their forms.
Expr registers(const GemmJob& job) {
  const Expr sums = floor_div(var("warp_m") * var("warp_n"), 32) * var("words");
  const Expr buffers = Expr(1) + var("ahead");
  // Terms of an instruction in a turn: a lane holds a quarter of them, for warp_m / 8 rows and warp_n / 8
  // columns.
  const Expr turn = job.type == ElementType::f64 ? var("inner") : Expr(8);
  return sums + floor_div((var("warp_m") + var("warp_n")) * turn * var("words"), 32) * buffers + 32;
}

void add_shape_rules(FamilySpace& space, const GemmJob& job) {
  space.rule(var("block_m") % var("warp_m") == 0 && var("block_n") % var("warp_n") == 0,
             "a block's tile is not a whole number of warps' tiles");
  space.rule(warps() >= 2 && warps() <= 16, "a block has 2 to 16 warps");
  space.rule(var("warp_m") * var("warp_n") >= 1024,
             "a warp with so small a tile reads shared memory more than it multiplies");
  if (job.type == ElementType::f64)
    space.rule(var("slab") % var("inner") == 0, "a slab has fewer terms than an instruction");
  const Expr threads = warps() * 32;
  space.rule(var("block_m") * var("slab") % (threads * var("vector")) == 0 &&
                 var("block_n") * var("slab") % (threads * var("vector")) == 0,
             "threads have unequal parts of a slab to copy");
  space.rule(threads * var("vector") >= var("block_n"),
             "a row of a slab has more vectors than there are threads");
  add_group_rule(space);
}

bool tensor_applies(const GemmJob& job) {
  return job.type == ElementType::f64 || job.arithmetic != Arithmetic::strict;
}

GemmTile tile_of_tensor(const GemmJob&, const Configuration& configuration) {
  // The longest sums of a check have three such tiles: every stage is used twice.
  const std::int64_t slabs = ceil_div(value_or(configuration, "stages", 3) + 2, 3);
  return {configuration["block_m"].as_int(), configuration["block_n"].as_int(),
          configuration["slab"].as_int() * slabs};
}

void add_tensor(FamilySpace& space, const GemmJob& job) {
  add_arithmetic(space, job);
  add_tiles(space, job);
  add_shape_rules(space, job);
  const int compute_major = space.device().compute_major;
  space.rule(Expr(compute_major == 0 || compute_major >= 8), no_tensor_cores);
  add_gemm_limits(space, warps() * 32, registers(job), tensor_shared());
}

/// Bounds the errors of the configuration's arithmetic, which may be stricter than the job's.
Tolerance tensor_tolerance(const GemmJob& job, const Configuration& configuration) {
  if (job.type == ElementType::f64) return gemm_tolerance(job, Arithmetic::strict);
  const bool split = configuration["precision"].as_text() == "tf32x3";
  return tensor_core_tolerance(job, split, !split || value_or(configuration, "rounded", 1) != 0);
}

Result<LaunchPlan> plan_tensor(const GemmJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const auto value = [&](const Expr& expression) {
    return gemm_value(expression, job, configuration, {{"stages", 3}});
  };
  LaunchPlan plan = gemm_plan(job, "tensor.cu", configuration, sources);
  plan.compile.entries = {"gemm_tensor"};
  plan.launches.emplace_back(gemm_launch(job, configuration, "gemm_tensor",
                                         tile_of_tensor(job, configuration), block_of(value(warps() * 32)),
                                         value(tensor_shared())));
  plan.tolerance = tensor_tolerance(job, configuration);
  return plan;
}

}  // namespace

GemmVariant tensor_gemm() {
  return {"tensor",
          "tensor cores multiply fragments of slabs that asynchronous copies bring to shared memory",
          tensor_applies,
          add_tensor,
          plan_tensor,
          tile_of_tensor,
          tensor_applies,
          seconds_on_tensor_cores};
}

}  // namespace tune::kernels
