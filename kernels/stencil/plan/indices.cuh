// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the indices of cells.
#pragma once

// The index in 0 .. last that is nearest to i.
__device__ __forceinline__ int clamped(int i, int last) {
  return i < 0 ? 0 : (i > last ? last : i);
}

// Whether i is one of 0 .. count - 1.
__device__ __forceinline__ bool below(int i, int count) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(count);
}
