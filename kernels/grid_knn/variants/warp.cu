// SPDX-License-Identifier: Apache-2.0
// A warp a query: lanes look at different points of the cubes around it. Lane j holds neighbour j.

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
#define SORT Sort::given  // order in which warps take queries: given or cubes
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
#define UNROLL 1  // points that a lane loads together
#endif
// ---- end of defaults ----

#include "build.cuh"
#include "queries.cuh"
#include "walk.cuh"

constexpr unsigned all_lanes = 0xffffffffu;

// The neighbours that a warp has found.
struct Found {
  Key own = no_key;    // neighbour `lane`; of a single neighbour the best that the lane has seen
  Key worst = no_key;  // no larger key is a neighbour's; the same in all lanes

  // Each lane offers a key; no_key: none.
  __device__ __forceinline__ void offer(Key key, int lane) {
    if constexpr (neighbours == 1) {
      own = key < own ? key : own;
    } else {
      for (unsigned better = __ballot_sync(all_lanes, key < worst); better != 0; better &= better - 1) {
        const Key next = __shfl_sync(all_lanes, key, __ffs(static_cast<int>(better)) - 1);
        if (next >= worst) continue;
        const Key before = __shfl_up_sync(all_lanes, own, 1);
        if (own > next) own = lane > 0 && before > next ? before : next;
        worst = __shfl_sync(all_lanes, own, neighbours - 1);
      }
    }
  }
  // To be called after offers, before `worst` is read.
  __device__ __forceinline__ void settle() {
    if constexpr (neighbours == 1) {
#pragma unroll
      for (int step = 16; step > 0; step /= 2) {
        const Key other = __shfl_xor_sync(all_lanes, own, step);
        own = other < own ? other : own;
      }
      worst = own;
    }
  }
};

// Looks at the points of cubes beyond `inner` and within `outer` cubes on each side; inner -1: at all of
// these. Each lane takes a range of cubes; then the warp takes the points of 32 ranges together.
__device__ __forceinline__ void scan_ranges(const Frame& frame, const Global& source, const Query& query,
                                            int inner, int outer, int lane, Found& found) {
  const Cube cube = query.cube;
  const int last = frame.side - 1;
  const int first_x = max(cube.x - outer, 0), last_x = min(cube.x + outer, last);
  const int first_y = max(cube.y - outer, 0), first_z = max(cube.z - outer, 0);
  const int rows_y = min(cube.y + outer, last) - first_y + 1;
  const int rows_z = dimensions == 3 ? min(cube.z + outer, last) - first_z + 1 : 1;
  const int parts = inner < 0 ? 1 : 2, ranges = rows_y * rows_z * parts;
#pragma unroll 1
  for (int from = 0; from < ranges; from += 32) {
    int begin = 0, end = 0;
    if (from + lane < ranges) {
      const int part = (from + lane) % parts, row = (from + lane) / parts;
      const int y = first_y + row % rows_y, z = first_z + row / rows_y;
      const bool whole = abs(y - cube.y) > inner || abs(z - cube.z) > inner;
      const int low = whole || part == 0 ? first_x : cube.x + inner + 1;
      const int high = whole || part == 1 ? last_x : cube.x - inner - 1;
      const float row_y = away(query.place.y, cube.y, y, query.slack.y, frame.width.y);
      const float row_z =
          dimensions == 3 ? away(query.place.z, cube.z, z, query.slack.z, frame.width.z) : 0.0f;
      if ((!whole || part == 0) && low <= high &&
          fmaf(row_z, row_z, square(row_y)) <= distance_of(found.worst))
        source.range(y, z, low, high, begin, end);
    }
    int up = end - begin;  // points of this range and those before it
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(all_lanes, up, step);
      if (lane >= step) up += other;
    }
    const int total = __shfl_sync(all_lanes, up, 31), before = up - (end - begin);
#pragma unroll 1
    for (int first = 0; first < total; first += 32 * unroll) {
      Point points[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const int number = min(first + 32 * u + lane, total - 1);
        int range = 0;  // ranges that end before the point
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
          if (__shfl_sync(all_lanes, up, range + step - 1) <= number) range += step;
        points[u] = source.point(__shfl_sync(all_lanes, begin, range) + number -
                                 __shfl_sync(all_lanes, before, range));
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const bool offered =
            first + 32 * u + lane < total && (self != Self::skip || points[u].index != query.excluded);
        found.offer(offered ? key_of(distance_to(query, points[u].at), points[u].index) : no_key, lane);
      }
    }
    found.settle();
  }
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    knn_warp(const float* __restrict__ points, const int* __restrict__ starts,
             const float* __restrict__ frame, const float* __restrict__ queries, int* indices,
             float* distances, int point_count, int query_count, int side) {
  const long long number =
      static_cast<long long>(blockIdx.x) * (threads / 32) + static_cast<int>(threadIdx.x) / 32;
  if (number >= query_count) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Frame grid(frame, side);
  const Global source{Points{points, point_count + padding}, starts, side};
  const Point own = query_at(queries, query_count + padding, number);
  const Query query(grid, own.at, own.index);
  Found found;
  int inner = -1, outer = 1;
#pragma unroll 1
  while (true) {
    scan_ranges(grid, source, query, inner, outer, lane, found);
    if (outer >= side || beyond(grid, query, outer) > distance_of(found.worst)) break;
    inner = outer;
    outer = growth == Growth::twice ? 2 * inner : inner + 1;
  }
  if (lane >= neighbours) return;
  const long long to = static_cast<long long>(own.index) * neighbours + lane;
  indices[to] = index_of(found.own);
  distances[to] = distance_of(found.own);
}
