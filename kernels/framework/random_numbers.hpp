// SPDX-License-Identifier: Apache-2.0
// Random inputs: each element follows from its own number alone.
#pragma once

#include <cstdint>

#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// Mixes the bits of a counter. Each family keeps its own mixer: stored results were checked with these
/// inputs.
enum class Mixer {
  splitmix,         ///< SplitMix64: its finalizer after its increment is added
  splitmix_scaled,  ///< its finalizer after the counter is multiplied by that increment
  murmur,           ///< the finalizer of MurmurHash3
  multiply_twice    ///< two shifts and multiplications
};

std::uint64_t mixed_bits(Mixer mixer, std::uint64_t counter);

/// Returns a number in [-1, 1) for an operand of this type, with all bits that it has: f32: a multiple of
/// 2^-23; f64: a multiple of 2^-53. That of f64 begins with the bits of that of f32. A kernel that computes
/// in a narrower type, or reads through one, gives other results.
double number_at(ElementType type, Mixer mixer, std::uint64_t counter);

/// Sets the first `count` elements of a tensor of f32 or f64 to the numbers at `start`, `start` + 1 and so
/// on, on all cores.
void fill_random(HostTensor& tensor, std::uint64_t count, Mixer mixer, std::uint64_t start);

/// Returns a tensor of f32 or f64 full of such numbers.
HostTensor random_tensor(ElementType type, Extents extents, Mixer mixer, std::uint64_t start);

}  // namespace tune::kernels
