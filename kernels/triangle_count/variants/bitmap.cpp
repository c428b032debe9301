// SPDX-License-Identifier: Apache-2.0
// The variant `bitmap`: a bit for each pair of the vertices with the most edges, filters for the others.
#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/triangle_count/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

constexpr std::int64_t hashed = 4096;  // as in the kernel

void add_bitmap(FamilySpace& space, const TriangleJob& job) {
  const auto powers = [&](std::int64_t least, std::int64_t most) {
    // Below a few hundred vertices a core has all of them.
    const std::int64_t first = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(job.vertices))) / least, 256,
        most);
    return std::vector<search::Value>{first, 2 * first, 4 * first, 8 * first};
  };
  const auto cores = powers(128, 4096), windows = powers(32, 16384);
  space.add("core", "vertices with a bit for each pair of them: those with the most edges", cores, cores[2]);
  space.add("filter", "bits of the filter of another vertex; 0: none, all is searched", {0, 128, 256, 512},
            256);
  space.add("window", "last vertices that the bits of a long row cover; those before are hashed", windows,
            windows[1]);
  space.add("lanes", "lanes that have a short row, a target each; longer rows become bits in shared memory",
            {8, 16, 32}, 32);
  space.add("together", "pairs of a short row that a lane looks up together", {2, 4, 8}, 8);
  space.add("group", "lanes that share a target of a long row", {4, 8, 16, 32}, 8);
  space.add("chunk", "rows that a block takes together", {32, 64, 128, 256}, job.is_even() ? 256 : 64,
            std::nullopt, search::Role::work);
  space.add("unroll", "targets of a long row that a lane has together", {1, 2, 4}, 1);
  space.add("turns", "what a block has next: fixed rows, or the next that no block has (queue)",
            {"fixed", "queue"}, "queue");
  space.rule(var("orientation") == "renumber", "the core has the last numbers");
  space.rule(var("window") >= var("core"), "the bits of a row cover the core");
  space.rule(var("filter") * var("vertices") < std::int64_t{1} << 37,
             "a word of filters has a number of 32 bits");
  space.rule(var("chunk") * var("lanes") >= var("block"), "some threads have no row");
  space.rules().add_shared_memory(
      floor_div(var("window") + hashed, search::Expr(8)) + var("chunk") * 8 + var("block") * 16 + 512,
      "the bits");
}

Result<LaunchPlan> plan_bitmap(const TriangleJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  LaunchPlan plan = triangle_plan(job, "bitmap.cu", configuration, sources, MoreOfEdges::bits);
  add_count(plan, "triangle_bitmap", ceil_div(job.vertices, configuration["chunk"].as_int()), configuration,
            {BufferArgument{"starts"}, BufferArgument{"targets"}, BufferArgument{"core_rows"},
             BufferArgument{"filters"}, int32(job.vertices)},
            (configuration["window"].as_int() + hashed) / 8);
  return plan;
}

}  // namespace

TriangleVariant bitmap_triangles() {
  return {"bitmap",
          "pairs of the vertices with the most edges are bits, others pass a filter before they are searched",
          always,
          add_bitmap,
          plan_bitmap,
          check_triangles,
          always};
}

}  // namespace tune::kernels
