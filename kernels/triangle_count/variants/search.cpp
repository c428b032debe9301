// SPDX-License-Identifier: Apache-2.0
// The variant `search`: the shorter row is looked up in the longer one.
#include "kernels/framework/request.hpp"
#include "kernels/triangle_count/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

void add_search(FamilySpace& space, const TriangleJob& job) {
  // Of large graphs the rows of an edge keep a warp busy.
  const bool large = job.edges >= 1 << 22;
  space.add(
      "mapping",
      "who looks elements up: a group of lanes those of an edge, or all threads equal parts of those of a "
      "tile of edges (wedge)",
      {"group", "wedge"}, large ? "group" : "wedge");
  space.add("group", "lanes that share the row of an edge", {1, 2, 4, 8, 16, 32}, 32,
            var("mapping") == "group");
  space.add("edges_thread", "edges of a tile for each thread of the block", {1, 2, 4, 8}, 1,
            var("mapping") == "wedge", search::Role::work);
  const Expr bytes = var("block") * var("edges_thread") * 16;
  const Rules rules = space.rules(var("mapping") == "wedge");
  rules.add_shared_memory(bytes + 128, "the tile of edges");
  rules.add(bytes <= 47 * 1024, "the tile of edges exceeds 48 KiB, the limit of static arrays");
}

Result<LaunchPlan> plan_search(const TriangleJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  LaunchPlan plan = triangle_plan(job, "search.cu", configuration, sources, MoreOfEdges::sources);
  const std::int64_t block = configuration["block"].as_int();
  const std::int64_t edges = configuration["mapping"].as_text() == "group"
                                 ? block / configuration["group"].as_int()
                                 : block * configuration["edges_thread"].as_int();
  add_count(plan, "triangle_search", ceil_div(job.edges, edges), configuration,
            {BufferArgument{"starts"}, BufferArgument{"targets"}, BufferArgument{"sources"},
             static_cast<std::uint32_t>(job.edges), int32(job.vertices)});
  return plan;
}

}  // namespace

TriangleVariant search_triangles() {
  return {
      "search",
      "the elements of the shorter row of an edge's ends are looked up in the longer one by binary search",
      always,
      add_search,
      plan_search,
      check_triangles};
}

}  // namespace tune::kernels
