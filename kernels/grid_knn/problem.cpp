// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/grid_knn/model/files.hpp"
#include "kernels/grid_knn/model/job.hpp"
#include "kernels/grid_knn/model/reference.hpp"
#include "kernels/grid_knn/model/variant.hpp"

namespace tune::kernels {
namespace {

/// Returns small sizes at which a configuration is checked: several cubes along each axis where these have
/// few points, clusters, many equal distances, points on a line, equal points, a single one (fewer than k).
std::vector<CheckedSize> knn_checked_sizes(const KnnJob& job, const Configuration& configuration) {
  // The emulator needs a microsecond for each access.
  constexpr std::int64_t most = 1009, pairs = 400'000;
  const search::Value* points_cube = configuration.find("points_cube");
  const double around =
      points_cube == nullptr ? 1e9 : points_cube->as_real() * (job.dimensions == 2 ? 9 : 27);
  std::vector<CheckedSize> sizes;
  const auto add = [&](std::int64_t points, const char* data, const char* order) {
    const auto candidates = std::min(static_cast<double>(points), around + 1);
    if (!job.own_queries()) points = std::min(points, static_cast<std::int64_t>(pairs / candidates) + 3);
    const auto queries =
        std::min<std::int64_t>(points * 3 / 4 + 5, static_cast<std::int64_t>(pairs / candidates) + 3);
    sizes.push_back({{{"points", points}, {"queries", job.own_queries() ? queries : points}},
                     {{"data", std::string(data)}, {"order", std::string(order)}}});
  };
  add(most, "uniform", "random");
  add(601, "clustered", "sorted");
  add(333, "lattice", "random");
  add(150, "line", "sorted");
  add(40, "equal", "random");
  add(1, "uniform", "sorted");
  return sizes;
}

ProblemInfo knn_info() {
  ProblemInfo info;
  info.name = "grid_knn";
  info.summary = "the k nearest neighbours of places among points, found in a grid";
  info.extents = {{"points", "number of points", 1 << 24}, {"queries", "number of queries", 1 << 24}};
  info.settings = {
      {.name = "k",
       .documentation = "neighbours of a query",
       .values = {},
       .default_value = 1,
       .range = std::pair<std::int64_t, std::int64_t>{1, 16}},
      {"dimensions", "dimensions of the space", {2, 3}, 3},
      {"self",
       "none: queries are places of their own; the points are the queries, each without (skip) or with itself "
       "(count)",
       {"none", "skip", "count"},
       "none"},
      {"data",
       "how points and queries lie: evenly, most in clusters, on a line, on a lattice (equal distances), all "
       "in one place",
       {"uniform", "clustered", "line", "lattice", "equal"},
       "uniform"},
      {"order",
       "points and queries arrive sorted, row by row of small cubes, or not",
       {"sorted", "random"},
       "sorted"},
      {"build", "whether the time includes the construction of the grid", {"apart", "included"}, "apart"},
  };
  info.item = "query";
  info.sources = knn_kernels().names();
  return info;
}

ProblemCost knn_cost(const KnnJob& job) {
  ProblemCost cost;
  cost.items = static_cast<double>(job.queries);
  const auto places = static_cast<double>(job.points + (job.own_queries() ? job.queries : 0));
  cost.bytes = 4 * job.dimensions * places + 8 * static_cast<double>(job.k) * cost.items;
  return cost;
}

Result<LaunchPlan> plan_knn(const KnnJob& job, const Configuration& configuration,
                            const KernelSources& sources) {
  return knn_variants().of(configuration).plan(job, configuration, sources);
}

class KnnProblem : public FamilyProblem<KnnJob>, public HasFiles {
 public:
  using FamilyProblem::FamilyProblem;
  const ProblemFiles& files() const override { return knn_files(); }
};

}  // namespace

/// The k nearest of `points` points for each of `queries` places. Buffers `points` and `queries` (inputs, x y
/// z of each), `indices` (output, int32, -1: no neighbour) and `distances` (output, squared, infinite: none),
/// the nearest first.
std::unique_ptr<Problem> make_grid_knn() {
  return std::make_unique<KnnProblem>(
      knn_info(), FamilyFunctions<KnnJob>{knn_job, knn_space, knn_cost, plan_knn, knn_inputs, knn_reference,
                                          knn_tolerance, knn_checked_sizes});
}

}  // namespace tune::kernels
