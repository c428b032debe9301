// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/backends/emulator/prelude/host_table.cuh"
#include "tuner/plan/texture_shape.hpp"

namespace tune::emulator {

/// A texture in host memory. An array is read from its buffer, an input that does not change.
struct Texture {
  std::string buffer;
  TextureSpec spec;
  ElementType element = ElementType::f32;
  TextureShape shape;
  const char* first = nullptr;  ///< texel (0, 0, 0)

  std::size_t texel_bytes() const { return shape.strides[0]; }
};

/// One texel of a fetch; null for a border, which is zero.
struct Tap {
  const char* texel = nullptr;
  double weight = 1;
};

/// The texels that a fetch reads, without those of weight zero.
struct Footprint {
  std::array<Tap, 8> taps{};
  int count = 0;

  void add(const Tap& tap) { taps[static_cast<std::size_t>(count++)] = tap; }
};

/// The four values of a fetch, as the bits of float, int or unsigned.
using Texel = std::array<std::uint32_t, 4>;

/// Returns the texels of a fetch by the appendix "Texture Fetching" of NVIDIA's CUDA C++ Programming Guide: a
/// linear filter's weights are rounded to multiples of 1/256 (1.8 fixed point), wrap and mirror act as clamp
/// where coordinates are not normalised, and tex1Dfetch returns zero beyond the ends. A coordinate that is
/// NaN counts as 0.
Footprint footprint(const Texture& texture, const tune_emulator::TextureRequest& request);

/// Returns the fetched value: the sum over the footprint, rounded once; for a gather, one component of each
/// texel.
Texel value(const Texture& texture, const tune_emulator::TextureRequest& request, const Footprint& footprint);

/// Returns why the request does not fit the texture, which on a device returns garbage; empty where it fits.
std::string mismatch(const Texture& texture, const tune_emulator::TextureRequest& request);

}  // namespace tune::emulator
