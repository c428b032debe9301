// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tune::kernels {

/// A number in [-1, 1) with 24 bits, exact in float: a counter whose bits are mixed, so that any of them can
/// be had without those before it.
inline double number_at(std::uint64_t counter) {
  counter += 0x9e3779b97f4a7c15ULL;
  counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9ULL;
  counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebULL;
  counter ^= counter >> 31;
  return static_cast<double>(counter >> 40) * 0x1.0p-23 - 1.0;
}

}  // namespace tune::kernels
