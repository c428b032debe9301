// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tune::kernels {

/// What a block computes of a product, and a thread of it: floats; of doubles a thread computes 8 x 4.
struct StreamTile {
  std::string_view name;
  int block_m = 0, block_n = 0;
  int thread_m = 8, thread_n = 8;
  bool lane_pairs = true;
};

/// Those that a configuration may choose, smaller ones first.
std::span<const StreamTile> stream_tiles();
/// Throws std::out_of_range for an unknown name.
const StreamTile& stream_tile(std::string_view name);

}  // namespace tune::kernels
