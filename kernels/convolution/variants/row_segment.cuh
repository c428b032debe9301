// SPDX-License-Identifier: Apache-2.0
// A segment of a row of the image, with zeros for what lies beside it, on its way to shared memory.
#pragma once

// The elements of an access of 16 bytes, and the pixels in front of a tile that it begins with: the radius in
// whole accesses.
constexpr int lanes = 16 / sizeof(Real);
constexpr int lead = (radius + lanes - 1) / lanes * lanes;

extern __shared__ __align__(16) unsigned char shared_bytes[];

// How many of the `VECTOR` pixels from x on are in a row of nx. x is a multiple of VECTOR.
template<int vector>
__device__ __forceinline__ int pixels_present(int x, int nx) {
  if (x < 0) return 0;
  return nx - x >= vector ? vector : nx > x ? nx - x : 0;
}

// Copies `vector` pixels, of which `present` exist, from row + x. Vectors are aligned in both places.
template<int vector>
__device__ __forceinline__ void copy_pixels(Real* to, const Real* row, int x, int present) {
  copy_async_part<vector* static_cast<int>(sizeof(Real))>(to, present > 0 ? row + x : row,
                                                          present * static_cast<int>(sizeof(Real)));
}

// Stores the pixels that exist of a vector of n at x.
template<int n, int vector, Store path>
__device__ __forceinline__ void store_pixels(Real* row, int x, int nx, const Real* from) {
  if (x + n <= nx) {
#pragma unroll
    for (int i = 0; i < n; i += vector) store_vector<vector, path>(row + x + i, from + i);
  } else {
#pragma unroll
    for (int i = 0; i < n; ++i)
      if (x + i < nx) row[x + i] = from[i];
  }
}
