// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/variants/fused.hpp"

#include <cstdint>
#include <utility>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/matvec/model/launches.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

bool fused_applies(const MatvecJob& job) {
  return job.op == MatvecJob::Op::ata;
}

Result<LaunchPlan> plan_fused(const MatvecJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  if (auto failure = beyond_indices(job, shape)) return tl::unexpected<Failure>(*std::move(failure));
  if (shape.slices > 1) return fail(Phase::constraint, "extent", "a row is wider than a tile");
  LaunchPlan plan;
  plan.compile = matvec_request(job, "matvec/fused.cu", {}, configuration, sources);
  plan.compile.headers.push_back(grid_barrier_header(sources));
  plan.compile.entries = {"matvec_fused", "matvec_reduce", "matvec_clear"};
  add_matvec_buffers(plan, job, configuration["padded"].as_bool());
  Launch launch = block_launch("matvec_fused", shape, shape.shared_elements(true, true), job);
  launch.cooperative = configuration["reduction"].as_text() == "barrier";
  launch.arguments = {BufferArgument{"a"}, BufferArgument{"x"}, BufferArgument{"y"}};
  add_summed_launch(plan, job, shape, configuration, std::move(launch), {});
  return plan;
}

void add_fused_rules(std::vector<search::Constraint>& rules, const MatvecJob&) {
  using search::var;
  const auto own = var("variant") == "fused";
  rules.push_back({!own || var("block_x") * var("vector") * var("unroll_x") >= var("columns"),
                   "a block of fused has whole rows"});
}

}  // namespace tune::kernels
