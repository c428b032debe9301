// SPDX-License-Identifier: Apache-2.0
// The variant `row`: the row of a vertex becomes a table in shared memory.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/triangle_count/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

void add_row(FamilySpace& space, const TriangleJob& job) {
  space.add("group", "lanes that share the row of an edge", {4, 8, 16, 32}, 32);
  space.add("slots", "slots of the hash table of a block", {1024, 2048, 4096, 8192, 16384}, 1024);
  space.add("long_row", "edges of a tile to a vertex from which its row becomes a table",
            {16, 32, 64, 128, 256}, 32);
  space.add("spread", "slots of a hash table for each element, at least", {2, 4}, 2);
  space.add("turns", "what a block has next: fixed parts of the work, or the next that no block has (queue)",
            {"fixed", "queue"}, "queue");
  space.add(
      "marks",
      "the table of a block: a hash table, or a bit or a byte for each of the last vertices, which have the "
      "most edges",
      {"hash", "bits", "bytes"}, "bits");
  std::vector<search::Value> windows;
  for (std::int64_t count = 1 << 12; count <= 1 << 18; count *= 4)
    if (windows.empty() || count < 2 * job.vertices) windows.emplace_back(count);
  space.add("window", "vertices that bits or bytes cover; the block hashes for those before", windows,
            windows[std::min<std::size_t>(windows.size() - 1, 2)], var("marks") != "hash");
  space.add("edges_thread", "edges of a tile for each thread of the block", {1, 2, 4, 8}, 1, std::nullopt,
            search::Role::work);
  space.add("unroll", "elements that a lane looks up together", {1, 2, 4}, 4);
  space.rule(var("orientation") != "degree",
             "what is behind a vertex needs numbers in the order of the edges");
  space.rule(var("long_row") <= var("block") * var("edges_thread"), "no row becomes a table");
  const Expr spread_tile = var("block") * var("edges_thread") * 16;
  space.rule(spread_tile <= 46 * 1024, "the tile of edges exceeds 48 KiB, the limit of static arrays");
  // Two tables, in turns.
  for (const auto& [marks, bytes] : {std::pair("hash", Expr(0)), std::pair("bytes", var("window") * 2),
                                     std::pair("bits", floor_div(var("window"), Expr(4)))})
    space.rules(var("marks") == marks)
        .add_shared_memory(var("slots") * 4 + bytes + spread_tile + 2560, "the tables");
}

Result<LaunchPlan> plan_row(const TriangleJob& job, const Configuration& configuration,
                            const KernelSources& sources) {
  LaunchPlan plan = triangle_plan(job, "row.cu", configuration, sources, MoreOfEdges::rests);
  const search::Value* const window = configuration.find("window");
  const std::int64_t bytes = window == nullptr                             ? 0
                             : configuration["marks"].as_text() == "bytes" ? 2 * window->as_int()
                                                                           : window->as_int() / 4;
  add_count(plan, "triangle_row",
            ceil_div(job.edges, configuration["block"].as_int() * configuration["edges_thread"].as_int()),
            configuration,
            {BufferArgument{"starts"}, BufferArgument{"targets"}, BufferArgument{"rest_starts"},
             BufferArgument{"rests"}, int32(job.vertices), static_cast<std::uint32_t>(job.edges)},
            configuration["slots"].as_int() * 4 + bytes);
  return plan;
}

}  // namespace

TriangleVariant row_triangles() {
  return {"row",
          "U'U .* U row by row: of each row that has a vertex, what is behind it is looked up in its own row",
          always,
          add_row,
          plan_row,
          check_triangles};
}

}  // namespace tune::kernels
