// SPDX-License-Identifier: Apache-2.0
// The variants `simple` and `skip`: a thread a query.
#include "kernels/framework/request.hpp"
#include "kernels/grid_knn/model/variant.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {
namespace {

void add_thread_queries(FamilySpace& space, const KnnJob&) {
  space.add("thread_queries", "queries of a thread", {1, 2, 4}, 1, std::nullopt, search::Role::work);
}

void add_simple(FamilySpace& space, const KnnJob& job) {
  add_thread_queries(space, job);
  if (job.k == 1) return;
  space.add(
      "buffer",
      "points of a thread that wait in shared memory until the lanes of its warp insert theirs together; "
      "0: none waits",
      {0, 4, 8, 16}, 0);
  const search::Expr bytes = search::var("buffer") * search::var("block") * 8;
  space.rules().add_shared_memory(bytes, "the waiting points");
  space.rule(bytes <= 48 * 1024, "the waiting points exceed 48 KiB, the limit of a static array");
}

Result<LaunchPlan> plan_thread_search(const KnnJob& job, const Configuration& configuration,
                                      const KernelSources& sources, bool prune) {
  LaunchPlan plan = knn_grid_plan(job, "thread.cu", configuration, sources);
  plan.compile.defines.emplace_back("PRUNE", prune ? "1" : "0");
  plan.compile.entries.emplace_back("knn_thread");
  const std::int64_t block = configuration["block"].as_int();
  plan.launches.emplace_back(
      make_launch("knn_thread", ceil_div(job.queries, block * configuration["thread_queries"].as_int()),
                  block_of(block), knn_arguments(job, knn_grid(job, configuration))));
  return plan;
}

}  // namespace

KnnVariant simple_knn() {
  return {"simple",
          "a thread looks at the cubes around that of its query",
          always,
          add_simple,
          [](const KnnJob& job, const Configuration& configuration, const KernelSources& sources) {
            return plan_thread_search(job, configuration, sources, false);
          },
          check_knn};
}

KnnVariant skip_knn() {
  return {"skip",
          "a thread looks at the nearest cubes first and leaves out those that are too far",
          always,
          add_thread_queries,
          [](const KnnJob& job, const Configuration& configuration, const KernelSources& sources) {
            return plan_thread_search(job, configuration, sources, true);
          },
          check_knn,
          always};
}

}  // namespace tune::kernels
