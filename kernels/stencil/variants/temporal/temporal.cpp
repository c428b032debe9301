// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/temporal/temporal.hpp"

#include <algorithm>
#include <limits>

#include "kernels/stencil/plan/launches.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// Tiles along one axis, as the kernel's Cut counts them.
std::int64_t tiles(std::int64_t extent, std::int64_t tile, std::int64_t halo, std::int64_t margin) {
  const std::int64_t covered = extent + 2 * margin, stride = tile - 2 * halo;
  return covered <= tile ? 1 : (covered - 2 * halo + stride - 1) / stride;
}

struct TemporalShape {
  std::int64_t cells_x, cells_y, vector, warps, chunk;

  explicit TemporalShape(const Configuration& configuration)
      : cells_x(configuration["cells_x"].as_int()),
        cells_y(value_or_one(configuration, "cells_y")),
        vector(configuration["vector"].as_int()),
        warps(configuration["threads"].as_int() / 32),
        chunk(configuration["chunk"].as_int()) {}
};

/// Blocks of a launch that fuses `steps`.
Result<Dim3> grid_of(const StencilJob& job, const TemporalShape& shape, std::int64_t steps) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const auto [rx, ry, rz] = job.stencil.radii();
  const bool zero = job.boundary == Boundary::zero;
  if (std::max({job.nx, job.ny, job.nz}) > limit - 65536)
    return fail(Phase::constraint, "extent", "an extent is beyond the kernel's 31-bit indices");
  const std::int64_t chunks = (job.nz + shape.chunk - 1) / shape.chunk;
  const std::int64_t along_x = tiles(job.nx, 32 * shape.cells_x, rounded_up(steps * rx, shape.vector),
                                     zero ? rounded_up(rx, shape.vector) : 0);
  const std::int64_t along_y =
      ry == 0 ? 1 : tiles(job.ny, shape.warps * shape.cells_y, steps * ry, zero ? ry : 0);
  if (along_x > limit / along_y || along_x * along_y > limit / chunks)
    return fail(Phase::constraint, "grid", "more than 2^31 - 1 blocks: choose larger tiles");
  const std::int64_t all = along_x * along_y * chunks;
  const std::int64_t blocks = ry == 0 ? (all + shape.warps - 1) / shape.warps : all;
  return Dim3{static_cast<std::uint32_t>(blocks), 1, 1};
}

}  // namespace

Result<LaunchPlan> plan_temporal(const StencilJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const TemporalShape shape(configuration);
  const std::int64_t fused = configuration["fused"].as_int(), rest = job.steps % fused;
  const auto [rx, ry, rz] = job.stencil.radii();
  const Layout layout = row_layout(job, configuration["padded"].as_bool());
  if (layout.strides[1] > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    return fail(Phase::constraint, "extent", "a row does not fit the kernel's 32-bit pitch");

  LaunchPlan plan;
  plan.compile =
      stencil_request(job, job.stencil, "stencil/temporal.cu",
                      {"stencil/block_barrier.cuh", "stencil/boundary.cuh", "stencil/temporal_levels.cuh",
                       "stencil/temporal_sweep.cuh", "stencil/temporal_tile.cuh", "common/vectors.cuh"},
                      configuration, sources, {"fused", "padded"});
  plan.compile.defines.emplace_back("STEPS", std::to_string(fused));
  plan.compile.defines.emplace_back("REST", std::to_string(rest));
  if (job.dimensions == 2) plan.compile.defines.emplace_back("CELLS_Y", "1");
  plan.compile.entries = {"stencil_steps"};
  if (rest > 0) plan.compile.entries.emplace_back("stencil_rest");

  std::vector<Launch> launches;
  for (std::int64_t done = 0; done < job.steps; done += fused) {
    const std::int64_t steps = std::min(fused, job.steps - done);
    const Result<Dim3> grid = grid_of(job, shape, steps);
    if (!grid) return tl::unexpected<Failure>(grid.error());
    Launch launch;
    launch.entry = steps == fused ? "stencil_steps" : "stencil_rest";
    launch.grid = *grid;
    launch.block = {32, static_cast<std::uint32_t>(shape.warps), 1};
    // Every level has rows for even and for odd planes.
    launch.dynamic_shared_memory = static_cast<std::uint64_t>(steps * 2 * shape.warps * 2 * ry * 32 *
                                                              shape.cells_x * job.element_bytes());
    launch.arguments = extent_arguments(job, layout);
    launches.push_back(std::move(launch));
  }
  add_alternating(plan, job, layout, std::move(launches));
  return plan;
}

bool temporal_applies(const StencilJob& job) {
  constexpr std::size_t max_points = 800;
  // Without reach along y the kernel takes the array for one of a single row. Cells that keep their value do
  // so by the weight of the cell itself, which must be a point of the stencil.
  const bool rows = job.dimensions == 2 || job.stencil.radii()[1] > 0;
  const bool itself = std::ranges::any_of(job.stencil.points, [](const StencilPoint& point) {
    return point.dx == 0 && point.dy == 0 && point.dz == 0 && point.weight != 0;
  });
  // One step alone it takes seconds to compile for, and is slower than the sweeps that are made for it.
  return job.steps >= 2 && rows && itself && job.stencil.radius() <= 8 &&
         job.stencil.points.size() <= max_points;
}

}  // namespace tune::kernels
