// SPDX-License-Identifier: Apache-2.0
// The variant `sort`: tiles of samples are sorted by parts of the bins, then counted part by part.
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/histogram/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

void add_sort(FamilySpace& space, const HistogramJob& job) {
  std::vector<search::Value> parts;
  for (std::int64_t count = 2; count <= 128; count *= 2)
    if (ceil_div(job.bins, count) <= 65536 && ceil_div(job.bins, count) >= 2048) parts.emplace_back(count);
  space.add("parts", "parts of the bins by which tiles of samples are sorted", parts, parts.front());
  space.add("runs", "runs of tiles, each counted by a block for each part", {2, 4, 8, 16, 32, 64}, 8);
  space.add("block_count", "threads of a block that counts", {256, 512, 1024}, 1024);
  space.rule(var("loads") * var("word_samples") <= 32, "the samples do not fit the registers of a thread");
  space.rule(var("parts") < var("block"), "a part needs a thread");
  const Rules rules = space.rules();
  rules.add_shared_memory(var("block") * var("loads") * var("word_samples") * 2 + var("parts") * 4,
                          "the tile");
  rules.add_shared_memory(ceil_div(var("bins"), var("parts") * 2) * 4, "the counters", {}, Expr(1));
}

Result<LaunchPlan> plan_sort(const HistogramJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  LaunchPlan plan = histogram_plan(job, "sort.cu", configuration, sources);
  const std::int64_t block = configuration["block"].as_int(), parts = configuration["parts"].as_int();
  const std::int64_t tile = block * configuration["loads"].as_int() * job.word_samples();
  const std::int64_t tiles = ceil_div(job.samples, tile), part_bins = ceil_div(job.bins, parts);
  const auto scratch = [&](const char* name, ElementType type, std::int64_t length) {
    plan.buffers.push_back(
        {name, type, Layout::dense({static_cast<std::uint64_t>(length)}), BufferRole::scratch});
  };
  scratch("places", ElementType::u16, tiles * tile);
  scratch("ends", ElementType::i32, tiles * parts);
  plan.compile.entries = {"histogram_sort", "histogram_count"};
  plan.launches.emplace_back(make_launch(
      "histogram_sort", tiles, block_of(block),
      {BufferArgument{"samples"}, BufferArgument{"places"}, BufferArgument{"ends"}, int32(job.samples)},
      2 * tile + 4 * parts));
  plan.launches.emplace_back(
      make_launch("histogram_count", parts * configuration["runs"].as_int(),
                  block_of(configuration["block_count"].as_int()),
                  {BufferArgument{"places"}, BufferArgument{"ends"}, BufferArgument{"counts"}, int32(tiles)},
                  counter_words(part_bins, 16) * 4));
  return plan;
}

}  // namespace

HistogramVariant sort_histogram() {
  return {"sort",
          "tiles of samples are sorted by parts of the bins, then counted part by part",
          [](const HistogramJob& job) { return job.bins >= 8192; },
          add_sort,
          plan_sort,
          check_histogram,
          [](const HistogramJob& job) { return job.bins > 1 << 18; }};
}

}  // namespace tune::kernels
