// SPDX-License-Identifier: Apache-2.0
// All points for each query, without a grid: they pass through shared memory.

#include "words.cuh"

// ---- defaults ----
#ifndef K
#define K 1  // neighbours of a query
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 3  // dimensions: 2 or 3
#endif
#ifndef SELF
#define SELF Self::none  // what queries are: none, skip or count
#endif
#ifndef BLOCK
#define BLOCK 128  // threads of a block
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef UNROLL
#define UNROLL 2  // points that a thread looks at together
#endif
#ifndef THREAD_QUERIES
#define THREAD_QUERIES 1  // queries of a thread, all together
#endif
// ---- end of defaults ----

#define LAYOUT Layout::vector
#define CURVE Curve::rows
#define RANK Rank::stored
#define SORT Sort::given
#define GROWTH Growth::add

#include "grid.cuh"
#include "nearest.cuh"

constexpr int each = THREAD_QUERIES, tile = 256;

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    knn_brute(const float* __restrict__ points, const float* __restrict__ queries, int* indices,
              float* distances, int point_count, int query_count) {
  __shared__ float4 shared[tile];
  const int thread = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * (threads * each) + thread;
  Place places[each];
  Nearest nearest[each];
#pragma unroll
  for (int q = 0; q < each; ++q) {
    places[q] = given_place(queries, min(first + q * threads, static_cast<long long>(query_count) - 1));
    nearest[q].clear();
  }
#pragma unroll 1
  for (int begin = 0; begin < point_count; begin += tile) {
    const int count = min(tile, point_count - begin);
    for (int i = thread; i < count; i += threads) {
      const Place at = given_place(points, begin + i);
      shared[i] = float4{at.x, at.y, at.z, 0.0f};
    }
    __syncthreads();
#pragma unroll unroll
    for (int i = 0; i < count; ++i) {
      const float4 point = shared[i];
#pragma unroll
      for (int q = 0; q < each; ++q) {
        const float distance =
            squared_distance(places[q].x - point.x, places[q].y - point.y, places[q].z - point.z);
        // Of equally far points the first one that is offered is nearer.
        if (distance < nearest[q].reach() &&
            (self != Self::skip || begin + i != static_cast<int>(first) + q * threads))
          nearest[q].offer(key_of(distance, begin + i));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < each; ++q)
    if (first + q * threads < query_count) nearest[q].store(first + q * threads, indices, distances);
}
