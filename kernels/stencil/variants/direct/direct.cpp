// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/direct/direct.hpp"

#include "kernels/stencil/plan/launches.hpp"

namespace tune::kernels {

using search::Expr;
using search::var;

void add_direct_rules(FamilySpace& space, const SweptStencil& stencil) {
  const Rules rules = space.rules(stencil.applies);
  add_row_rule(rules);
  const Expr cells = var("vector") * var("cells_y") * var("cells_z");
  const Expr block = var("block_x") * var("block_y") * var("block_z");
  add_block_limits(rules, block);
  add_brick_limits(rules, cells);
  rules.add_registers(cells * var("words") + 16, block,
                      "the sums alone need more registers than min_blocks leaves to a thread");
  rules.add(!var("shuffle") || stencil.reach_x <= var("vector"),
            "shuffles bring the x neighbours of the next lane only: the reach must fit the vector");
  if (stencil.star) rules.add(stencil.points * cells <= max_unrolled_terms, too_many_terms);
  if (!stencil.may_roll_planes) {
    rules.add(!var("unroll_rows") || stencil.points * cells <= max_unrolled_terms, too_many_terms);
    return;
  }
  // These apply only where rows are unrolled: unroll_planes exists only there.
  const Expr plane = (stencil.reach_x * 2 + 1) * (stencil.reach_y * 2 + 1);
  rules.add(if_else(var("unroll_planes"), stencil.points, plane) * cells <= max_unrolled_terms,
            too_many_terms);
  rules.add(var("unroll_planes") || var("cells_z") == 1, "a loop over planes has outputs in one plane");
}

namespace {

/// True if there is a loop over planes, to be unrolled or not.
bool may_roll_planes(const StencilJob& job) {
  return job.dimensions == 3 && !job.stencil.star();
}

void add_direct(FamilySpace& space, const StencilJob& job) {
  add_shared(space, job,
             {"block_x", "block_y", "block_z", "vector", "cells_y", "cells_z", "shuffle", "readonly",
              "unroll_rows", "padded", "store", "min_blocks"});
  if (may_roll_planes(job))
    space.add(
        "unroll_planes",
        "whether the loop over planes is unrolled besides that over rows; if not, the code is that of one "
        "plane, and the weights come from constant memory",
        {true, false}, true, var("unroll_rows"));
  SweptStencil stencil = swept_by("direct", job);
  stencil.may_roll_planes = may_roll_planes(job);
  add_direct_rules(space, stencil);
}

Result<LaunchPlan> plan_direct(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  return plan_sweeps(job, configuration, sources, "direct.cu");
}

}  // namespace

StencilVariant direct_stencil() {
  return {"direct",     "a thread computes its cells straight from global memory",
          sweeps_apply, add_direct,
          plan_direct,  step_sizes,
          nullptr,      seconds_of_single_steps};
}

}  // namespace tune::kernels
