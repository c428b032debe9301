// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/persistent/persistent.hpp"

#include <algorithm>
#include <limits>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/sweeps.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();

std::int64_t ceil_divided(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Tiles of shared memory and what they take, as persistent_tile.cuh cuts the array.
struct Tiling {
  std::array<std::int64_t, 3> tiles{};
  std::int64_t shared_cells = 0;

  Tiling(const StencilJob& job, const Configuration& configuration) {
    const auto value = [&](const char* name) { return value_or_one(configuration, name); };
    const std::array<std::int64_t, 3> n{job.nx, job.ny, job.nz}, min = min_tile(job);
    const std::array<std::int64_t, 3> brick{value("vector"), value("cells_y"), value("cells_z")};
    const std::array<const char*, 3> names{"tiles_x", "tiles_y", "tiles_z"};
    std::array<std::int64_t, 3> max{};  // cells of the largest tile
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t fit = ceil_divided(n[a], std::max(min[a], brick[a]));
      tiles[a] = std::min(value(names[a]), fit);
      max[a] = ceil_divided(ceil_divided(n[a], brick[a]), tiles[a]) * brick[a];
    }
    const auto [rx, ry, rz] = job.stencil.radii();
    const std::int64_t aligned_halo = ceil_divided(rx, brick[0]) * brick[0];
    const std::int64_t slab = value("block_z") * brick[2];
    const bool own_columns = job.stencil.star() && value("block_z") == 1;
    const std::int64_t shift = own_columns ? std::max<std::int64_t>(slab, rz) : slab + rz;
    shared_cells = (max[0] + 2 * aligned_halo) * (max[1] + 2 * ry) * (max[2] + 2 * rz + shift);
  }
};

/// `in`, `out`, `other`, the barrier's counter and the steps come before the extents.
void add_launch(LaunchPlan& plan, const StencilJob& job, const Layout& layout, Launch launch) {
  add_arrays(plan, job, layout, 1);
  plan.buffers.push_back(grid_barrier_counter());
  std::vector<KernelArgument> first{BufferArgument{"in"}, BufferArgument{"out"}, BufferArgument{"other"},
                                    BufferArgument{plan.buffers.back().name},
                                    ScalarArgument{static_cast<std::int32_t>(job.steps)}};
  launch.arguments.insert(launch.arguments.begin(), first.begin(), first.end());
  launch.entry = "stencil_persistent";
  launch.cooperative = true;
  plan.compile.entries = {launch.entry};
  plan.launches.emplace_back(std::move(launch));
}

/// Blocks stride over the tiles of `direct`.
Result<LaunchPlan> plan_l2(const StencilJob& job, const Configuration& configuration,
                           const KernelSources& sources) {
  Result<SweepLaunch> sweep = sweep_launch(job, configuration);
  if (!sweep) return tl::unexpected<Failure>(sweep.error());
  LaunchPlan plan;
  plan.compile = stencil_request(job, job.stencil, "stencil/persistent_l2.cu", sweep_files(true).headers,
                                 configuration, sources, {"kept", "blocks"});
  const auto blocks = static_cast<std::uint32_t>(configuration["blocks"].as_int());
  sweep->launch.grid.x = std::min(sweep->launch.grid.x, blocks);
  add_launch(plan, job, sweep->layout, std::move(sweep->launch));
  return plan;
}

/// Every block has one tile.
Result<LaunchPlan> plan_shared(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const Tiling tiling(job, configuration);
  const Layout layout = row_layout(job, configuration["padded"].as_bool());
  // More than any shared memory has.
  if (tiling.shared_cells > (std::int64_t{1} << 26) || std::max({job.nx, job.ny, job.nz}) > max_index / 2)
    return fail(Phase::constraint, "extent", "the array does not fit the tiles in shared memory");
  LaunchPlan plan;
  plan.compile = stencil_request(job, job.stencil, "stencil/persistent_shared.cu",
                                 {"stencil/boundary.cuh", "stencil/direct_sums.cuh", "stencil/indices.cuh",
                                  "stencil/persistent_tile.cuh", "common/vectors.cuh"},
                                 configuration, sources, {"kept", "padded", "tiles_x", "tiles_y", "tiles_z"});
  Launch launch;
  launch.grid = {static_cast<std::uint32_t>(tiling.tiles[0] * tiling.tiles[1] * tiling.tiles[2]), 1, 1};
  launch.block = {static_cast<std::uint32_t>(value_or_one(configuration, "block_x")),
                  static_cast<std::uint32_t>(value_or_one(configuration, "block_y")),
                  static_cast<std::uint32_t>(value_or_one(configuration, "block_z"))};
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(tiling.shared_cells * job.element_bytes());
  launch.arguments = extent_arguments(job, layout);
  for (const std::int64_t count : tiling.tiles)
    launch.arguments.push_back(ScalarArgument{static_cast<std::int32_t>(count)});
  add_launch(plan, job, layout, std::move(launch));
  return plan;
}

}  // namespace

std::array<std::int64_t, 3> min_tile(const StencilJob& job) {
  const auto [rx, ry, rz] = job.stencil.radii();
  return {std::max(16, 2 * rx), std::max(4, 2 * ry), std::max(4, 2 * rz)};
}

Result<LaunchPlan> plan_persistent(const StencilJob& job, const Configuration& configuration,
                                   const KernelSources& sources) {
  const bool shared = configuration["kept"].as_text() == "shared";
  Result<LaunchPlan> plan =
      shared ? plan_shared(job, configuration, sources) : plan_l2(job, configuration, sources);
  if (!plan) return plan;
  plan->compile.headers.push_back(grid_barrier_header(sources));
  add_axis_macros(job, plan->compile);
  return plan;
}

bool persistent_applies(const StencilJob& job) {
  return job.steps >= 2 && sweeps_apply(job);
}

}  // namespace tune::kernels
