// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp look at points in step. Points that may be neighbours wait in shared memory until a
// lane has no more room; then all lanes insert theirs. To insert takes six instructions for each of k
// neighbours, and without waiting nearly every point is inserted by some lane, for which the others wait.
#pragma once

#include "walk.cuh"

template<int room>
struct Waiting {
  Key* keys;  // of this thread, `threads` apart
  int count = 0;

  __device__ __forceinline__ void add(Key key) {
    keys[count * threads] = key;
    ++count;
  }
  __device__ __forceinline__ void insert(Nearest& nearest) {
#pragma unroll 1
    for (int i = 0; __any_sync(0xffffffffu, i < count); ++i)
      if (i < count) nearest.offer(keys[i * threads]);
    count = 0;
  }
};

// Offers the points of the query's cube and of those around it. By whole warps.
template<int room, class Source>
__device__ __forceinline__ void scan_together(const Frame& frame, const Source& source, const Query& query,
                                              Waiting<room> waiting, Nearest& nearest) {
  static_assert(unroll <= room);
  const Cube cube = query.cube;
  const int last = frame.side - 1;
  const int first_x = max(cube.x - 1, 0), last_x = min(cube.x + 1, last);
#pragma unroll 1
  for (int row = 0; row < (dimensions == 3 ? 9 : 3); ++row) {
    const int y = cube.y + row % 3 - 1, z = dimensions == 3 ? cube.z + row / 3 - 1 : 0;
    int begin = 0, end = 0;
    if (y >= 0 && y <= last && z >= 0 && z <= last) source.range(y, z, first_x, last_x, begin, end);
#pragma unroll 1
    for (int i = begin; __any_sync(0xffffffffu, i < end); i += unroll) {
      if (i < end) {
        Point points[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) points[u] = source.point(i + u);
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
          const Key key = key_of(distance_to(query, points[u].at), points[u].index);
          if (is_offered(query, i + u, end, points[u].index) && key < nearest.keys[neighbours - 1])
            waiting.add(key);
        }
      }
      if (__any_sync(0xffffffffu, waiting.count > room - unroll)) waiting.insert(nearest);
    }
  }
  waiting.insert(nearest);
}
