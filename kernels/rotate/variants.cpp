// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "kernels/framework/request.hpp"
#include "kernels/rotate/model/variant.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

const VariantTable<RotateJob, RotateTile>& rotate_variants() {
  static const VariantTable<RotateJob, RotateTile> table = {
      "rotate",
      {
          TUNE_VARIANT(RotateVariant, texture_rotate),
          TUNE_VARIANT(RotateVariant, texture_exact_rotate),
          TUNE_VARIANT(RotateVariant, global_rotate),
          TUNE_VARIANT(RotateVariant, tile_rotate),
      },
  };
  return table;
}

search::SpaceDefinition rotate_space(const RotateJob& job, const DeviceProperties& device) {
  using search::Expr;
  using search::Role;
  using search::var;
  constexpr std::int64_t max_tile = 128;  // the kernels' fractions of 32 bits reach 181 pixels
  FamilySpace space(rotate_constants(job), device);
  std::vector<search::Value> pixels;
  for (const std::int64_t count : {1, 2, 4, 8, 16})
    if (count * job.pixel_bytes() <= 16) pixels.emplace_back(count);
  space.add("block", "threads of a block", {64, 128, 256, 512, 1024}, 128, std::nullopt, Role::threads);
  // Near a quarter turn, neighbouring pixels of a thread lie in a column of the image, and those of lanes in
  // one bank.
  const bool can_share = job.pixel_bytes() <= 2;
  const bool steep = can_share && std::abs(job.cosine) < (std::int64_t{1} << 30);
  space.add("warp_x", "lanes of a warp along x", {4, 8, 16, 32}, steep ? 8 : 16);
  space.add("warps_x", "warps of a block along x", {1, 2, 4, 8}, 1);
  space.add("pixels", "neighbouring pixels of a thread along x, which it writes together", pixels,
            16 / std::max<std::int64_t>(2, job.pixel_bytes()), std::nullopt, Role::work);
  space.add("rows", "pixels of a thread along y", {1, 2, 4, 8}, 8, std::nullopt, Role::work);
  space.add("group", "rows of tiles that blocks go through column by column", {1, 2, 4, 8, 16}, 1);
  space.add("streaming", "stores that are evicted first (st.global.cs)", {false, true}, false);
  std::vector<search::Value> writes = {"direct"};
  if (can_share) writes.emplace_back("shared");
  space.add("write",
            "how the pixels of a thread are written: neighbours together, or those that lie warp_x apart, "
            "through shared memory",
            writes, steep ? "shared" : "direct");
  space.add(min_blocks({1, 2, 4, 8}));
  const Rules rules = space.rules();
  rules.add_max_threads(var("block"));
  rules.add_resident_threads(var("block"));
  rules.add(var("warps_x") * 32 <= var("block"), "a block has fewer warps");
  rules.add(tile_x() <= max_tile, "the tile is wider than the kernels' fractions reach");
  rules.add(tile_y() <= max_tile, "the tile is higher than the kernels' fractions reach");
  rules.add(var("write") == "direct" || tile_x() * var("pixel_bytes") % 16 == 0,
            "rows of the tile in shared memory are no whole words of 16 bytes");
  rotate_variants().add_to(space, job);
  return space.definition();
}

}  // namespace tune::kernels
