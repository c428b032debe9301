// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The limits of a device's textures: texels along each dimension, alignments in bytes. The defaults hold for
/// every device since Maxwell.
struct TextureLimits {
  std::uint64_t alignment = 512;       ///< of the first texel of linear and pitched memory
  std::uint64_t pitch_alignment = 32;  ///< of the distance of two rows of pitched memory
  std::uint64_t max_pitch = 2'097'120;
  std::uint64_t linear = std::uint64_t{1} << 27;
  std::array<std::uint64_t, 2> pitched = {131'072, 65'000};
  std::uint64_t array_1d = 131'072;
  std::array<std::uint64_t, 2> array_2d = {131'072, 65'536};
  std::array<std::uint64_t, 2> gather = {32'768, 32'768};
  std::array<std::uint64_t, 3> array_3d = {16'384, 16'384, 16'384};
};

/// Where the texels of a texture lie in its buffer.
struct TextureShape {
  std::array<std::uint64_t, 3> extents = {1, 1, 1};  ///< texels
  std::array<std::uint64_t, 3> strides = {0, 0, 0};  ///< bytes from a texel to the next one along a dimension

  std::uint64_t bytes() const { return extents[0] * extents[1] * extents[2] * strides[0]; }
};

/// Lays a texture over the buffer's logical tensor. The buffer has the texture's dimensions, with the
/// channels side by side in the first one, or one more before them for the channels: 4 x nx x ny.
/// Failure{resources, "texture"} where CUDA or the device has no such texture, with demand and limit, and for
/// an array over a buffer that the plan writes.
Result<TextureShape> texture_shape(const BufferSpec& buffer, const TextureSpec& texture,
                                   const TextureLimits& limits = {});

}  // namespace tune
