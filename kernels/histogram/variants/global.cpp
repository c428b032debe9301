// SPDX-License-Identifier: Apache-2.0
// The variant `global`: counters in global memory.
#include "kernels/framework/request.hpp"
#include "kernels/histogram/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

void add_global_counters(FamilySpace& space, const HistogramJob&) {
  space.add("copies", "copies of the counters, which blocks or lanes take in turns", {1, 2, 4, 8, 16, 32}, 1);
  space.rule(var("copies") * var("bins") <= 1 << 22, "the copies do not fit the L2 cache");
  space.rule(var("copies") == 1 || var("copies") <= var("blocks"), "more copies than blocks");
}

Result<LaunchPlan> plan_global_counters(const HistogramJob& job, const Configuration& configuration,
                                        const KernelSources& sources) {
  LaunchPlan plan = histogram_plan(job, "global.cu", configuration, sources);
  const std::int64_t copies = configuration["copies"].as_int();
  const char* const to = copies > 1 ? "parts" : "counts";
  plan.compile.entries = {"histogram_global"};
  if (copies > 1) {
    add_parts(plan, job, copies);
    plan.launches.emplace_back(Zero{"parts"});
  }
  plan.launches.emplace_back(make_launch(
      "histogram_global", histogram_blocks(job, configuration), block_of(configuration["block"].as_int()),
      {BufferArgument{"samples"}, BufferArgument{to}, int32(job.samples)}));
  if (copies > 1) add_sum_launch(plan, job, copies);
  return plan;
}

}  // namespace

HistogramVariant global_histogram() {
  return {"global",       "atomics in global memory", always, add_global_counters, plan_global_counters,
          check_histogram};
}

}  // namespace tune::kernels
