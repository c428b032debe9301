// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/tiles.hpp"

#include <stdexcept>
#include <string>

namespace tune::kernels {
namespace {

constexpr StreamTile tiles[] = {
    {"64x64", 64, 64}, {"128x64", 128, 64}, {"128x128", 128, 128}, {"128x256", 128, 256, 16, 8, false}};

}  // namespace

std::span<const StreamTile> stream_tiles() {
  return tiles;
}

const StreamTile& stream_tile(std::string_view name) {
  for (const StreamTile& tile : tiles)
    if (tile.name == name) return tile;
  throw std::out_of_range("no tile '" + std::string(name) + "'");
}

}  // namespace tune::kernels
