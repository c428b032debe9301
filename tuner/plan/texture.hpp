// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace tune {

/// What a texture reads: the buffer itself as a vector (tex1Dfetch), the buffer as rows of one pitch (tex2D),
/// or a CUDA array, which lies as the device likes it and gets a copy of the buffer.
enum class TextureMemory { linear, pitched, array };

/// What lies outside of a texture: the texture again, its edge, its mirror image, zero. As in CUDA, wrap and
/// mirror need normalised coordinates; without them they are clamp.
enum class AddressMode { wrap, clamp, mirror, border };

/// The texel that a coordinate lies in, or the weighted mean of those around it. The weights have 8 bits
/// behind the point.
enum class FilterMode { point, linear };

/// Elements as they are, or integers as numbers in [0, 1] or [-1, 1].
enum class ReadMode { element, normalized };

/// A texture as kernels see it (cudaTextureDesc, cudaResourceDesc). Borders are zero; there are no layers,
/// levels or cubes.
struct TextureSpec {
  TextureMemory memory = TextureMemory::array;
  int dimensions = 2;  ///< 1 to 3; of linear memory 1, of pitched memory 2
  int channels = 1;    ///< elements of a texel: 1, 2 or 4
  std::array<AddressMode, 3> address = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  FilterMode filter = FilterMode::point;
  ReadMode read = ReadMode::element;
  bool normalized_coordinates = false;
  bool gather = false;  ///< allows tex2Dgather: arrays of two dimensions

  friend bool operator==(const TextureSpec&, const TextureSpec&) = default;
};

}  // namespace tune
