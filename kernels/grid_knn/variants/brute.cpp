// SPDX-License-Identifier: Apache-2.0
// The variant `brute`: all points for each query.
#include "kernels/framework/request.hpp"
#include "kernels/grid_knn/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

void add_brute(FamilySpace& space, const KnnJob&) {
  space.add("thread_queries", "queries of a thread", {1, 2, 4}, 1, std::nullopt, search::Role::work);
  space.rules().add_registers(var("k") * 2 * var("thread_queries") + 24, var("block"),
                              "the neighbours do not fit the registers");
}

Result<LaunchPlan> plan_brute(const KnnJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  LaunchPlan plan = knn_plan(job, "brute.cu", configuration, sources);
  plan.compile.entries = {"knn_brute"};
  const std::int64_t block = configuration["block"].as_int();
  plan.launches.emplace_back(make_launch(
      "knn_brute", ceil_div(job.queries, block * configuration["thread_queries"].as_int()), block_of(block),
      {BufferArgument{"points"}, BufferArgument{job.own_queries() ? "queries" : "points"},
       BufferArgument{"indices"}, BufferArgument{"distances"}, int32(job.points), int32(job.queries)}));
  return plan;
}

}  // namespace

KnnVariant brute_knn() {
  return {"brute",
          "all points for each query, through shared memory",
          [](const KnnJob& job) { return job.points <= 1 << 17; },
          add_brute,
          plan_brute,
          check_knn,
          [](const KnnJob& job) { return job.points <= 1024; }};
}

}  // namespace tune::kernels
