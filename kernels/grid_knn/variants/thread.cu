// SPDX-License-Identifier: Apache-2.0
// A thread a query. It looks at the cube of its query and at those around it, then farther out where needed;
// with PRUNE at the nearest cubes first, and at none that has only farther points than those found.

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
#ifndef LAYOUT
#define LAYOUT Layout::vector  // layout of the sorted points: vector or split
#endif
#ifndef CURVE
#define CURVE Curve::rows  // order of the rows of cubes: rows or morton
#endif
#ifndef RANK
#define RANK Rank::stored  // how points find their place in a cube: stored or again
#endif
#ifndef SORT
#define SORT Sort::given  // order in which threads take queries: given or cubes
#endif
#ifndef GROWTH
#define GROWTH Growth::add  // how a search grows: add or twice
#endif
#ifndef BLOCK
#define BLOCK 128  // threads of a block
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef UNROLL
#define UNROLL 2  // points that a thread loads together
#endif
#ifndef PRUNE
#define PRUNE 1  // leaves cubes out that have no neighbour
#endif
#ifndef BUFFER
#define BUFFER 0  // points of a thread that wait to be inserted, where lanes insert together; 0: none waits
#endif
#ifndef THREAD_QUERIES
#define THREAD_QUERIES 1  // queries of a thread
#endif
// ---- end of defaults ----

#include "build.cuh"
#include "queries.cuh"
#include "together.cuh"
#include "walk.cuh"

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    knn_thread(const float* __restrict__ points, const int* __restrict__ starts,
               const float* __restrict__ frame, const float* __restrict__ queries, int* indices,
               float* distances, int point_count, int query_count, int side) {
  constexpr int each = THREAD_QUERIES;
  const Frame grid(frame, side);
  const Global source{Points{points, point_count + padding}, starts, side};
#pragma unroll 1
  for (int turn = 0; turn < each; ++turn) {
    const long long number = (static_cast<long long>(blockIdx.x) * each + turn) * threads + threadIdx.x;
    // Lanes without a query go with the others.
    const Point own =
        query_at(queries, query_count + padding, min(number, static_cast<long long>(query_count) - 1));
    const Query query(grid, own.at, own.index);
    Nearest nearest;
    nearest.clear();
    if constexpr (BUFFER > 0) {
      __shared__ Key keys[BUFFER > 0 ? BUFFER * threads : 1];
      scan_together(grid, source, query, Waiting<BUFFER>{keys + threadIdx.x}, nearest);
    } else {
      scan_around<PRUNE != 0>(grid, source, query, nearest);
    }
    widen<PRUNE != 0>(grid, source, query, 1, nearest);
    if (number < query_count) nearest.store(own.index, indices, distances);
  }
}
