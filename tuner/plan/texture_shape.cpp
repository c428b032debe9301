// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/texture_shape.hpp"

#include <cstddef>
#include <span>
#include <string>

#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// Returns why no device has such a texture; empty where one has.
std::string wrong_kind(const BufferSpec& buffer, const TextureSpec& texture) {
  const bool linear = texture.memory == TextureMemory::linear;
  const bool pitched = texture.memory == TextureMemory::pitched;
  const bool integers = buffer.type != ElementType::f32;
  const bool floats = !integers || texture.read == ReadMode::normalized;
  const bool known = buffer.type == ElementType::f32 || buffer.type == ElementType::i32 ||
                     buffer.type == ElementType::u32 || buffer.type == ElementType::u16 ||
                     buffer.type == ElementType::u8;
  if (!known) return format("there are no textures of {}", to_string(buffer.type));
  if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4)
    return format("texels have 1, 2 or 4 channels, not {}", texture.channels);
  if (texture.dimensions < 1 || texture.dimensions > 3 || (linear && texture.dimensions != 1) ||
      (pitched && texture.dimensions != 2))
    return format("{} memory cannot be a texture of {} dimensions",
                  linear    ? "linear"
                  : pitched ? "pitched"
                            : "array",
                  texture.dimensions);
  const bool small = buffer.type == ElementType::u8 || buffer.type == ElementType::u16;
  if (texture.read == ReadMode::normalized && !small)
    return format("{} is not read as a normalised number: only integers of 8 and 16 bits are",
                  to_string(buffer.type));
  if (linear && (texture.filter == FilterMode::linear || texture.normalized_coordinates))
    return "tex1Dfetch has neither linear filtering nor normalised coordinates: take an array";
  if (texture.filter == FilterMode::linear && !floats)
    return "linear filtering needs floating-point values: read the integers normalised";
  if (texture.gather && (texture.memory != TextureMemory::array || texture.dimensions != 2))
    return "tex2Dgather needs an array of two dimensions";
  if (texture.memory == TextureMemory::array && buffer.role != BufferRole::input)
    return "an array holds a copy of an input, and the plan "
           "writes this buffer: take pitched or linear memory";
  return {};
}

/// Sets the texels by the buffer's extents; returns why that is not possible, or nothing.
std::string shape_of(const BufferSpec& buffer, const TextureSpec& texture, TextureShape& shape) {
  const Layout& layout = buffer.layout;
  const auto dimensions = static_cast<std::size_t>(texture.dimensions);
  const auto channels = static_cast<std::uint64_t>(texture.channels);
  const std::uint64_t element = element_size(buffer.type);
  const bool own_dimension = layout.extents.size() == dimensions + 1;
  if (own_dimension ? layout.extents[0] != channels || (dimensions > 0 && layout.strides[1] != channels)
                    : layout.extents.size() != dimensions || layout.extents[0] % channels != 0)
    return format("a buffer of {} dimensions does not hold texels of {} channels in {} dimensions",
                  layout.extents.size(), channels, dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    shape.extents[i] = layout.extents[i + (own_dimension ? 1 : 0)];
    shape.strides[i] = layout.strides[i + (own_dimension ? 1 : 0)] * element;
  }
  shape.strides[0] = channels * element;
  if (!own_dimension) shape.extents[0] /= channels;
  std::uint64_t below = shape.extents[0] * shape.strides[0];
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (shape.extents[i] == 0) return "a texture cannot be empty";
    if (i > 0 && shape.strides[i] < below) return "its rows or planes overlap";
    if (i > 0) below = shape.strides[i] * shape.extents[i];
  }
  return {};
}

std::string too_large(const TextureShape& shape, std::span<const std::uint64_t> max) {
  for (std::size_t i = 0; i < max.size(); ++i)
    if (shape.extents[i] > max[i])
      return format("{} texels along dimension {}, the limit is {}", shape.extents[i], i, max[i]);
  return {};
}

std::string beyond(const BufferSpec& buffer, const TextureSpec& texture, const TextureShape& shape,
                   const TextureLimits& limits) {
  if (texture.memory == TextureMemory::array) {
    if (texture.dimensions == 1) return too_large(shape, std::span(&limits.array_1d, 1));
    if (texture.dimensions == 3) return too_large(shape, limits.array_3d);
    return too_large(shape, texture.gather ? limits.gather : limits.array_2d);
  }
  if (const std::uint64_t offset = buffer.layout.offset * element_size(buffer.type);
      offset % limits.alignment != 0)
    return format("its first texel lies {} bytes into the allocation, which must be a multiple of {}", offset,
                  limits.alignment);
  if (texture.memory == TextureMemory::linear) return too_large(shape, std::span(&limits.linear, 1));
  if (shape.strides[1] % limits.pitch_alignment != 0)
    return format("its rows lie {} bytes apart, which must be a multiple of {}", shape.strides[1],
                  limits.pitch_alignment);
  if (shape.strides[1] > limits.max_pitch)
    return format("its rows lie {} bytes apart, the limit is {}", shape.strides[1], limits.max_pitch);
  return too_large(shape, limits.pitched);
}

}  // namespace

Result<TextureShape> texture_shape(const BufferSpec& buffer, const TextureSpec& texture,
                                   const TextureLimits& limits) {
  TextureShape shape;
  std::string wrong = wrong_kind(buffer, texture);
  if (wrong.empty()) wrong = shape_of(buffer, texture, shape);
  if (wrong.empty()) wrong = beyond(buffer, texture, shape, limits);
  if (!wrong.empty())
    return fail(Phase::resources, "texture", format("the texture over `{}`: {}", buffer.name, wrong));
  return shape;
}

}  // namespace tune
