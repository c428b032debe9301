// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/variants/cooperative.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/matvec/model/launches.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

bool cooperative_applies(const MatvecJob& job) {
  return job.op == MatvecJob::Op::ata;
}

Result<LaunchPlan> plan_cooperative(const MatvecJob& job, const Configuration& configuration,
                                    const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  if (auto failure = beyond_indices(job, shape)) return tl::unexpected<Failure>(*std::move(failure));
  const bool padded = configuration["padded"].as_bool();
  LaunchPlan plan;
  plan.compile = matvec_request(job, "matvec/cooperative.cu", {}, configuration, sources, {"reduction"});
  std::erase_if(plan.compile.headers, [](const SourceFile& file) { return file.name == "sums_kernels.cuh"; });
  plan.compile.headers.push_back(grid_barrier_header(sources));
  plan.compile.entries = {"matvec_cooperative"};
  add_matvec_buffers(plan, job, padded);
  const bool tiles = shape.slices > 1, row_blocks = shape.row_blocks > 1;
  if (tiles) add_partial_sums(plan, job, "y_parts", shape.slices, job.rows);
  if (row_blocks) add_partial_sums(plan, job, "z_parts", shape.row_blocks, job.columns);
  plan.buffers.push_back(grid_barrier_counter());
  const std::int64_t shared =
      std::max(shape.shared_elements(true, false), shape.shared_elements(false, true));
  Launch launch = block_launch("matvec_cooperative", shape, shared, job);
  launch.cooperative = true;
  launch.arguments = {BufferArgument{"a"},
                      BufferArgument{"x"},
                      BufferArgument{"y"},
                      BufferArgument{tiles ? "y_parts" : "y"},
                      BufferArgument{"z"},
                      BufferArgument{row_blocks ? "z_parts" : "z"},
                      BufferArgument{"grid_barrier"},
                      int_argument(job.rows),
                      int_argument(job.columns),
                      long_argument(matvec_pitch(job, padded)),
                      int_argument(shape.row_block),
                      long_argument(tiles ? partial_pitch(job.rows) : 0),
                      long_argument(row_blocks ? partial_pitch(job.columns) : 0)};
  plan.launches.emplace_back(std::move(launch));
  return plan;
}

void add_cooperative_rules(std::vector<search::Constraint>& rules, const MatvecJob&) {
  using search::var;
  const auto own = var("variant") == "cooperative";
  rules.push_back(
      {!own || var("reduction") == "barrier", "all sums are added up after a barrier of the grid"});
}

}  // namespace tune::kernels
