// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/fused.hpp"

#include <cstdint>
#include <string>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/matvec/launches.hpp"
#include "search/space/expr.hpp"

namespace tune::kernels {

bool fused_applies(const MatvecJob& job) {
  return job.op == MatvecJob::Op::ata;
}

Result<LaunchPlan> plan_fused(const MatvecJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  if (auto failure = beyond_indices(job, shape)) return tl::unexpected<Failure>(*std::move(failure));
  if (shape.slices > 1) return fail(Phase::constraint, "extent", "a row is wider than a tile");
  const std::string& reduction = configuration["reduction"].as_text();
  const bool padded = configuration["padded"].as_bool();
  const bool apart = reduction == "barrier" || (reduction == "kernel" && shape.strips > 1);
  LaunchPlan plan;
  plan.compile = matvec_request(job, "matvec/fused.cu", {}, configuration, sources);
  plan.compile.headers.push_back(grid_barrier_header(sources));
  plan.compile.entries = {"matvec_fused", "matvec_reduce", "matvec_clear"};
  add_matvec_buffers(plan, job, padded);
  if (apart) add_partial_sums(plan, job, "z_parts", shape.strips, job.columns);
  plan.buffers.push_back(grid_barrier_counter());

  Launch launch;
  launch.entry = "matvec_fused";
  launch.grid.x = static_cast<std::uint32_t>(shape.strips);
  launch.block = {static_cast<std::uint32_t>(shape.block_x), static_cast<std::uint32_t>(shape.block_y), 1};
  launch.dynamic_shared_memory =
      static_cast<std::uint64_t>(shape.shared_elements(true, true) * job.element_bytes());
  launch.cooperative = reduction == "barrier";
  launch.arguments = {BufferArgument{"a"},
                      BufferArgument{"x"},
                      BufferArgument{"y"},
                      BufferArgument{apart ? "z_parts" : "z"},
                      BufferArgument{"z"},
                      BufferArgument{"grid_barrier"},
                      int_argument(job.rows),
                      int_argument(job.columns),
                      long_argument(matvec_pitch(job, padded)),
                      int_argument(shape.strip),
                      long_argument(apart ? partial_pitch(job.columns) : 0)};
  if (reduction == "atomic") plan.launches.emplace_back(clear_launch("z", job.columns));
  plan.launches.emplace_back(std::move(launch));
  if (apart && reduction == "kernel")
    plan.launches.emplace_back(
        reduce_launch("z_parts", "z", shape.strips, job.columns, reduce_parts(configuration)));
  return plan;
}

void add_fused_rules(std::vector<search::Constraint>& rules, const MatvecJob&) {
  using search::var;
  const auto own = var("variant") == "fused";
  rules.push_back({!own || var("block_x") * var("vector") * var("unroll_x") >= var("columns"),
                   "a block of fused has whole rows"});
}

}  // namespace tune::kernels
