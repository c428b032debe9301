// SPDX-License-Identifier: Apache-2.0
#include "kernels/grid_knn/model/variant.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t build_threads = 256;  // as in build.cuh

}  // namespace

std::int64_t knn_side(const KnnJob& job, double points_cube) {
  const double cubes = static_cast<double>(job.points) / points_cube;
  return std::max<std::int64_t>(1, std::llround(std::pow(cubes, 1.0 / job.dimensions)));
}

std::int64_t knn_rows(const KnnJob& job, std::int64_t side, bool morton) {
  if (job.dimensions == 2) return side;
  std::int64_t edge = side;
  if (morton)
    for (edge = 1; edge < side;) edge *= 2;
  return edge * edge;
}

namespace {

BufferSpec buffer(const char* name, ElementType type, std::int64_t length,
                  BufferFill fill = BufferFill::poison) {
  BufferSpec spec{name, type, Layout::dense({static_cast<std::uint64_t>(length)}), BufferRole::scratch};
  spec.fill = fill;
  return spec;
}

/// Where the points or the queries are sorted by cube.
struct Sorted {
  const char *given, *counts, *ranks, *starts, *cursor, *sorted;
};
constexpr Sorted sorted_points = {"points", "counts", "ranks", "starts", "cursor", "sorted"};
constexpr Sorted sorted_queries = {"queries",      "query_counts", "query_ranks",
                                   "query_starts", "query_cursor", "sorted_queries"};

/// Adds the buffers and the steps of a counting sort by cube.
void add_sort(LaunchPlan& plan, std::vector<PlanStep>& steps, const Sorted& names, std::int64_t count,
              const KnnGrid& grid, bool ranks_stored) {
  const Dim3 block = block_of(build_threads);
  plan.buffers.push_back(buffer(names.counts, ElementType::u32, grid.rows * grid.side, BufferFill::zero));
  if (ranks_stored) plan.buffers.push_back(buffer(names.ranks, ElementType::u32, count));
  plan.buffers.push_back(buffer(names.starts, ElementType::i32, grid.rows * (grid.side + 1)));
  plan.buffers.push_back(buffer(names.cursor, ElementType::u32, 1, BufferFill::zero));
  plan.buffers.push_back(buffer(names.sorted, ElementType::f32, 4 * (count + knn_padding)));
  const BufferArgument given{names.given}, counts{names.counts}, starts{names.starts}, cursor{names.cursor};
  const BufferArgument ranks{ranks_stored ? names.ranks : names.counts};
  const std::int64_t blocks = ceil_div(count, build_threads);
  steps.emplace_back(
      make_launch("knn_count", blocks, block,
                  {given, int32(count), int32(grid.side), BufferArgument{"frame"}, counts, ranks}));
  steps.emplace_back(make_launch("knn_starts", ceil_div(grid.rows, build_threads / 32), block,
                                 {counts, starts, cursor, int32(grid.rows), int32(grid.side)}));
  steps.emplace_back(make_launch("knn_sort", ceil_div(count + knn_padding, build_threads), block,
                                 {given, int32(count), int32(grid.side), BufferArgument{"frame"}, counts,
                                  ranks, starts, cursor, BufferArgument{names.sorted}}));
}

}  // namespace

const KernelFiles& knn_kernels() {
  static const KernelFiles files("grid_knn");
  return files;
}

KnnGrid knn_grid(const KnnJob& job, const Configuration& configuration) {
  const auto is = [&](const char* name, const char* text) {
    const search::Value* value = configuration.find(name);
    return value != nullptr && value->as_text() == text;
  };
  KnnGrid grid;
  grid.side = knn_side(job, configuration["points_cube"].as_real());
  grid.rows = knn_rows(job, grid.side, is("curve", "morton"));
  grid.sorted = is("variant", "tile") || is("sort", "cubes");
  return grid;
}

LaunchPlan knn_plan(const KnnJob& job, std::string_view file, const Configuration& configuration,
                    const KernelSources& sources) {
  static constexpr const char* selves[] = {"none", "skip", "count"};
  LaunchPlan plan;
  plan.compile = knn_kernels().request(file, sources);
  plan.compile.defines = {
      {"K", std::to_string(job.k)},
      {"DIMENSIONS", std::to_string(job.dimensions)},
      {"SELF", std::string("Self::") + selves[static_cast<std::size_t>(job.self)]},
  };
  add_macros(plan.compile, configuration, {"points_cube"});
  plan.buffers.push_back(
      {"points", ElementType::f32, Layout::dense(job.coordinates(job.points)), BufferRole::input});
  if (job.own_queries())
    plan.buffers.push_back(
        {"queries", ElementType::f32, Layout::dense(job.coordinates(job.queries)), BufferRole::input});
  plan.buffers.push_back({"indices", ElementType::i32, Layout::dense(job.results()), BufferRole::output});
  plan.buffers.push_back({"distances", ElementType::f32, Layout::dense(job.results()), BufferRole::output});
  return plan;
}

LaunchPlan knn_grid_plan(const KnnJob& job, std::string_view file, const Configuration& configuration,
                         const KernelSources& sources) {
  constexpr std::int64_t points_of_thread = 16, max_blocks = 1024;
  const KnnGrid grid = knn_grid(job, configuration);
  const search::Value* rank = configuration.find("rank");
  const bool stored = rank == nullptr || rank->as_text() == "stored";
  LaunchPlan plan = knn_plan(job, file, configuration, sources);
  plan.compile.entries = {"knn_box", "knn_count", "knn_starts", "knn_sort"};
  plan.buffers.push_back(buffer("box", ElementType::u32, 8, BufferFill::zero));
  plan.buffers.push_back(buffer("frame", ElementType::f32, 12));
  std::vector<PlanStep>& build = job.builds ? plan.launches : plan.setup;
  build.emplace_back(make_launch("knn_box",
                                 std::min(max_blocks, ceil_div(job.points, build_threads * points_of_thread)),
                                 block_of(build_threads),
                                 {BufferArgument{"points"}, int32(job.points), int32(grid.side),
                                  BufferArgument{"box"}, BufferArgument{"frame"}}));
  add_sort(plan, build, sorted_points, job.points, grid, stored);
  if (grid.sorted && job.own_queries())
    add_sort(plan, plan.launches, sorted_queries, job.queries, grid, stored);
  return plan;
}

std::vector<KernelArgument> knn_arguments(const KnnJob& job, const KnnGrid& grid) {
  const char* const queries = grid.sorted         ? job.own_queries() ? "sorted_queries" : "sorted"
                              : job.own_queries() ? "queries"
                                                  : "points";
  return {BufferArgument{"sorted"}, BufferArgument{"starts"},  BufferArgument{"frame"},
          BufferArgument{queries},  BufferArgument{"indices"}, BufferArgument{"distances"},
          int32(job.points),        int32(job.queries),        int32(grid.side)};
}

}  // namespace tune::kernels
