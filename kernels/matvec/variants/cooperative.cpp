// SPDX-License-Identifier: Apache-2.0
// The variant `cooperative`: both products in one launch, with a barrier of the grid between them.
#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/request.hpp"
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

void add_cooperative(FamilySpace& space, const MatvecJob&) {
  space.rule(var("reduction") == "barrier", "all sums are added up after a barrier of the grid");
}

Result<LaunchPlan> plan_cooperative(const MatvecJob& job, const Configuration& configuration,
                                    const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  Result<LaunchPlan> plan = matvec_plan(job, shape, "cooperative.cu", configuration, sources);
  if (!plan) return plan;
  std::erase_if(plan->compile.defines, [](const auto& define) { return define.first == "REDUCTION"; });
  plan->compile.entries = {"matvec_cooperative"};
  const bool tiles = shape.slices > 1, row_blocks = shape.row_blocks > 1;
  if (tiles) add_partial_sums(*plan, job, "y_parts", shape.slices, job.rows);
  if (row_blocks) add_partial_sums(*plan, job, "z_parts", shape.row_blocks, job.columns);
  plan->buffers.push_back(grid_barrier_counter());
  Launch launch =
      block_launch("matvec_cooperative", shape, max(matvec_shared(true, false), matvec_shared(false, true)),
                   job, configuration);
  launch.cooperative = true;
  launch.arguments = {BufferArgument{"a"},
                      BufferArgument{"x"},
                      BufferArgument{"y"},
                      BufferArgument{tiles ? "y_parts" : "y"},
                      BufferArgument{"z"},
                      BufferArgument{row_blocks ? "z_parts" : "z"},
                      BufferArgument{"grid_barrier"},
                      int32(job.rows),
                      int32(job.columns),
                      int64(matvec_pitch(job, configuration["padded"].as_bool())),
                      int32(shape.row_block),
                      int64(tiles ? partial_pitch(job.rows) : 0),
                      int64(row_blocks ? partial_pitch(job.columns) : 0)};
  plan->launches.emplace_back(std::move(launch));
  return plan;
}

}  // namespace

MatvecVariant cooperative_matvec() {
  return {"cooperative",    "both products in one launch, the second one from the L2 cache if A fits",
          computes_both,    add_cooperative,
          plan_cooperative, check_part_of_rows};
}

}  // namespace tune::kernels
