// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/streaming/streaming.hpp"

#include "kernels/stencil/plan/geometry.hpp"
#include "kernels/stencil/plan/launches.hpp"

namespace tune::kernels {

using search::Expr;
using search::var;

namespace {

/// Adds the requirements of the copy engine; see check_tensor_map.
void add_box_rules(const Rules& rules, const SweptStencil& stencil) {
  const Expr other = var("loader") != "tma";
  const Expr aligned_halo = ceil_div(stencil.reach_x, var("vector")) * var("vector");
  const Expr row = (var("block_x") * var("vector") + aligned_halo * 2) * var("words") * 4;
  rules.add(other || var("tensor_maps"),
            "the copy engine (tma) needs compute capability 9.0 or later: take loader=async");
  rules.add(other || var("stages") >= 2, "the copy engine fills one shared plane while another one is read");
  rules.add(other || var("padded") || var("nx") * var("words") * 4 % 16 == 0,
            "the copy engine needs rows of a multiple of 16 bytes: take padded=true");
  rules.add(other || row % 16 == 0, "the copy engine needs boxes with rows of a multiple of 16 bytes");
  rules.add(other || (aligned_halo * var("words") % 4 == 0 &&
                      var("block_x") * var("vector") * var("words") % 4 == 0),
            "the copy engine needs boxes that begin at a multiple of 16 bytes along x: take a wider vector");
  rules.add(other || (var("block_x") * var("vector") + aligned_halo * 2 <= 256 &&
                      var("block_y") * var("cells_y") + stencil.reach_y * 2 <= 256),
            "a box of the copy engine has 256 cells at most along an axis");
  if (stencil.star)
    rules.add(other || var("queue") == "partial_sums",
              "the copy engine brings whole planes, of which only partial sums have a use");
}

void add_streaming(FamilySpace& space, const StencilJob& job) {
  add_shared(space, job,
             {"block_x", "block_y", "vector", "cells_y", "chunk", "loader", "stages", "unroll", "padded",
              "store", "min_blocks"});
  if (job.dimensions == 3) add_shared(space, job, {"unroll_rows"});
  space.add("queue",
            "what the registers hold: the input planes around the current one, or the sums of the outputs to "
            "which the current plane contributes",
            {"inputs", "partial_sums"}, "inputs", var("star"));
  add_streaming_rules(space, swept_by("streaming", job));
}

}  // namespace

void add_streaming_rules(FamilySpace& space, const SweptStencil& stencil) {
  const Rules rules = space.rules(stencil.applies);
  const Expr threads = var("block_x") * var("block_y");
  add_row_rule(rules);
  const Expr width = stencil.reach_z * 2 + 1;
  const Expr cells = var("vector") * var("cells_y");
  add_block_limits(rules, threads);
  rules.add_registers(width * cells * var("words") + 20, threads,
                      "the queue alone needs more registers than min_blocks leaves to a thread");
  rules.add(var("loader") != "plain" || var("stages") <= 2,
            "a plain loader has one plane on the way, in registers: it uses one or two shared planes");
  rules.add(var("loader") != "async" || var("stages") >= 2,
            "an asynchronous loader fills one shared plane while another one is read");
  rules.add(var("loader") != "async" || has_async_copies(), no_async_copies);
  add_box_rules(rules, stencil);
  rules.add(var("unroll") <= width && var("unroll") != 2,
            "a turn is odd, and one longer than the queue gains nothing");
  rules.add(var("unroll") == 1 || var("unroll") * stencil.points * cells <= 2 * max_unrolled_terms,
            too_many_terms);
  rules.add(!var("unroll_rows") || stencil.points * cells <= max_unrolled_terms, too_many_terms);
  if (stencil.star) rules.add(stencil.points * cells <= max_unrolled_terms, too_many_terms);
  if (!stencil.star) rules.add(width * (stencil.reach_x * 2 + 1) * cells <= 1200, too_many_terms);

  const Expr aligned_halo = ceil_div(stencil.reach_x, var("vector")) * var("vector");
  // The halo vectors of a thread: source and target of each stay in three registers.
  const Expr halo = stencil.reach_y * 2 * (var("block_x") + aligned_halo * 2) +
                    var("block_y") * var("cells_y") * aligned_halo * 2;
  rules.add(halo <= threads * var("vector") * 32 || var("loader") == "cache" || var("loader") == "tma",
            "a thread has to bring too many vectors of the halo: more threads have fewer each");
  rules.add_shared_memory(planes_bytes(stencil.reach_x, stencil.reach_y), "the planes");
}

Result<LaunchPlan> plan_streaming(const StencilJob& job, const Configuration& configuration,
                                  const KernelSources& sources) {
  // Only a star has a choice of the queue.
  std::vector<std::pair<std::string, std::string>> macros;
  if (!configuration.has("queue")) macros.emplace_back("QUEUE", "Queue::partial_sums");
  return plan_sweeps(job, configuration, sources, "streaming.cu", macros);
}

StencilVariant streaming_stencil() {
  return {"streaming",    "a block marches through planes of z",
          sweeps_apply,   add_streaming,
          plan_streaming, step_sizes,
          nullptr,        seconds_of_single_steps};
}

}  // namespace tune::kernels
