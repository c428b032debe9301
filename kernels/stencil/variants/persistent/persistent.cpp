// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/persistent/persistent.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/geometry.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/variants/direct/direct.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Value;
using search::var;

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();

/// Returns the smallest extents of a tile in shared memory where there is a choice: thinner tiles are mostly
/// halo.
std::array<std::int64_t, 3> min_tile(const StencilJob& job) {
  const auto [rx, ry, rz] = job.stencil.radii();
  return {std::max(16, 2 * rx), std::max(4, 2 * ry), std::max(4, 2 * rz)};
}

/// True if the array fits the shared memory of the device, with a tenth of it for halos. A slab of several
/// GPUs is loaded again after each exchange.
bool fits_shared(const StencilJob& job, const DeviceProperties& device) {
  if (job.gpus > 1) return false;
  const double bytes = job.cells() * job.element_bytes();
  return bytes * 1.1 <= static_cast<double>(device.shared_memory_per_block_optin) *
                            static_cast<double>(multiprocessors(device));
}

Expr stored_in_shared() {
  return is_variant("persistent") && var("kept") == "shared";
}
Expr stored_in_l2() {
  return is_variant("persistent") && var("kept") == "l2";
}

/// Returns numbers of tiles along an axis of n cells: divisors of the number of multiprocessors, and a few
/// others.
std::vector<Value> tile_counts(const DeviceProperties& device, std::int64_t n, std::int64_t min_tiles,
                               std::int64_t max_tiles) {
  const std::int64_t all = multiprocessors(device);
  std::set<std::int64_t> counts = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  for (std::int64_t count = 1; count <= all; ++count)
    if (all % count == 0) counts.insert(count);
  const std::int64_t fit = std::min(max_tiles, ceil_div(n, min_tiles));
  std::vector<Value> values;
  for (const std::int64_t count : counts)
    if (count <= fit) values.emplace_back(count);
  return values;
}

/// True if at least half of the SMs need a tile; small arrays may use fewer.
bool wants_many_tiles(const StencilJob& job, const DeviceProperties& device) {
  return job.cells() > static_cast<double>(multiprocessors(device)) * 512.0;
}

/// Returns numbers of tiles along x, y and z. If many tiles are needed, numbers that cannot give so many are
/// left out.
std::array<std::vector<Value>, 3> tile_counts(const StencilJob& job, const DeviceProperties& device) {
  const std::int64_t all = multiprocessors(device);
  const bool flat = job.dimensions == 2;
  const std::array<std::int64_t, 3> n{job.nx, job.ny, job.nz}, min_tiles = min_tile(job);
  const std::array<std::int64_t, 3> max_tiles{flat ? 16 : 4, flat ? 1 : 48, flat ? all : 48};
  std::array<std::vector<Value>, 3> counts;
  std::array<std::int64_t, 3> largest{};
  for (std::size_t a = 0; a < 3; ++a) {
    counts[a] = tile_counts(device, n[a], min_tiles[a], max_tiles[a]);
    largest[a] = counts[a].back().as_int();
  }
  if (!wants_many_tiles(job, device)) return counts;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t others = largest[(a + 1) % 3] * largest[(a + 2) % 3];
    std::erase_if(counts[a], [&](const Value& count) {
      return count.as_int() * others * 2 < all && count.as_int() < largest[a];
    });
  }
  return counts;
}

Value nearest(const std::vector<Value>& values, std::int64_t wanted) {
  const auto above =
      std::ranges::find_if(values, [&](const Value& value) { return value.as_int() > wanted; });
  return *(above == values.begin() ? above : above - 1);
}

/// Returns the tiles along an axis: each is at least as thick as min_tile and a brick.
Expr tiles_along(const char* tiles, const char* extent, const Expr& brick, std::int64_t min_tiles) {
  return min(var(tiles), ceil_div(var(extent), max(brick, Expr(min_tiles))));
}
/// Returns the cells of the largest tile along it.
Expr cells_along(const char* tiles, const char* extent, const Expr& brick, std::int64_t min_tiles) {
  return ceil_div(ceil_div(var(extent), brick), tiles_along(tiles, extent, brick, min_tiles)) * brick;
}

/// Returns the cells of shared memory of the largest tile, as persistent_tile.cuh cuts the array.
Expr tile_cells(const StencilJob& job) {
  const auto [rx, ry, rz] = job.stencil.radii();
  const auto min_tiles = min_tile(job);
  const bool flat = job.dimensions == 2;
  const Expr vector = var("vector"), cells_z = var("cells_z");
  const Expr aligned_halo = ceil_div(Expr(rx), vector) * vector;
  const Expr rows = flat ? Expr(1) : cells_along("tiles_y", "ny", var("cells_y"), min_tiles[1]) + 2 * ry;
  // The tile moves by this many planes in a step.
  const Expr slab = var("block_z") * cells_z;
  const Expr own_columns = Expr(job.stencil.star()) && var("block_z") == 1;
  const Expr shift = if_else(own_columns, max(slab, Expr(rz)), slab + rz);
  const Expr planes = cells_along("tiles_z", "nz", cells_z, min_tiles[2]) + 2 * rz + shift;
  return (cells_along("tiles_x", "nx", vector, min_tiles[0]) + aligned_halo * 2) * rows * planes;
}

void add_persistent_parameters(FamilySpace& space, const StencilJob& job) {
  const DeviceProperties& device = space.device();
  const std::int64_t all = multiprocessors(device);
  const bool flat = job.dimensions == 2, shared = fits_shared(job, device);
  std::vector<Value> places = {"l2"};
  if (shared) places.emplace_back("shared");
  space.add(
      "kept",
      "where the array stays between steps: in the L2 cache (l2), or in the shared memory of the blocks, "
      "a tile each, which exchange what lies at the tiles' faces (shared)",
      places, "l2");
  std::set<std::int64_t> blocks = {std::max<std::int64_t>(1, all / 4), std::max<std::int64_t>(1, all / 2)};
  for (const int each : {1, 2, 3, 4, 8}) blocks.insert(each * all);
  space.add("blocks", "blocks of the grid, all of which are resident at once and stride over the tiles",
            std::vector<Value>(blocks.begin(), blocks.end()), all, var("kept") == "l2");
  if (!shared) return;
  const std::array<std::vector<Value>, 3> counts = tile_counts(job, device);
  const auto add = [&](const char* name, const char* documentation, std::size_t axis, std::int64_t wanted) {
    space.add(name, documentation, counts[axis], nearest(counts[axis], wanted), var("kept") == "shared");
  };
  add("tiles_x", "tiles into which the array is cut along x", 0, flat ? 4 : 1);
  if (!flat) add("tiles_y", "tiles into which the array is cut along y", 1, 11);
  add("tiles_z",
      flat ? "tiles into which the array is cut along y" : "tiles into which the array is cut along z", 2,
      flat ? all / 4 : 12);
}

void add_persistent(FamilySpace& space, const StencilJob& job) {
  if (!persistent_applies(job)) return;
  add_persistent_parameters(space, job);
  add_shared(space, job,
             {"block_x", "block_y", "block_z", "vector", "cells_y", "cells_z", "unroll_rows", "padded",
              "min_blocks"});
  add_shared(space, job, {"shuffle"}, var("kept") == "l2");

  const DeviceProperties& device = space.device();
  const std::int64_t all = multiprocessors(device);
  add_direct_rules(space, swept_by("persistent", job));
  space.rules(stored_in_l2())
      .add(
          ceil_div(var("blocks"), Expr(all)) == var("min_blocks"),
          "all blocks of the grid must be resident at once, and fewer blocks need no limit on the registers");
  if (!fits_shared(job, device)) return;
  const Rules rules = space.rules(stored_in_shared());
  const bool flat = job.dimensions == 2;
  const auto min_tiles = min_tile(job);
  const Expr tiles =
      flat ? var("tiles_x") * var("tiles_z") : var("tiles_x") * var("tiles_y") * var("tiles_z");
  rules.add(ceil_div(tiles, Expr(all)) == var("min_blocks"),
            "all tiles must be resident at once, and fewer tiles need no limit on the registers");
  if (wants_many_tiles(job, device))
    rules.add(tiles * 2 >= all, "more than half of the SMs would have no tile");
  rules.add_shared_memory(tile_cells(job) * var("words") * 4, "the tiles",
                          "a tile and its halo do not fit the shared memory of a block");
  rules.add(var("block_x") * var("vector") <=
                max(Expr(32), cells_along("tiles_x", "nx", var("vector"), min_tiles[0]) * 2),
            "more than half of the threads along x have no cells of the tile");
}

/// Adds the launch; `in`, `out`, `other`, the barrier's counter and the steps come before its arguments.
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

/// Plans blocks that stride over the tiles of `direct`.
Result<LaunchPlan> plan_l2(const StencilJob& job, const Configuration& configuration,
                           const KernelSources& sources) {
  Result<SweepLaunch> sweep = sweep_launch(job, configuration);
  if (!sweep) return tl::unexpected<Failure>(sweep.error());
  LaunchPlan plan;
  plan.compile =
      stencil_request(job, job.stencil, "persistent_l2.cu", configuration, sources, {"kept", "blocks"});
  const auto blocks = static_cast<std::uint32_t>(configuration["blocks"].as_int());
  sweep->launch.grid.x = std::min(sweep->launch.grid.x, blocks);
  add_launch(plan, job, sweep->layout, std::move(sweep->launch));
  return plan;
}

/// Plans one tile for each block.
Result<LaunchPlan> plan_shared(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const Layout layout = line_layout(job, configuration["padded"].as_bool());
  Constants constants = stencil_constants(job);
  // Two dimensions have no tiles along the kernels' y.
  constants.merge(Constants{{"tiles_x", 1}, {"tiles_y", 1}, {"tiles_z", 1}});
  const auto value = [&](const Expr& expression) { return evaluated(expression, configuration, constants); };
  // Limits beyond any shared memory, of all tiles and of one.
  constexpr double max_cells = 0x1.0p45;
  constexpr std::int64_t max_tile_cells = std::int64_t{1} << 26;
  if (job.cells() > max_cells || std::max({job.nx, job.ny, job.nz}) > max_index / 2 ||
      value(tile_cells(job)) > max_tile_cells)
    return fail(Phase::constraint, "extent", "the array does not fit the tiles in shared memory");
  LaunchPlan plan;
  plan.compile = stencil_request(job, job.stencil, "persistent_shared.cu", configuration, sources,
                                 {"kept", "padded", "tiles_x", "tiles_y", "tiles_z"});
  Launch launch = make_launch("stencil_persistent", 1,
                              block_of(value(var("block_x")), value(var("block_y")), value(var("block_z"))),
                              extent_arguments(job, layout), value(tile_cells(job)) * job.element_bytes());
  const auto min_tiles = min_tile(job);
  const auto add_tiles = [&](const char* tiles, const char* extent, const char* brick, std::int64_t min) {
    const std::int64_t count = value(tiles_along(tiles, extent, var(brick), min));
    launch.grid.x *= static_cast<std::uint32_t>(count);
    launch.arguments.emplace_back(int32(count));
  };
  add_tiles("tiles_x", "nx", "vector", min_tiles[0]);
  add_tiles("tiles_y", "ny", "cells_y", min_tiles[1]);
  add_tiles("tiles_z", "nz", "cells_z", min_tiles[2]);
  add_launch(plan, job, layout, std::move(launch));
  return plan;
}

constexpr std::int64_t max_emulated_threads = 32768;
/// Returns sizes with few tiles: the emulator needs a stack for each thread of a cooperative launch.
std::vector<CheckSize> persistent_sizes(const StencilJob& job, const Configuration& configuration) {
  const auto [rx, ry, rz] = job.stencil.radii();
  // The last step writes the same array.
  const std::int64_t steps = std::min<std::int64_t>(job.steps, 4 + job.steps % 2);
  std::vector<CheckSize> sizes;
  if (configuration["kept"].as_text() == "shared") {
    sizes.push_back({2 * rx + 29, 2 * ry + 7, 2 * rz + 7, steps});
    // Tiles of several slabs: as many as the configuration has along z, one along x and y.
    const auto min = min_tile(job);
    const auto value = [&](const char* name) { return value_or_one(configuration, name); };
    const std::int64_t threads = value("block_x") * value("block_y") * value("block_z");
    const std::int64_t planes = 3 * value("block_z") * value("cells_z") * value("tiles_z");
    if (!costly(job) && value("tiles_z") * threads <= max_emulated_threads)
      sizes.push_back({min[0], min[1], planes + 2 * rz, steps});
  } else if (costly(job)) {
    sizes.push_back({2 * rx + 21, 2 * ry + 7, 2 * rz + 9, steps});
  } else {
    const StencilGeometry geometry = stencil_geometry(job, configuration);
    sizes.push_back(
        {geometry.tile_x + 11, geometry.tile_y + 2 * ry + 1, geometry.tile_z + 2 * rz + 1, steps});
  }
  sizes.push_back({2 * rx + 1, 2 * ry + 3, 2 * rz + 2, steps});
  sizes.push_back({5, 3, 2, steps});
  return in_vectors(std::move(sizes), job, configuration);
}

}  // namespace

Result<LaunchPlan> plan_persistent(const StencilJob& job, const Configuration& configuration,
                                   const KernelSources& sources) {
  Result<LaunchPlan> plan = configuration["kept"].as_text() == "shared"
                                ? plan_shared(job, configuration, sources)
                                : plan_l2(job, configuration, sources);
  if (plan) add_axis_macros(job, plan->compile);
  return plan;
}

bool persistent_applies(const StencilJob& job) {
  return job.steps >= 2 && sweeps_apply(job);
}

StencilVariant persistent_stencil() {
  return {"persistent",
          "one launch computes all steps, between which its blocks meet, and the array stays in the L2 cache "
          "or in shared memory",
          persistent_applies,
          add_persistent,
          plan_persistent,
          persistent_sizes};
}

}  // namespace tune::kernels
