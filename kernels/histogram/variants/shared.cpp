// SPDX-License-Identifier: Apache-2.0
// The variants `shared` and `private`: counters in shared memory, which lanes share or have for themselves.
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/histogram/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

void add_shared_counters(FamilySpace& space, const HistogramJob& job) {
  space.add("copies", "copies of the counters, which blocks or lanes take in turns", {1, 2, 4, 8, 16}, 1);
  std::vector<search::Value> slices = {1};
  if (job.bins >= 8192) slices = {1, 2, 4, 6, 8, 10, 12, 16};
  space.add("slices", "blocks that read the same samples, each for its slice of the bins", slices,
            slices.front());
  add_counter(space, {16, 32}, ceil_div(var("bins"), var("slices")) * var("copies"));
  add_merge(space);
  space.rule(var("slices") <= var("blocks"), "a slice has no block");
}

Result<LaunchPlan> plan_shared_counters(const HistogramJob& job, const Configuration& configuration,
                                        const KernelSources& sources) {
  LaunchPlan plan = histogram_plan(job, "shared.cu", configuration, sources);
  const std::int64_t slices = configuration["slices"].as_int();
  const std::int64_t groups = ceil_div(histogram_blocks(job, configuration), slices);
  const std::int64_t words = counter_words(ceil_div(job.bins, slices), configuration["counter"].as_int());
  add_counting_launch(plan, job, configuration, "histogram_shared", groups * slices, groups,
                      words * configuration["copies"].as_int(), true);
  return plan;
}

void add_private_counters(FamilySpace& space, const HistogramJob& job) {
  std::vector<search::Value> bits = {16, 32};
  if (job.bins <= 256) bits.insert(bits.begin(), 8);
  // Those of 8 bits belong to a thread, the others to a lane of all warps.
  add_counter(space, std::move(bits),
              var("bins") * 32 * if_else(var("counter") == 8, floor_div(var("block"), Expr(32)), Expr(1)));
  add_merge(space);
}

Result<LaunchPlan> plan_private_counters(const HistogramJob& job, const Configuration& configuration,
                                         const KernelSources& sources) {
  const std::int64_t bits = configuration["counter"].as_int(), blocks = histogram_blocks(job, configuration);
  const std::int64_t words = counter_words(job.bins, bits) * 32;
  if (bits == 8) {
    LaunchPlan plan = histogram_plan(job, "private.cu", configuration, sources);
    std::erase_if(plan.compile.defines, [](const auto& define) { return define.first == "COUNTER"; });
    add_counting_launch(plan, job, configuration, "histogram_private", blocks, blocks,
                        words * (configuration["block"].as_int() / 32), false);
    return plan;
  }
  LaunchPlan plan = histogram_plan(job, "shared.cu", configuration, sources);
  plan.compile.defines.emplace_back("COPIES", "32");
  add_counting_launch(plan, job, configuration, "histogram_shared", blocks, blocks, words, true);
  return plan;
}

}  // namespace

HistogramVariant shared_histogram() {
  return {"shared",
          "atomics in shared memory",
          always,
          add_shared_counters,
          plan_shared_counters,
          check_histogram,
          [](const HistogramJob& job) { return job.bins > 1024 && job.bins <= 1 << 18; }};
}

HistogramVariant private_histogram() {
  return {"private",
          "counters of a lane or a thread alone, in its bank of shared memory",
          [](const HistogramJob& job) { return job.bins <= 4096; },
          add_private_counters,
          plan_private_counters,
          check_histogram,
          [](const HistogramJob& job) { return job.bins <= 1024; }};
}

}  // namespace tune::kernels
