// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/geometry.hpp"

#include <array>
#include <limits>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

using search::Expr;
using search::var;

bool takes_boxes(const search::Configuration& configuration) {
  const search::Value* loader = configuration.find("loader");
  return loader != nullptr && loader->as_text() == "tma";
}

Expr planes_bytes(const Expr& reach_x, const Expr& reach_y) {
  const Expr aligned_halo = ceil_div(reach_x, var("vector")) * var("vector");
  const Expr plane = (var("block_x") * var("vector") + aligned_halo * 2) *
                     (var("block_y") * var("cells_y") + reach_y * 2) * var("words") * 4;
  // Boxes begin at multiples of 128 bytes; each has a barrier.
  const Expr boxes = (ceil_div(plane, 128) * 128 + 8) * (var("loader") == "tma");
  return var("stages") * (plane * (var("loader") != "tma") + boxes);
}

StencilGeometry stencil_geometry(const StencilJob& job, const search::Configuration& configuration) {
  const auto value = [&](std::string_view name) { return value_or_one(configuration, name); };
  const bool bricks = uses_bricks(configuration);
  const std::int64_t block_z = bricks ? value("block_z") : 1;
  StencilGeometry geometry;
  geometry.block = {static_cast<std::uint32_t>(value("block_x")),
                    static_cast<std::uint32_t>(value("block_y")), static_cast<std::uint32_t>(block_z)};
  geometry.tile_x = value("block_x") * value("vector");
  geometry.tile_y = value("block_y") * value("cells_y");
  geometry.tile_z = bricks ? block_z * value("cells_z") : value("chunk");
  const auto [rx, ry, rz] = job.stencil.radii();
  geometry.aligned_halo = round_up(rx, value("vector"));
  if (!bricks && configuration["loader"].as_text() != "cache") {
    if (takes_boxes(configuration))
      geometry.box = {static_cast<std::uint32_t>(geometry.tile_x + 2 * geometry.aligned_halo),
                      static_cast<std::uint32_t>(geometry.tile_y + 2 * ry), 1};
    geometry.shared_bytes =
        static_cast<std::uint64_t>(stencil_value(planes_bytes(Expr(rx), Expr(ry)), job, configuration));
  }
  return geometry;
}

Layout stencil_layout(const StencilJob& job, const StencilGeometry& geometry, bool padded) {
  if (!padded) return Layout::dense(job.extents());
  const std::int64_t pitch = round_up(round_up(job.nx, geometry.tile_x), 32);
  const std::int64_t plane = pitch * round_up(job.ny, geometry.tile_y);
  const std::int64_t planes = round_up(job.nz, geometry.tile_z);
  // From a cell back to the first one that its stencil's vectors touch; the distance forwards is the same.
  const auto [rx, ry, rz] = job.stencil.radii();
  const std::int64_t halo = rz * plane + ry * pitch + geometry.aligned_halo;
  const std::int64_t offset = round_up(halo, 64);  // keeps cell (0, 0, 0) aligned to 256 bytes
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
    // A block's last thread reads its reach and a vector beyond its tile.
    if (extents[axis] > limit - tile[axis] - radii[static_cast<std::size_t>(axis)] - 64)
      return fail(Phase::constraint, "extent",
                  format("extent {} is beyond the kernel's 31-bit indices", axis));
    const std::int64_t count = ceil_div(extents[axis], tile[axis]);
    if (count > limit / blocks)
      return fail(Phase::constraint, "grid", "more than 2^31 - 1 blocks: choose larger tiles");
    blocks *= count;
  }
  return Dim3{static_cast<std::uint32_t>(blocks), 1, 1};
}

}  // namespace tune::kernels
