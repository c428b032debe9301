// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/texture_fetch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using tune_emulator::TextureCall;
using tune_emulator::TextureRequest;
using tune_emulator::TextureResult;

/// Weights are multiples of 1/256, along each dimension and for each texel.
constexpr std::int64_t weight_steps = 256;

/// Neighbouring texels along one dimension: the index within the texture, or -1 for a border.
struct Neighbours {
  std::array<std::int64_t, 2> index{};
  std::int64_t second = 0;  ///< steps of the second one's weight
  int count = 1;
};

std::int64_t modulo(std::int64_t value, std::int64_t by) {
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

std::int64_t addressed(std::int64_t index, std::int64_t extent, AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return modulo(index, extent);
    case AddressMode::mirror: {
      const std::int64_t place = modulo(index, 2 * extent);
      return place < extent ? place : 2 * extent - 1 - place;
    }
    case AddressMode::border:
      return index < 0 || index >= extent ? -1 : index;
    default:
      return std::clamp<std::int64_t>(index, 0, extent - 1);
  }
}

/// Returns the coordinate in texels, clamped to a range that can be counted.
double unnormalised(const Texture& texture, std::size_t axis, float coordinate) {
  constexpr double far = 1e15;
  if (std::isnan(coordinate)) return 0;
  double place = coordinate;
  if (texture.spec.normalized_coordinates) place *= static_cast<double>(texture.shape.extents[axis]);
  return std::clamp(place, -far, far);
}

Neighbours neighbours(const Texture& texture, std::size_t axis, float coordinate, bool gather) {
  const double place = unnormalised(texture, axis, coordinate);
  Neighbours found;
  if (gather) {
    found.index[0] = static_cast<std::int64_t>(std::floor(place - 0.5));
    found.count = 2;
  } else if (texture.spec.filter == FilterMode::point) {
    found.index[0] = static_cast<std::int64_t>(std::floor(place));
  } else {
    const auto steps = static_cast<std::int64_t>(std::floor((place - 0.5) * double{weight_steps} + 0.5));
    found.second = modulo(steps, weight_steps);
    found.index[0] = (steps - found.second) / weight_steps;
    found.count = found.second == 0 ? 1 : 2;
  }
  found.index[1] = found.index[0] + 1;
  AddressMode mode = texture.spec.address[axis];
  const bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
  if (periodic && !texture.spec.normalized_coordinates) mode = AddressMode::clamp;
  for (std::int64_t& index : found.index)
    index = addressed(index, static_cast<std::int64_t>(texture.shape.extents[axis]), mode);
  return found;
}

/// Returns `whole` steps times a weight; rounds halves up or down.
std::int64_t share(std::int64_t whole, std::int64_t weight, bool up) {
  return (whole * weight + (up ? weight_steps / 2 : weight_steps / 2 - 1)) / weight_steps;
}

/// Returns the steps of the weight of the texel at (i, j, k) among the eight. Rounds the products so that all
/// of them are whole and their sum is one: first along x and z, then each of these four along y, a half going
/// to the second where x is the second. In one and two dimensions an H200 has exactly these weights (all
/// 65,536 of two dimensions were compared); in three dimensions some differ by rounding, at most by 1/256.
std::int64_t weight_at(const std::array<Neighbours, 3>& along, std::size_t i, std::size_t j, std::size_t k) {
  const std::int64_t x = along[0].second, y = along[1].second, z = along[2].second;
  const std::int64_t both = share(x, z, true);
  const std::int64_t column =
      i == 1 ? (k == 1 ? both : x - both) : (k == 1 ? z - both : weight_steps - x - z + both);
  const std::int64_t second = share(column, y, i == 1);
  return j == 1 ? second : column - second;
}

Tap tap_at(const Texture& texture, const std::array<std::int64_t, 3>& index, double weight) {
  Tap tap{texture.first, weight};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (index[axis] < 0) return {nullptr, weight};
    tap.texel += static_cast<std::uint64_t>(index[axis]) * texture.shape.strides[axis];
  }
  return tap;
}

Footprint gathered(const Texture& texture, const TextureRequest& request) {
  const Neighbours x = neighbours(texture, 0, request.at[0], true);
  const Neighbours y = neighbours(texture, 1, request.at[1], true);
  Footprint all;
  // The order of the components, counter-clockwise from the lower left.
  all.add(tap_at(texture, {x.index[0], y.index[1], 0}, 1));
  all.add(tap_at(texture, {x.index[1], y.index[1], 0}, 1));
  all.add(tap_at(texture, {x.index[1], y.index[0], 0}, 1));
  all.add(tap_at(texture, {x.index[0], y.index[0], 0}, 1));
  return all;
}

/// Returns one channel of a texel as a number.
double number(const Texture& texture, const char* texel, std::size_t channel) {
  switch (texture.element) {
    case ElementType::u8: {
      const double byte = static_cast<unsigned char>(texel[channel]);
      return texture.spec.read == ReadMode::normalized ? byte / 255 : byte;
    }
    case ElementType::u16: {
      std::uint16_t word = 0;
      std::memcpy(&word, texel + 2 * channel, 2);
      return texture.spec.read == ReadMode::normalized ? word / 65535.0 : word;
    }
    case ElementType::f32: {
      float value = 0;
      std::memcpy(&value, texel + 4 * channel, 4);
      return value;
    }
    default:
      return 0;  // larger integers are never filtered
  }
}

/// Returns the bits of one channel of a texel that is not filtered.
std::uint32_t bits(const Texture& texture, const char* texel, std::size_t channel) {
  if (texture.spec.read == ReadMode::normalized)
    return std::bit_cast<std::uint32_t>(static_cast<float>(number(texture, texel, channel)));
  if (texture.element == ElementType::u8 || texture.element == ElementType::u16)
    return static_cast<std::uint32_t>(number(texture, texel, channel));
  std::uint32_t whole = 0;
  std::memcpy(&whole, texel + 4 * channel, 4);
  return whole;
}

}  // namespace

Footprint footprint(const Texture& texture, const TextureRequest& request) {
  Footprint all;
  if (request.call == TextureCall::fetch_1d) {
    const bool inside =
        request.index >= 0 && static_cast<std::uint64_t>(request.index) < texture.shape.extents[0];
    all.add(tap_at(texture, {inside ? request.index : -1, 0, 0}, 1));
    return all;
  }
  if (request.call == TextureCall::gather_2d) return gathered(texture, request);
  std::array<Neighbours, 3> along;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(texture.spec.dimensions); ++axis)
    along[axis] = neighbours(texture, axis, request.at[axis], false);
  const bool filtered = texture.spec.filter == FilterMode::linear;
  const auto& [x, y, z] = along;
  for (std::size_t k = 0; k < static_cast<std::size_t>(z.count); ++k)
    for (std::size_t j = 0; j < static_cast<std::size_t>(y.count); ++j)
      for (std::size_t i = 0; i < static_cast<std::size_t>(x.count); ++i) {
        const std::int64_t steps = filtered ? weight_at(along, i, j, k) : weight_steps;
        if (steps > 0)
          all.add(tap_at(texture, {x.index[i], y.index[j], z.index[k]},
                         static_cast<double>(steps) / double{weight_steps}));
      }
  return all;
}

Texel value(const Texture& texture, const TextureRequest& request, const Footprint& footprint) {
  Texel texel{};
  const auto channels = static_cast<std::size_t>(texture.spec.channels);
  if (request.call == TextureCall::gather_2d) {
    for (std::size_t i = 0; i < 4; ++i)
      if (const char* const from = footprint.taps[i].texel)
        texel[i] = bits(texture, from, static_cast<std::size_t>(request.component));
    return texel;
  }
  const bool filtered = request.call != TextureCall::fetch_1d && texture.spec.filter == FilterMode::linear;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double sum = 0;
    for (const Tap& tap : std::span(footprint.taps).first(static_cast<std::size_t>(footprint.count))) {
      if (tap.texel == nullptr) continue;
      if (filtered)
        sum += tap.weight * number(texture, tap.texel, channel);
      else
        texel[channel] = bits(texture, tap.texel, channel);
    }
    if (filtered) texel[channel] = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  }
  return texel;
}

std::string mismatch(const Texture& texture, const TextureRequest& request) {
  constexpr const char* names[] = {"tex1Dfetch", "tex1D", "tex2D", "tex3D", "tex2Dgather"};
  constexpr const char* kinds[] = {"floating-point", "signed", "unsigned"};
  constexpr int dimensions[] = {1, 1, 2, 3, 2};
  const auto call = static_cast<std::size_t>(request.call);
  const std::string what = format("{} of the texture over '{}'", names[call], texture.buffer);
  const bool gather = request.call == TextureCall::gather_2d;
  if (gather && !texture.spec.gather) return what + ", which does not allow gathering";
  if ((texture.spec.memory == TextureMemory::linear) != (request.call == TextureCall::fetch_1d))
    return format("{}, which {} linear memory", what,
                  request.call == TextureCall::fetch_1d ? "is not" : "is");
  if (texture.spec.dimensions != dimensions[call])
    return format("{}, which has {} dimensions", what, texture.spec.dimensions);
  const bool floats = texture.spec.read == ReadMode::normalized || texture.element == ElementType::f32;
  const TextureResult kind = floats                                ? TextureResult::floating
                             : texture.element == ElementType::i32 ? TextureResult::is_signed
                                                                   : TextureResult::is_unsigned;
  const unsigned bytes = floats ? 4 : static_cast<unsigned>(element_size(texture.element));
  const int channels = gather ? 4 : texture.spec.channels;
  if (gather && (request.component < 0 || request.component >= texture.spec.channels))
    return format("{} asks for component {} of {}", what, request.component, texture.spec.channels);
  if (request.result != kind || request.bytes != bytes || request.channels != channels)
    return format("{} asks for {} {} numbers of {} bytes, and the texture has {} {} ones of {} bytes", what,
                  request.channels, kinds[static_cast<std::size_t>(request.result)], request.bytes, channels,
                  kinds[static_cast<std::size_t>(kind)], bytes);
  return {};
}

}  // namespace tune::emulator
