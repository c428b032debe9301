// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// How the 16-byte pieces of a box's rows are exchanged in shared memory, against bank conflicts; a row is no
/// longer than the number says (bytes).
enum class MapSwizzle { none, bytes_32, bytes_64, bytes_128 };

/// How much of a line's neighbourhood a copy brings to the L2 cache, in bytes.
enum class MapPromotion { none, bytes_64, bytes_128, bytes_256 };

/// A tensor in global memory as the copy engine of compute capability 9.0 and later sees it (CUtensorMap,
/// tiled, not interleaved, element strides of 1): boxes of it go to shared memory by one instruction each,
/// zeros for what lies outside of the tensor. Elements are the buffer's. A box may begin anywhere, outside
/// too, but along dimension 0 at a multiple of 16 bytes: else the device stops with an illegal instruction
/// (seen on an H200; the emulator says so).
struct TensorMapSpec {
  std::uint64_t offset = 0;            ///< of element (0, 0, ...), elements behind the buffer's one
  std::vector<std::uint64_t> extents;  ///< 1 to 5, the fastest one first
  std::vector<std::uint64_t> strides;  ///< bytes to the next one along dimensions 1, 2, ...: one fewer
  std::vector<std::uint32_t> box;      ///< elements along each dimension, what one copy moves
  MapSwizzle swizzle = MapSwizzle::none;
  MapPromotion promotion = MapPromotion::bytes_128;

  friend bool operator==(const TensorMapSpec&, const TensorMapSpec&) = default;
};

}  // namespace tune
