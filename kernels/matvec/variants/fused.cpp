// SPDX-License-Identifier: Apache-2.0
// The variant `fused`: a block reads whole rows once for both products.
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

void add_fused(FamilySpace& space, const MatvecJob&) {
  space.rule(matvec_tile() >= var("columns"), "a block of fused has whole rows");
}

Result<LaunchPlan> plan_fused(const MatvecJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  Result<LaunchPlan> plan = matvec_plan(job, shape, "fused.cu", configuration, sources);
  if (!plan) return plan;
  if (shape.slices > 1) return fail(Phase::constraint, "extent", "a row is wider than a tile");
  plan->compile.entries = {"matvec_fused", "matvec_reduce", "matvec_clear"};
  Launch launch = block_launch("matvec_fused", shape, matvec_shared(true, true), job, configuration);
  launch.cooperative = configuration["reduction"].as_text() == "barrier";
  launch.arguments = {BufferArgument{"a"}, BufferArgument{"x"}, BufferArgument{"y"}};
  add_summed_launch(*plan, job, shape, configuration, std::move(launch), {});
  return plan;
}

}  // namespace

MatvecVariant fused_matvec() {
  return {"fused",       "A is read once: rows stay in a block between both products",
          computes_both, add_fused,
          plan_fused,    check_whole_rows};
}

}  // namespace tune::kernels
