// SPDX-License-Identifier: Apache-2.0
// The variant `tile`: a block a brick of cubes, with its points in shared memory.
#include "kernels/framework/request.hpp"
#include "kernels/grid_knn/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

void add_tile(FamilySpace& space, const KnnJob& job) {
  const bool flat = job.dimensions == 2;
  space.add("brick", "cubes of a brick along each axis", {1, 2, 4, 8}, flat ? 8 : 4);
  space.add("tile_points", "points that shared memory has room for; a block with more reads global memory",
            {256, 512, 1024, 2048, 4096, 8192}, 1024);
  space.add("prune", "the nearest cubes first, and those that are too far left out", {false, true}, true);
  const Expr edge = var("brick") + 2, rows = flat ? edge : edge * edge;
  const Rules rules = space.rules();
  // The points, then where cubes and rows begin.
  rules.add_shared_memory((var("tile_points") + knn_padding) * 16 + rows * (var("brick") + 5) * 4 +
                              var("brick") * 8 * (flat ? Expr(1) : var("brick")) + 8,
                          "the points");
  // Half of what the cubes hold on average: clusters apart, such tiles never fit.
  rules.add(var("tile_points") * 2 >= rows * edge * var("points_cube"), "the points of a brick do not fit");
}

Result<LaunchPlan> plan_tile(const KnnJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  LaunchPlan plan = knn_grid_plan(job, "tile.cu", configuration, sources);
  plan.compile.entries.emplace_back("knn_tile");
  const KnnGrid grid = knn_grid(job, configuration);
  const std::int64_t bricks = ceil_div(grid.side, configuration["brick"].as_int());
  std::vector<KernelArgument> arguments = knn_arguments(job, grid);
  arguments.emplace_back(BufferArgument{job.own_queries() ? "query_starts" : "starts"});
  plan.launches.emplace_back(make_launch("knn_tile",
                                         job.dimensions == 3 ? bricks * bricks * bricks : bricks * bricks,
                                         block_of(configuration["block"].as_int()), std::move(arguments),
                                         (configuration["tile_points"].as_int() + knn_padding) * 16));
  return plan;
}

}  // namespace

KnnVariant tile_knn() {
  return {"tile",    "a block has the points around a brick of cubes in shared memory",
          always,    add_tile,
          plan_tile, check_knn};
}

}  // namespace tune::kernels
