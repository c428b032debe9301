// SPDX-License-Identifier: Apache-2.0
// What becomes of the blocks' sums over their strips: added up within a block, then written, or added to what
// others add by atomics; and the sum of what several blocks have written.
#pragma once

#include "strip.cuh"

template<bool atomic>
__device__ __forceinline__ void put(Real* to, Real value) {
  if constexpr (atomic)
    atomicAdd(to, value);
  else
    *to = value;
}

// Writes the tile's sums over all of the block's threads to `to`, the place of the tile's first column, of
// which `columns` exist. `shared` has room for a vector of each thread, where block_y is not 1; `busy`: other
// threads may still be reading what lies there.
template<bool atomic, bool busy>
__device__ __forceinline__ void store_sums(Real* to, const Real (&z)[cells], int columns, Real* shared) {
  if constexpr (block_y == 1) {
    const int first = static_cast<int>(threadIdx.x) * lanes;
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      const int column = first + p * stride;
      if (!atomic && column + lanes <= columns) {
        store_vector<lanes, Store::plain>(to + column, z + p * lanes);
      } else {
#pragma unroll
        for (int i = 0; i < lanes; ++i)
          if (column + i < columns) put<atomic>(to + column + i, z[p * lanes + i]);
      }
    }
  } else {
    const int thread = thread_number();
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      if (busy || p > 0) __syncthreads();
      store_vector<lanes, Store::plain>(shared + thread * lanes, z + p * lanes);
      __syncthreads();
      for (int i = thread; i < stride; i += threads) {
        Real sum = shared[i];
#pragma unroll
        for (int y = 1; y < block_y; ++y) sum += shared[y * stride + i];
        if (p * stride + i < columns) put<atomic>(to + p * stride + i, sum);
      }
    }
  }
}

// out[i] = sum of from[k * pitch + i] over k < count, for all i < n: 32 of them at a time by a block of
// 32 x `parts` threads (numbered `thread`), which take turns with `blocks` - 1 others. Always in the same
// order.
template<int parts>
__device__ __forceinline__ void reduce(const Real* from, Real* out, int count, long long pitch, int n,
                                       int thread, int block, int blocks) {
  __shared__ Real words[parts][32];
  const int lane = thread % 32, part = thread / 32;
  for (long long first = block * 32LL; first < n; first += blocks * 32LL) {
    const bool exists = first + lane < n;
    Real sum = 0;
    if (exists) {
      const Real* at = from + first + lane;
#pragma unroll 8
      for (int k = part; k < count; k += parts) sum += at[k * pitch];
    }
    words[part][lane] = sum;
    __syncthreads();
    if (part == 0 && exists) {
#pragma unroll
      for (int k = 1; k < parts; ++k) sum += words[k][lane];
      out[first + lane] = sum;
    }
    if (first + blocks * 32LL < n) __syncthreads();
  }
}
