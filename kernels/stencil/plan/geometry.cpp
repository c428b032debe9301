// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/geometry.hpp"

#include <array>
#include <limits>

#include "kernels/stencil/plan/launches.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

std::int64_t tiles(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}
std::int64_t rounded(std::int64_t extent, std::int64_t tile) {
  return tiles(extent, tile) * tile;
}

/// Where a box may begin in shared memory, and what a stage's mbarrier takes [bytes].
constexpr std::int64_t box_alignment = 128, barrier_bytes = 8;

}  // namespace

bool takes_boxes(const search::Configuration& configuration) {
  const search::Value* loader = configuration.find("loader");
  return loader != nullptr && loader->as_text() == "tma";
}

StencilGeometry stencil_geometry(const StencilJob& job, const search::Configuration& configuration) {
  const auto value = [&](std::string_view name) { return value_or_one(configuration, name); };
  const bool direct = is_direct(configuration);
  const std::int64_t block_z = direct ? value("block_z") : 1;
  StencilGeometry geometry;
  geometry.block = {static_cast<std::uint32_t>(value("block_x")),
                    static_cast<std::uint32_t>(value("block_y")), static_cast<std::uint32_t>(block_z)};
  geometry.tile_x = value("block_x") * value("vector");
  geometry.tile_y = value("block_y") * value("cells_y");
  geometry.tile_z = direct ? block_z * value("cells_z") : value("chunk");
  const auto [rx, ry, rz] = job.stencil.radii();
  geometry.aligned_halo = rounded(rx, value("vector"));
  if (!direct && configuration["loader"].as_text() != "cache") {
    const std::array<std::int64_t, 2> box = {geometry.tile_x + 2 * geometry.aligned_halo,
                                             geometry.tile_y + 2 * ry};
    std::int64_t plane = box[0] * box[1] * job.element_bytes();
    if (takes_boxes(configuration)) {
      geometry.box = {static_cast<std::uint32_t>(box[0]), static_cast<std::uint32_t>(box[1]), 1};
      plane = rounded(plane, box_alignment) + barrier_bytes;
    }
    geometry.shared_bytes = static_cast<std::uint64_t>(value("stages") * plane);
  }
  return geometry;
}

Layout stencil_layout(const StencilJob& job, const StencilGeometry& geometry, bool padded) {
  if (!padded) return Layout::dense(job.extents());
  const std::int64_t pitch = rounded(rounded(job.nx, geometry.tile_x), 32);
  const std::int64_t plane = pitch * rounded(job.ny, geometry.tile_y);
  const std::int64_t planes = rounded(job.nz, geometry.tile_z);
  // From a cell back to the first one that its stencil's vectors touch; forwards it is as far.
  const auto [rx, ry, rz] = job.stencil.radii();
  const std::int64_t halo = rz * plane + ry * pitch + geometry.aligned_halo;
  const std::int64_t offset = rounded(halo, 64);  // keeps cell (0, 0, 0) aligned to 256 bytes
  Layout layout;
  layout.extents = job.extents();
  layout.strides = {1, static_cast<std::uint64_t>(pitch), static_cast<std::uint64_t>(plane)};
  layout.offset = static_cast<std::uint64_t>(offset);
  layout.allocation = static_cast<std::uint64_t>(offset + planes * plane + halo);
  return layout;
}

Result<Dim3> stencil_grid(const StencilJob& job, const StencilGeometry& geometry) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const std::int64_t extents[] = {job.nx, job.ny, job.nz};
  const std::array<int, 3> radii = job.stencil.radii();
  const std::int64_t tile[] = {geometry.tile_x, geometry.tile_y, geometry.tile_z};
  std::int64_t blocks = 1;
  for (int axis = 0; axis < 3; ++axis) {
    // A block's last thread looks its reach and a vector beyond its tile.
    if (extents[axis] > limit - tile[axis] - radii[static_cast<std::size_t>(axis)] - 64)
      return fail(Phase::constraint, "extent",
                  format("extent {} is beyond the kernel's 31-bit indices", axis));
    const std::int64_t count = tiles(extents[axis], tile[axis]);
    if (count > limit / blocks)
      return fail(Phase::constraint, "grid", "more than 2^31 - 1 blocks: choose larger tiles");
    blocks *= count;
  }
  return Dim3{static_cast<std::uint32_t>(blocks), 1, 1};
}

}  // namespace tune::kernels
