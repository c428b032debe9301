// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace tune::search {

/// Pseudo-random numbers that are the same for a seed with every compiler and library, which the standard
/// distributions are not. Injected wherever chance is needed: nothing here reads a clock or a device.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Draws uniformly from 0 .. bound-1, without bias. `bound` must be positive.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = engine_.max() - engine_.max() % bound;
    std::uint64_t draw = engine_();
    while (draw >= limit) draw = engine_();
    return draw % bound;
  }

  /// Draws uniformly from [0, 1), 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tune::search
