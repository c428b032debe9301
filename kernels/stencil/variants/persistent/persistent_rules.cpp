// SPDX-License-Identifier: Apache-2.0
// The parameters of `persistent` and which of its configurations are valid.
#include <algorithm>
#include <array>
#include <set>

#include "kernels/stencil/plan/rules.hpp"
#include "kernels/stencil/variants/persistent/persistent.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::Parameter;
using search::var;

/// Facts of an architecture alone do not say how many multiprocessors its devices have: as many as a large
/// one.
int multiprocessors(const DeviceProperties& device) {
  constexpr int of_a_large_device = 128;
  return device.multiprocessors > 1 ? device.multiprocessors : of_a_large_device;
}

/// Whether the array fits the shared memory of the device, with a tenth of it for halos.
bool fits_shared(const StencilJob& job, const DeviceProperties& device) {
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

/// Numbers of tiles along an axis of n cells: what divides the multiprocessors, and a few others.
std::vector<Value> tile_counts(const DeviceProperties& device, std::int64_t n, std::int64_t min_tiles,
                               std::int64_t max_tiles) {
  const int all = multiprocessors(device);
  std::set<std::int64_t> counts = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  for (int count = 1; count <= all; ++count)
    if (all % count == 0) counts.insert(count);
  const std::int64_t fit = std::min(max_tiles, (n + min_tiles - 1) / min_tiles);
  std::vector<Value> values;
  for (const std::int64_t count : counts)
    if (count <= fit) values.emplace_back(count);
  return values;
}

/// Whether at least half of the multiprocessors need a tile; small arrays may do with few.
bool wants_many_tiles(const StencilJob& job, const DeviceProperties& device) {
  return job.cells() > multiprocessors(device) * 512.0;
}

/// Numbers of tiles along x, y and z: where many tiles are wanted, those with which there can be so many.
std::array<std::vector<Value>, 3> tile_counts(const StencilJob& job, const DeviceProperties& device) {
  const int all = multiprocessors(device);
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

/// Tiles along an axis that come to be, where one is at least as thick as min_tile and a brick.
Expr tiles_along(const char* tiles, const char* extent, const Expr& brick, std::int64_t min_tiles) {
  return min(var(tiles), ceil_div(var(extent), max(brick, Expr(min_tiles))));
}
/// Cells of the largest tile along it.
Expr cells_along(const char* tiles, const char* extent, const Expr& brick, std::int64_t min_tiles) {
  return ceil_div(ceil_div(var(extent), brick), tiles_along(tiles, extent, brick, min_tiles)) * brick;
}

}  // namespace

std::vector<Parameter> persistent_parameters(const StencilJob& job, const DeviceProperties& device) {
  const int all = multiprocessors(device);
  const bool shared = fits_shared(job, device), flat = job.dimensions == 2;
  std::vector<Value> places = {"l2"};
  if (shared) places.emplace_back("shared");
  std::vector<Parameter> parameters = {{"kept",
                                        "where the array stays between steps: in the L2 cache (l2), or in "
                                        "the shared memory of the blocks, a tile "
                                        "each, which exchange what lies at the tiles' faces (shared)",
                                        places, "l2", is_variant("persistent")}};
  std::set<int> blocks = {std::max(1, all / 4), std::max(1, all / 2)};
  for (const int each : {1, 2, 3, 4, 8}) blocks.insert(each * all);
  parameters.push_back({"blocks",
                        "blocks of the grid, all of which are there at once and stride over the tiles",
                        std::vector<Value>(blocks.begin(), blocks.end()), all, stored_in_l2()});
  if (!shared) return parameters;
  const std::array<std::vector<Value>, 3> counts = tile_counts(job, device);
  const auto add = [&](const char* name, const char* documentation, std::size_t axis, std::int64_t wanted) {
    parameters.push_back(
        {name, documentation, counts[axis], nearest(counts[axis], wanted), stored_in_shared()});
  };
  add("tiles_x", "tiles into which the array is cut along x", 0, flat ? 4 : 1);
  if (!flat) add("tiles_y", "tiles into which the array is cut along y", 1, 11);
  add("tiles_z",
      flat ? "tiles into which the array is cut along y" : "tiles into which the array is cut along z", 2,
      flat ? all / 4 : 12);
  return parameters;
}

void add_persistent_rules(std::vector<Constraint>& rules, const StencilJob& job,
                          const DeviceProperties& device) {
  const int all = multiprocessors(device);
  add_direct_rules(rules, {is_variant("persistent"), var("points"), var("reach_x"), var("reach_y"),
                           var("reach_z"), job.stencil.star()});
  rules.push_back(
      {!stored_in_l2() || ceil_div(var("blocks"), Expr(all)) == var("min_blocks"),
       "all blocks of the grid have to be on the multiprocessors at once, and fewer blocks need no "
       "limit on the registers"});
  if (!fits_shared(job, device)) return;
  const auto add = [&](const Expr& rule, const char* reason) {
    rules.push_back({!stored_in_shared() || rule, reason});
  };
  const auto min_tiles = min_tile(job);
  const bool flat = job.dimensions == 2;
  const Expr tiles =
      flat ? var("tiles_x") * var("tiles_z") : var("tiles_x") * var("tiles_y") * var("tiles_z");
  add(ceil_div(tiles, Expr(all)) == var("min_blocks"),
      "all tiles have to be on the multiprocessors at once, and fewer tiles need no limit on the registers");
  if (wants_many_tiles(job, device)) add(tiles * 2 >= all, "most of the multiprocessors would have no tile");
  const auto [rx, ry, rz] = job.stencil.radii();
  const Expr vector = var("vector"), cells_z = var("cells_z");
  const Expr aligned_halo = ceil_div(Expr(rx), vector) * vector;
  const Expr rows = flat ? Expr(1) : cells_along("tiles_y", "ny", var("cells_y"), min_tiles[1]) + 2 * ry;
  // The tile moves by as many in a step.
  const Expr slab = var("block_z") * cells_z;
  const Expr own_columns = Expr(job.stencil.star()) && var("block_z") == 1;
  const Expr shift = if_else(own_columns, max(slab, Expr(rz)), slab + rz);
  const Expr planes = cells_along("tiles_z", "nz", cells_z, min_tiles[2]) + 2 * rz + shift;
  const Expr shared = (cells_along("tiles_x", "nx", vector, min_tiles[0]) + aligned_halo * 2) * rows *
                      planes * var("words") * 4;
  add(shared <= var("block_shared"), "a tile and its halo do not fit the shared memory of a block");
  add((shared + var("reserved_shared")) * var("min_blocks") <= var("multiprocessor_shared"),
      "the tiles of min_blocks blocks do not fit the shared memory of a multiprocessor");
  add(var("block_x") * vector <= max(Expr(32), cells_along("tiles_x", "nx", vector, min_tiles[0]) * 2),
      "more than half of the threads along x have no cells of the tile");
}

}  // namespace tune::kernels
