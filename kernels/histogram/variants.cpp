// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/histogram/model/variant.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

const VariantTable<HistogramJob, HistogramCheck>& histogram_variants() {
  static const VariantTable<HistogramJob, HistogramCheck> table = {
      "histogram",
      {
          TUNE_VARIANT(HistogramVariant, global_histogram),
          TUNE_VARIANT(HistogramVariant, shared_histogram),
          TUNE_VARIANT(HistogramVariant, private_histogram),
          TUNE_VARIANT(HistogramVariant, aggregate_histogram),
          TUNE_VARIANT(HistogramVariant, cluster_histogram),
          TUNE_VARIANT(HistogramVariant, sort_histogram),
      },
  };
  return table;
}

search::SpaceDefinition histogram_space(const HistogramJob& job, const DeviceProperties& device) {
  using search::Role;
  using search::var;
  FamilySpace space({{"samples", job.samples}, {"bins", job.bins}, {"word_samples", job.word_samples()}},
                    device);
  const std::int64_t all = multiprocessors(device);
  constexpr std::int64_t most = 16;  // blocks for an SM
  std::vector<search::Value> blocks;
  for (const std::int64_t count : {1, 2, 3, 4, 6, 8, 16}) blocks.emplace_back(count * all);
  space.add("block", "threads of a block", {128, 256, 512, 768, 1024}, 512, std::nullopt, Role::threads);
  space.add("loads", "words of 16 bytes that a thread loads together", {1, 2, 4, 8}, 8, std::nullopt,
            Role::work);
  space.add("path", "loads of samples: ld.global.nc (readonly) or evict first (streaming)",
            {"readonly", "streaming"}, "readonly");
  space.add(min_blocks({1, 2, 3, 4, 6, 8}));
  space.add("blocks", "blocks of the grid", blocks, job.bins <= 4096 ? blocks.back() : blocks.front(),
            var("variant") != "sort");
  if (job.samples < 65536 * most * all)
    space.add("block_samples", "least samples of a block: if there are few, the grid has fewer blocks",
              {4096, 16384, 65536}, 16384, var("variant") != "sort");
  const Rules rules = space.rules();
  rules.add_max_threads(var("block"));
  rules.add_resident_threads(var("block"));
  rules.add(var("variant") == "sort" || var("blocks") >= var("min_blocks") * var("multiprocessors"),
            "the grid has fewer blocks per SM");
  rules.add(var("block") * var("min_blocks") >= 256, "fewer than eight warps cannot fill an SM");
  histogram_variants().add_to(space, job);
  return space.definition();
}

}  // namespace tune::kernels
