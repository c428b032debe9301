// SPDX-License-Identifier: Apache-2.0
// The variant `warp`: a warp a query.
#include "kernels/framework/request.hpp"
#include "kernels/grid_knn/model/variant.hpp"

namespace tune::kernels {

KnnVariant warp_knn() {
  return {
      "warp",
      "the lanes of a warp look at different points for one query",
      always,
      [](FamilySpace&, const KnnJob&) {},
      [](const KnnJob& job, const Configuration& configuration,
         const KernelSources& sources) -> Result<LaunchPlan> {
        LaunchPlan plan = knn_grid_plan(job, "warp.cu", configuration, sources);
        plan.compile.entries.emplace_back("knn_warp");
        const std::int64_t block = configuration["block"].as_int();
        plan.launches.emplace_back(make_launch("knn_warp", ceil_div(job.queries, block / 32), block_of(block),
                                               knn_arguments(job, knn_grid(job, configuration))));
        return plan;
      },
      check_knn};
}

}  // namespace tune::kernels
