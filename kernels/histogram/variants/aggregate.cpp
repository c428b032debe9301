// SPDX-License-Identifier: Apache-2.0
// The variant `aggregate`: equal samples are counted by one atomic.
#include "kernels/framework/request.hpp"
#include "kernels/histogram/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

void add_aggregated(FamilySpace& space, const HistogramJob&) {
  space.add("equal", "equal samples that one atomic counts: those of a warp, or neighbours that a thread has",
            {"warp", "run"}, "warp");
  add_counter(space, {16, 32}, var("bins"));
  add_merge(space);
}

Result<LaunchPlan> plan_aggregated(const HistogramJob& job, const Configuration& configuration,
                                   const KernelSources& sources) {
  LaunchPlan plan = histogram_plan(job, "aggregate.cu", configuration, sources);
  const std::int64_t blocks = histogram_blocks(job, configuration);
  add_counting_launch(plan, job, configuration, "histogram_aggregate", blocks, blocks,
                      counter_words(job.bins, configuration["counter"].as_int()), true);
  return plan;
}

}  // namespace

HistogramVariant aggregate_histogram() {
  return {"aggregate",
          "equal samples of a warp or a thread are counted by one atomic in shared memory",
          [](const HistogramJob& job) { return job.bins <= 1 << 16; },
          add_aggregated,
          plan_aggregated,
          check_histogram};
}

}  // namespace tune::kernels
