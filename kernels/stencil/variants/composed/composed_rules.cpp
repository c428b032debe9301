// SPDX-License-Identifier: Apache-2.0
// Which configurations of `composed` are valid.
#include "kernels/stencil/plan/rules.hpp"
#include "kernels/stencil/variants/composed/composed.hpp"

namespace tune::kernels {

using search::Constraint;
using search::Expr;
using search::var;

void add_composed_rules(std::vector<Constraint>& rules, const StencilJob& job) {
  if (!composed_applies(job)) return;
  const Expr composed = is_variant("composed");
  const int max = max_composed(job);
  rules.push_back(
      {!composed || (var("fused") >= 2 && var("fused") <= max),
       "a stencil is composed of at least two steps, and of no more than its weights fit constant "
       "memory"});
  const auto sweep = [&](const char* name) {
    SweptStencil swept{composed && var("sweep") == name, Expr(0),
                       var("reach_x") * var("fused"),    var("reach_y") * var("fused"),
                       var("reach_z") * var("fused"),    false};
    for (int steps = 2; steps <= max; ++steps)
      swept.points =
          swept.points + (var("fused") == steps) *
                             static_cast<std::int64_t>(kernels::composed(job.stencil, steps).points.size());
    return swept;
  };
  add_direct_rules(rules, sweep("direct"));
  add_streaming_rules(rules, sweep("streaming"));
}

}  // namespace tune::kernels
