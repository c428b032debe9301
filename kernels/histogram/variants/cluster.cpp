// SPDX-License-Identifier: Apache-2.0
// The variant `cluster`: the bins lie in the shared memory of several SMs.
#include "kernels/framework/request.hpp"
#include "kernels/histogram/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

void add_cluster(FamilySpace& space, const HistogramJob&) {
  space.add("cluster", "blocks of a cluster, each with its part of the bins", {2, 4, 8}, 2);
  add_merge(space);
  space.rule(var("compute_major") == 0 || var("compute_major") >= 9,
             "the device has no clusters: they came with compute capability 9.0");
  space.rules().add_shared_memory(ceil_div(var("bins"), var("cluster")) * 4, "the counters");
}

Result<LaunchPlan> plan_cluster(const HistogramJob& job, const Configuration& configuration,
                                const KernelSources& sources) {
  LaunchPlan plan = histogram_plan(job, "cluster.cu", configuration, sources);
  const std::int64_t cluster = configuration["cluster"].as_int();
  const std::int64_t groups = ceil_div(histogram_blocks(job, configuration), cluster);
  add_counting_launch(plan, job, configuration, "histogram_cluster", groups * cluster, groups,
                      ceil_div(job.bins, cluster), false);
  return plan;
}

}  // namespace

HistogramVariant cluster_histogram() {
  return {"cluster",
          "atomics in the shared memory of a cluster of blocks, which share the bins",
          [](const HistogramJob& job) { return job.bins >= 1024; },
          add_cluster,
          plan_cluster,
          check_histogram};
}

}  // namespace tune::kernels
