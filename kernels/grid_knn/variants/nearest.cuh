// SPDX-License-Identifier: Apache-2.0
// The k nearest of the points that a thread has seen, in registers, and the places of the results.
#pragma once

#include "settings.cuh"

using Key = unsigned long long;

// The order of neighbours: by distance, then by index. No key of a point is larger than that of none.
__device__ __forceinline__ Key key_of(float distance, int index) {
  return static_cast<Key>(__float_as_uint(distance)) << 32 | static_cast<unsigned>(index);
}
__device__ __forceinline__ float distance_of(Key key) {
  return __uint_as_float(static_cast<unsigned>(key >> 32));
}
__device__ __forceinline__ int index_of(Key key) {
  return static_cast<int>(static_cast<unsigned>(key));
}
constexpr Key no_key = 0x7f800000ffffffffull;

struct Nearest {
  Key keys[neighbours];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < neighbours; ++j) keys[j] = no_key;
  }
  // No farther point is a neighbour.
  __device__ __forceinline__ float reach() const {
    return distance_of(keys[neighbours - 1]);
  }
  __device__ __forceinline__ void offer(Key key) {
    if (key >= keys[neighbours - 1]) return;
    bool before[neighbours];
#pragma unroll
    for (int j = 0; j < neighbours; ++j) before[j] = key < keys[j];
#pragma unroll
    for (int j = neighbours - 1; j > 0; --j)
      keys[j] = before[j - 1] ? keys[j - 1] : before[j] ? key : keys[j];
    if (before[0]) keys[0] = key;
  }
  __device__ __forceinline__ void store(long long query, int* indices, float* distances) const {
    int* const to_index = indices + query * neighbours;
    float* const to_distance = distances + query * neighbours;
    if constexpr (neighbours % 4 == 0) {
#pragma unroll
      for (int j = 0; j < neighbours; j += 4) {
        reinterpret_cast<int4*>(to_index)[j / 4] =
            int4{index_of(keys[j]), index_of(keys[j + 1]), index_of(keys[j + 2]), index_of(keys[j + 3])};
        reinterpret_cast<float4*>(to_distance)[j / 4] =
            float4{distance_of(keys[j]), distance_of(keys[j + 1]), distance_of(keys[j + 2]),
                   distance_of(keys[j + 3])};
      }
    } else {
#pragma unroll
      for (int j = 0; j < neighbours; ++j) {
        to_index[j] = index_of(keys[j]);
        to_distance[j] = distance_of(keys[j]);
      }
    }
  }
};
