// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "kernels/triangle_count/model/variant.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

const VariantTable<TriangleJob, TriangleCheck>& triangle_variants() {
  static const VariantTable<TriangleJob, TriangleCheck> table = {
      "triangle_count",
      {
          TUNE_VARIANT(TriangleVariant, merge_triangles),
          TUNE_VARIANT(TriangleVariant, search_triangles),
          TUNE_VARIANT(TriangleVariant, row_triangles),
          TUNE_VARIANT(TriangleVariant, bitmap_triangles),
      },
  };
  return table;
}

search::SpaceDefinition triangle_space(const TriangleJob& job, const DeviceProperties& device) {
  using search::Role;
  using search::var;
  FamilySpace space({{"vertices", job.vertices}, {"edges", job.edges}}, device);
  std::vector<search::Value> blocks;
  for (const std::int64_t count : {1, 2, 4, 8, 16, 32}) blocks.emplace_back(count * multiprocessors(device));
  space.add(
      "orientation",
      "an edge leads to the larger number (id) or to the vertex with more neighbours (degree); renumber: "
      "the same, and vertices get new numbers in this order",
      {"id", "degree", "renumber"}, "renumber");
  // Long rows take more registers of a thread; even graphs have none.
  space.add("block", "threads of a block", {64, 128, 256, 512, 1024}, job.is_even() ? 512 : 128, std::nullopt,
            Role::threads);
  search::Parameter resident = min_blocks({1, 2, 3, 4, 6, 8, 10, 12});
  resident.default_value = job.is_even() ? 4 : 10;
  space.add(std::move(resident));
  space.add("blocks", "blocks of the grid", blocks, blocks.back());
  const Rules rules = space.rules();
  rules.add_max_threads(var("block"));
  rules.add_resident_threads(var("block"));
  rules.add(var("blocks") >= var("min_blocks") * var("multiprocessors"), "the grid has fewer blocks per SM");
  triangle_variants().add_to(space, job);
  return space.definition();
}

}  // namespace tune::kernels
