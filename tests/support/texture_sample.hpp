// SPDX-License-Identifier: Apache-2.0
// Fetches at many coordinates from a texture of random texels, for whatever carries plans out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::testing {

struct TextureSample {
  /// One kernel `k`: out[channel, i] is what the fetch at (at[0, i], at[1, i], at[2, i]) gives, as float.
  LaunchPlan plan;
  TextureArgument texture;            ///< over buffer `image`
  TensorSet inputs;                   ///< `image`, `at`
  std::vector<std::uint64_t> texels;  ///< along each dimension of the texture
  int channels = 1;                   ///< of what a fetch gives
  bool gather = false;

  std::size_t fetches() const { return inputs.at("at").extents()[1]; }
  float coordinate(std::size_t fetch, std::size_t axis) const {
    return inputs.at("at").as<float>()[3 * fetch + axis];
  }
  /// One channel of a texel; integers are below 2^20, so that float holds them.
  double texel(std::size_t x, std::size_t y, std::size_t z, std::size_t channel) const;
  std::string text() const;
};

/// Coordinates reach two periods beyond either end. None is so near the edge of a texel, or the middle of two
/// weights, that the rounding of a coordinate could matter. `channel`, of a gather, is the one that is asked
/// for.
TextureSample texture_sample(const TextureSpec& spec, ElementType type, std::vector<std::uint64_t> texels,
                             bool gather = false, int channel = 0);

/// Every valid combination of memory, dimensions, filter, address mode, coordinates, channels and elements.
std::vector<TextureSample> all_texture_samples();

}  // namespace tune::testing
