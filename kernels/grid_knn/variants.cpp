// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/grid_knn/model/variant.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

const VariantTable<KnnJob, KnnCheck>& knn_variants() {
  static const VariantTable<KnnJob, KnnCheck> table = {
      "grid_knn",
      {
          TUNE_VARIANT(KnnVariant, simple_knn),
          TUNE_VARIANT(KnnVariant, skip_knn),
          TUNE_VARIANT(KnnVariant, warp_knn),
          TUNE_VARIANT(KnnVariant, tile_knn),
          TUNE_VARIANT(KnnVariant, brute_knn),
      },
  };
  return table;
}

namespace {

/// Whether cubes that have points have many times the average.
bool is_uneven(const KnnJob& job) {
  return job.data == KnnJob::Data::clustered || job.data == KnnJob::Data::line;
}

/// Returns the average points of a cube that are offered: between a quarter of one and an eighth of all, in
/// grids of up to 2^28 cubes. Of uneven points between a 64th of one and four: the time grows with the square
/// of what a cube has.
std::vector<search::Value> points_of_cubes(const KnnJob& job) {
  constexpr std::int64_t max_cubes = 1 << 28;
  const bool uneven = is_uneven(job);
  std::vector<search::Value> values;
  for (double points = uneven ? 1.0 / 64 : 0.25; points <= 2048; points *= 2) {
    if (uneven && points > 4 && !values.empty()) break;
    const std::int64_t side = knn_side(job, points);
    if (knn_rows(job, side, true) * (side + 1) > max_cubes) continue;
    if (points > 1 && 8 * points > static_cast<double>(job.points)) continue;
    if (points < 1)
      values.emplace_back(points);
    else
      values.emplace_back(static_cast<std::int64_t>(points));
  }
  return values;
}

/// Adds the parameters of the grid, which `brute` has not.
void add_knn_grid(FamilySpace& space, const KnnJob& job) {
  using search::var;
  const search::Expr grid = var("variant") != "brute", tile = var("variant") == "tile";
  const std::vector<search::Value> points = points_of_cubes(job);
  const search::Value usual =
      is_uneven(job) ? points.front()
                     : search::Value(std::min<std::int64_t>(job.k <= 8 ? 2 : 4, points.back().as_int()));
  space.add("points_cube", "points of a cube on average; the grid has as many cubes along each axis", points,
            usual, grid);
  if (job.dimensions == 3)
    space.add("curve", "order of the rows of cubes in memory: line by line, or along a Morton curve",
              {"rows", "morton"}, "rows", grid);
  space.add("layout", "the coordinates and the index of a point beside each other, or in arrays of their own",
            {"vector", "split"}, "vector", grid);
  space.add("growth",
            "if the cubes around the query's do not suffice: one more on each side, or twice as many",
            {"add", "twice"}, "add", grid);
  space.add("sort", "queries are taken as they arrive, or sorted by cube; tile: sorted", {"given", "cubes"},
            job.sorted ? "given" : "cubes", grid && !tile);
  if (job.builds || job.own_queries())
    space.add("rank", "a point's place in its cube: stored as points are counted, or counted down again",
              {"stored", "again"}, "stored",
              grid && (search::Expr(job.builds) || tile || var("sort") == "cubes"));
}

}  // namespace

search::SpaceDefinition knn_space(const KnnJob& job, const DeviceProperties& device) {
  using search::Role;
  using search::var;
  FamilySpace space({{"points", job.points}, {"queries", job.queries}, {"k", job.k}}, device);
  add_knn_grid(space, job);
  space.add("block", "threads of a block", {64, 128, 256, 512}, 128, std::nullopt, Role::threads);
  space.add(min_blocks({1, 2, 4, 6, 8, 12, 16}));
  space.add("unroll", "points that a thread looks at together", {1, 2, 4}, 2);
  const Rules rules = space.rules();
  rules.add_max_threads(var("block"));
  rules.add_resident_threads(var("block"));
  rules.add_registers(if_else(var("variant") == "warp", search::Expr(2), var("k") * 2) + 24, var("block"),
                      "the neighbours do not fit the registers");
  knn_variants().add_to(space, job);
  return space.definition();
}

}  // namespace tune::kernels
