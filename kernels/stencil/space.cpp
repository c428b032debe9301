// SPDX-License-Identifier: Apache-2.0
// The parameters of all variants of the stencil family.
#include <algorithm>
#include <array>

#include "kernels/stencil/plan/rules.hpp"
#include "kernels/stencil/variants.hpp"
#include "kernels/stencil/variants/fft/fft.hpp"
#include "kernels/stencil/variants/persistent/persistent.hpp"
#include "kernels/stencil/variants/split/split.hpp"
#include "kernels/stencil/variants/temporal/temporal.hpp"
#include "search/expressions/expr.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {

using search::Constraint;
using search::Expr;
using search::Parameter;
using search::Role;
using search::SpaceDefinition;
using search::var;

Expr is_variant(const char* name) {
  return var("variant") == name;
}

void add_block_limits(std::vector<Constraint>& rules, const Expr& applies, const Expr& block_threads) {
  const auto add = [&](const Expr& rule, const char* reason) { rules.push_back({!applies || rule, reason}); };
  add(block_threads <= var("max_threads"), "a block has more threads than the device allows");
  add(block_threads >= 64, "fewer than two warps a block cannot fill a multiprocessor");
  add(block_threads * var("min_blocks") <= var("multiprocessor_threads"),
      "min_blocks blocks have more threads than fit on a multiprocessor");
}

Expr fits_registers(const Expr& needed, const Expr& block_threads) {
  return needed <= min(var("thread_registers"),
                       floor_div(var("multiprocessor_registers"), block_threads * var("min_blocks")));
}

namespace {

Expr composed() {
  return is_variant("composed");
}
Expr direct() {
  return is_variant("direct") || (composed() && var("sweep") == "direct");
}
Expr streaming() {
  return is_variant("streaming") || (composed() && var("sweep") == "streaming");
}
Expr temporal() {
  return is_variant("temporal");
}
Expr fft() {
  return is_variant("fft");
}
Expr sweep() {
  return direct() || streaming();
}
/// `one`, or the variant `persistent` where it can compute the job.
Expr or_persistent(const StencilJob& job, const Expr& one) {
  return persistent_applies(job) ? one || is_variant("persistent") : one;
}
/// `one`, or the variant `split` where it can.
Expr or_split(const StencilJob& job, const Expr& one) {
  return split_applies(job) ? one || is_variant("split") : one;
}
/// `one`, or a variant whose threads compute bricks as those of `direct` do.
Expr or_bricks(const StencilJob& job, const Expr& one) {
  return or_split(job, or_persistent(job, one));
}

// The default configuration's cells of a thread.
int default_vector(const StencilJob& job) {
  return job.type == ElementType::f64 ? 2 : 4;
}
int default_cells_y(const StencilJob& job) {
  return job.stencil.star() || job.dimensions == 2 ? 1 : 2;
}
int default_cells_z(const StencilJob& job) {
  const auto terms = static_cast<int>(job.stencil.points.size()) * default_vector(job) * default_cells_y(job);
  int cells = 4;
  // The terms of a star are always unrolled.
  while (job.stencil.star() && cells > 1 && terms * cells > max_terms) cells /= 2;
  return cells;
}

Parameter variant_parameter(const StencilJob& job) {
  Parameter variant{"variant", "", {}, "direct"};
  for (const StencilVariant& known : stencil_variants()) {
    if (!known.applies(job)) continue;
    variant.values.push_back(std::string(known.name));
    variant.documentation +=
        format("{}{}: {}", variant.documentation.empty() ? "" : "; ", known.name, known.summary);
  }
  if (variant.values.empty())
    throw UsageError(
        format("no variant can compute a stencil of {} points: its weights do not fit a kernel's constant "
               "memory; take "
               "a smaller radius, or a star",
               job.stencil.points.size()));
  variant.default_value = variant.values.front();
  return variant;
}

/// Arrays of two dimensions have one row and several planes in the axes of the kernels.
std::vector<Parameter> tile_parameters(const StencilJob& job) {
  const bool flat = job.dimensions == 2;
  std::vector<Parameter> all;
  all.push_back({"block_x",
                 "threads of a block along x",
                 {8, 16, 32, 64, 128},
                 32,
                 or_bricks(job, sweep()),
                 Role::threads});
  if (flat) {
    all.back().values = {32, 64, 128, 256, 512};
    all.back().default_value = 128;
  } else {
    all.push_back({"block_y",
                   "threads of a block along y",
                   {1, 2, 4, 8, 16},
                   8,
                   or_bricks(job, sweep()),
                   Role::threads});
  }
  all.push_back({"block_z",
                 flat ? "threads of a block along y" : "threads of a block along z",
                 {1, 2, 4},
                 1,
                 or_bricks(job, direct()),
                 Role::threads});
  if (flat) all.back().values.insert(all.back().values.end(), {8, 16});
  all.push_back(
      {"vector",
       "neighbouring cells along x of one access to memory; direct, streaming: and those that a thread "
       "computes",
       {1, 2, 4},
       default_vector(job),
       !fft(),
       Role::work});
  if (!flat)
    all.push_back({"cells_y",
                   "neighbouring rows that a thread computes",
                   {1, 2, 3, 4, 5, 6, 8},
                   default_cells_y(job),
                   !fft(),
                   Role::work});
  all.push_back(
      {"cells_z",
       flat ? "neighbouring rows that a thread computes" : "neighbouring planes that a thread computes",
       {1, 2, 4, 8},
       default_cells_z(job),
       or_bricks(job, direct()),
       Role::work});
  return all;
}

/// Values of `chunk`: what makes the number of blocks fit the multiprocessors.
std::vector<Value> chunks(const StencilJob& job) {
  if (job.dimensions == 2) return {32, 64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192};
  std::vector<Value> values = {16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256, 512};
  // Blocks of `temporal` are few and long: finer steps, so that the last ones end together.
  if (temporal_applies(job))
    values = {16, 24, 32, 48, 64, 80, 88, 96, 112, 128, 144, 156, 160, 176, 192, 256, 512};
  return values;
}

/// Steps that a pass may fuse: no more than there are. Many are for `fft` alone.
std::vector<Value> fused_steps(const StencilJob& job) {
  std::vector<Value> values;
  for (const int steps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 24, 32, 48, 64, 96, 128})
    if (steps <= job.steps) values.emplace_back(steps);
  return values;
}

std::vector<Parameter> fusion_parameters(const StencilJob& job) {
  const std::vector<Value> steps = fused_steps(job);
  return {{"sweep",
           "how the composed stencil is applied, as the variants of the same names do it",
           {"direct", "streaming"},
           "streaming",
           composed()},
          {"fused", "time steps of a launch, or between two transforms", steps,
           steps[std::min<std::size_t>(steps.size() - 1, 1)], temporal() || composed() || fft()}};
}

std::vector<Parameter> temporal_parameters(const StencilJob& job) {
  const bool flat = job.dimensions == 2;
  std::vector<Parameter> all;
  all.push_back({"cells_x", "neighbouring cells along x of a lane", {1, 2, 4}, 4, temporal(), Role::work});
  if (flat) all.back().values.insert(all.back().values.end(), {8, 16});
  all.push_back({"threads",
                 flat ? "threads of a block, every warp with a tile of its own"
                      : "threads of a block, its warps behind each other along y",
                 {32, 64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024},
                 flat ? 128 : 256,
                 temporal(),
                 Role::threads});
  if (flat) all.back().values = {32, 64, 128, 256, 512};
  all.push_back({"ahead", "planes that are loaded before they are needed", {1, 2}, 1, temporal()});
  return all;
}

std::vector<Parameter> fft_parameters(const StencilJob& job) {
  std::vector<Value> transforms = {"exact"};
  if (smooth_extents(job) != std::array{job.nx, job.ny, job.nz}) transforms.emplace_back("smooth");
  std::vector<Value> last = {"transform"};
  if (2 * job.stencil.radii()[2] + 1 <= max_taps) last.emplace_back("convolve");
  const Expr transformed = fft() && var("last_axis") == "transform";
  return {
      {"last_axis",
       "whether the last axis is transformed like the others, or the spectra of planes (rows in two "
       "dimensions) "
       "are convolved along it",
       last, "transform", fft()},
      {"transform",
       "extents of the transforms: those of the array, or these rounded up to products of 2, 3, 5 and 7",
       transforms, "exact", fft()},
      {"in_place",
       "whether spectra lie where the cells do, after a copy of these, or in an array of their own",
       {false, true},
       false,
       transformed},
      {"spectrum",
       "the stencil's spectrum: an array of all modes, or three tables, one for each axis, that are added",
       {"array", "tables"},
       "tables",
       transformed && var("star")}};
}

std::vector<Parameter> path_parameters(const StencilJob& job) {
  const int default_cells = default_vector(job) * default_cells_y(job) * default_cells_z(job);
  const std::vector<Value> chunk = chunks(job);
  return {
      {"shuffle",
       "whether x neighbours come from the neighbouring lanes of the warp instead of the cache",
       {false, true},
       false,
       (persistent_applies(job) ? direct() || (is_variant("persistent") && var("kept") == "l2") : direct()) &&
           var("reach_x") >= 1 && var("reach_x") <= 4},
      {"readonly",
       "whether loads take the non-coherent path (ld.global.nc)",
       {false, true},
       true,
       or_split(job, direct())},
      {"chunk",
       "planes of z (rows of y in two dimensions) that a block computes, or a thread of fft convolves", chunk,
       chunk[4], streaming() || temporal() || (fft() && var("last_axis") == "convolve")},
      {"queue",
       "what the registers hold: the input planes around the current one, or the sums of the outputs to "
       "which "
       "the current plane contributes",
       {"inputs", "partial_sums"},
       "inputs",
       is_variant("streaming") && var("star")},
      {"loader",
       "how x and y neighbours come to a thread: through registers to shared memory (plain), by cp.async "
       "(async), as loads that hit L1, without barriers (cache), or as whole planes by the copy engine (tma)",
       {"plain", "async", "cache", "tma"},
       "async",
       streaming()},
      {"stages", "planes in shared memory", {1, 2, 3, 4, 5}, 3, streaming() && var("loader") != "cache"},
      {"unroll",
       "planes a turn of the loop over z; streaming: odd, the queue is moved once a turn, never at 2 reach + "
       "1; "
       "temporal: 1 or 2, sums are not moved at 2",
       {1, 2, 3, 5, 9, 17},
       1,
       streaming() || temporal()},
      {"unroll_rows",
       "whether the loops over rows are unrolled, with the weights as immediates instead of reads of "
       "constant "
       "memory",
       {false, true},
       static_cast<int>(job.stencil.points.size()) * default_cells <= max_terms,
       or_persistent(job, job.dimensions == 2 ? direct() : sweep()) && !var("star")},
      {"padded",
       "whether rows are padded (direct, streaming: and the array is surrounded by ghost cells, so that "
       "loads "
       "need no guards)",
       {false, true},
       true,
       !fft()},
      {"store",
       "path of the stores: ordinary, or evict first (st.global.cs)",
       {"plain", "streaming"},
       "streaming",
       persistent_applies(job) ? !fft() && !is_variant("persistent") : !fft()},
      {"min_blocks",
       "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
       {1, 2, 3, 4, 8},
       1,
       !fft()},
  };
}

/// Whether `direct` has a loop over planes to unroll or not.
bool may_roll_planes(const StencilJob& job) {
  return job.dimensions == 3 && !job.stencil.star();
}

Parameter unroll_planes() {
  return {"unroll_planes",
          "whether the loop over planes is unrolled besides that over rows; if not, the code is that of one "
          "plane, and the weights come from constant memory",
          {true, false},
          true,
          is_variant("direct") && var("unroll_rows")};
}

}  // namespace

SpaceDefinition stencil_space(const StencilJob& job, const DeviceProperties& device) {
  SpaceDefinition space;
  const auto add = [&](std::vector<Parameter> parameters) {
    for (Parameter& parameter : parameters) space.parameters.push_back(std::move(parameter));
  };
  add({variant_parameter(job)});
  add(fusion_parameters(job));
  if (persistent_applies(job)) add(persistent_parameters(job, device));
  if (split_applies(job)) add(split_parameters(job));
  add(tile_parameters(job));
  add(temporal_parameters(job));
  add(fft_parameters(job));
  add(path_parameters(job));
  if (may_roll_planes(job)) add({unroll_planes()});
  space.constraints.push_back(
      {fft() || var("padded") || var("nx") % var("vector") == 0,
       "vectors of an unpadded array need rows that are whole vectors: else they are not aligned"});
  const bool star = job.stencil.star();
  add_direct_rules(space.constraints, {is_variant("direct"), var("points"), var("reach_x"), var("reach_y"),
                                       var("reach_z"), star, may_roll_planes(job)});
  add_streaming_rules(space.constraints, {is_variant("streaming"), var("points"), var("reach_x"),
                                          var("reach_y"), var("reach_z"), star});
  add_composed_rules(space.constraints, job);
  add_temporal_rules(space.constraints, job);
  if (persistent_applies(job)) add_persistent_rules(space.constraints, job, device);
  if (split_applies(job)) add_split_rules(space.constraints, job);
  add_fft_rules(space.constraints);
  const auto [rx, ry, rz] = job.stencil.radii();
  space.constants = {
      {"nx", job.nx},
      {"ny", job.ny},
      {"nz", job.nz},
      {"star", star},
      {"steps", job.steps},
      {"reach_x", rx},
      {"reach_y", ry},
      {"reach_z", rz},
      {"points", static_cast<std::int64_t>(job.stencil.points.size())},
      {"words", job.element_bytes() / 4},
      {"max_threads", device.max_threads_per_block},
      {"multiprocessor_threads", device.max_threads_per_multiprocessor},
      {"thread_registers", 255},
      {"multiprocessor_registers", device.registers_per_multiprocessor},
      {"tensor_maps", has_tensor_maps(device)},
      {"block_shared", device.shared_memory_per_block_optin},
      {"reserved_shared", device.reserved_shared_memory_per_block},
      {"multiprocessor_shared", device.shared_memory_per_multiprocessor},
  };
  if (job.dimensions == 2) {
    space.constants.emplace("block_y", 1);
    space.constants.emplace("cells_y", 1);
  }
  return space;
}

}  // namespace tune::kernels
