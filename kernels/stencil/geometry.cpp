// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/geometry.hpp"

#include <limits>

#include "tuner/core/format.hpp"

namespace tune::kernels {
namespace {

std::int64_t tiles(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}
std::int64_t rounded(std::int64_t extent, std::int64_t tile) {
  return tiles(extent, tile) * tile;
}

}  // namespace

StencilGeometry stencil_geometry(const StencilSize& size, const search::Configuration& configuration) {
  const auto value = [&](std::string_view name) { return configuration[name].as_int(); };
  const bool direct = configuration["variant"].as_text() == "direct";
  const std::int64_t block_z = direct ? value("block_z") : 1;
  StencilGeometry geometry;
  geometry.block = {static_cast<std::uint32_t>(value("block_x")),
                    static_cast<std::uint32_t>(value("block_y")), static_cast<std::uint32_t>(block_z)};
  geometry.tile_x = value("block_x") * value("vector");
  geometry.tile_y = value("block_y") * value("cells_y");
  geometry.tile_z = direct ? block_z * value("cells_z") : value("chunk");
  geometry.lead = rounded(size.radius, value("vector"));
  if (!direct && configuration["loader"].as_text() != "cache") {
    const std::int64_t plane = (geometry.tile_x + 2 * geometry.lead) * (geometry.tile_y + 2 * size.radius);
    geometry.shared_bytes = static_cast<std::uint64_t>(value("stages") * plane * size.element_bytes());
  }
  return geometry;
}

Layout stencil_layout(const StencilSize& size, const StencilGeometry& geometry, bool padded) {
  if (!padded) return Layout::dense(size.extents());
  const std::int64_t pitch = rounded(rounded(size.nx, geometry.tile_x), 32);
  const std::int64_t plane = pitch * rounded(size.ny, geometry.tile_y);
  const std::int64_t planes = rounded(size.nz, geometry.tile_z);
  // From a cell back to the first one that its stencil's vectors touch; forwards it is as far.
  const std::int64_t reach = size.radius * plane + size.radius * pitch + geometry.lead;
  const std::int64_t offset = rounded(reach, 64);  // keeps cell (0, 0, 0) aligned to 256 bytes
  Layout layout;
  layout.extents = size.extents();
  layout.strides = {1, static_cast<std::uint64_t>(pitch), static_cast<std::uint64_t>(plane)};
  layout.offset = static_cast<std::uint64_t>(offset);
  layout.allocation = static_cast<std::uint64_t>(offset + planes * plane + reach);
  return layout;
}

Result<Dim3> stencil_grid(const StencilSize& size, const StencilGeometry& geometry) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const std::int64_t extents[] = {size.nx, size.ny, size.nz};
  const std::int64_t tile[] = {geometry.tile_x, geometry.tile_y, geometry.tile_z};
  std::int64_t blocks = 1;
  for (int axis = 0; axis < 3; ++axis) {
    // A block's last thread looks up to radius + vector cells beyond its tile.
    if (extents[axis] > limit - tile[axis] - 64)
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
