// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/grid_knn/model/job.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

struct KnnCheck {};
using KnnVariant = Variant<KnnJob, KnnCheck>;

inline constexpr auto check_knn = [](const KnnJob&, const Configuration&) { return KnnCheck{}; };

const VariantTable<KnnJob, KnnCheck>& knn_variants();

search::SpaceDefinition knn_space(const KnnJob& job, const DeviceProperties& device);

const KernelFiles& knn_kernels();

// Shared by the plans.

/// Points at infinity behind the sorted ones (grid.cuh).
inline constexpr std::int64_t knn_padding = 4;

/// The grid of a configuration.
struct KnnGrid {
  std::int64_t side = 1;  ///< cubes along each axis
  std::int64_t rows = 1;  ///< along x, with those that a Morton curve leaves out
  bool sorted = false;    ///< queries are taken sorted by cube
};
/// Returns the cubes along each axis for so many points of a cube on average.
std::int64_t knn_side(const KnnJob& job, double points_cube);
/// Returns the rows along x. Morton curves need powers of two.
std::int64_t knn_rows(const KnnJob& job, std::int64_t side, bool morton);
KnnGrid knn_grid(const KnnJob& job, const Configuration& configuration);

/// Returns the plan of `file` without a search: macros, inputs and outputs.
LaunchPlan knn_plan(const KnnJob& job, std::string_view file, const Configuration& configuration,
                    const KernelSources& sources);
/// Returns the plan of `file` up to the search: that of knn_plan and the construction of the grid, timed or
/// not. The queries are sorted with it where the configuration takes them so.
LaunchPlan knn_grid_plan(const KnnJob& job, std::string_view file, const Configuration& configuration,
                         const KernelSources& sources);
/// Returns the arguments of a search in the grid: points, starts, frame, queries, the outputs, the numbers of
/// points and queries, the side.
std::vector<KernelArgument> knn_arguments(const KnnJob& job, const KnnGrid& grid);

}  // namespace tune::kernels
