// SPDX-License-Identifier: Apache-2.0
// A block a brick of cubes: the points of the brick and of the cubes around it go to shared memory, where the
// threads look for the neighbours of the brick's queries.

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
#ifndef BRICK
#define BRICK 4  // cubes of a brick along each axis
#endif
#ifndef TILE_POINTS
#define TILE_POINTS 1024  // points that shared memory has room for, besides padding
#endif
// ---- end of defaults ----

#define SORT Sort::cubes

#include "build.cuh"
#include "queries.cuh"
#include "walk.cuh"

constexpr int brick = BRICK, edge = brick + 2;
constexpr int tile_rows = dimensions == 3 ? edge * edge : edge;
constexpr int brick_rows = dimensions == 3 ? brick * brick : brick;

// Points in shared memory, of the cubes from `corner` on, `edge` along each axis.
struct Tile {
  const float4* points;
  const int* rows;               // where the rows begin
  const int (*cubes)[edge + 1];  // where the cubes of a row begin, from the row's first point
  Cube corner;

  __device__ __forceinline__ void range(int y, int z, int first, int last, int& begin, int& end) const {
    const int row = (dimensions == 3 ? (z - corner.z) * edge : 0) + y - corner.y;
    begin = rows[row] + cubes[row][first - corner.x];
    end = rows[row] + cubes[row][last + 1 - corner.x];
  }
  __device__ __forceinline__ Place place(int number) const {
    const float4 point = points[number];
    return Place{point.x, point.y, point.z};
  }
  __device__ __forceinline__ int index(int number) const { return __float_as_int(points[number].w); }
  __device__ __forceinline__ Point point(int number) const {
    const float4 point = points[number];
    return Point{Place{point.x, point.y, point.z}, __float_as_int(point.w)};
  }
};

// Replaces numbers 1 to `count` by their sums from the first one on; number 0 becomes 0. By a whole warp.
__device__ __forceinline__ void add_up(int* numbers, int count, int lane) {
  int before = 0;
  for (int from = 0; from < count; from += 32) {
    int sum = from + lane < count ? numbers[from + lane + 1] : 0;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += other;
    }
    sum += before;
    before = __shfl_sync(0xffffffffu, sum, 31);
    if (from + lane < count) numbers[from + lane + 1] = sum;
  }
  if (lane == 0) numbers[0] = 0;
}

// Grid: a block a brick. `query_starts`: as `starts`, of the queries.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    knn_tile(const float* __restrict__ points, const int* __restrict__ starts,
             const float* __restrict__ frame, const float* __restrict__ queries, int* indices,
             float* distances, int point_count, int query_count, int side,
             const int* __restrict__ query_starts) {
  extern __shared__ float4 tile_points[];
  __shared__ int cubes[tile_rows][edge + 1];
  __shared__ int in_memory[tile_rows];  // where the rows begin there
  __shared__ int rows[tile_rows + 1];
  __shared__ int query_rows[brick_rows + 1], first_queries[brick_rows];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int bricks = (side + brick - 1) / brick, last = side - 1;
  const int block = static_cast<int>(blockIdx.x);
  const Cube corner{block % bricks * brick - 1, block / bricks % bricks * brick - 1,
                    dimensions == 3 ? block / bricks / bricks * brick - 1 : 0};
  const int first_x = max(corner.x, 0), last_x = min(corner.x + edge - 1, last);
  for (int i = thread; i < tile_rows * (edge + 1); i += threads) {
    const int row = i / (edge + 1), x = i % (edge + 1);
    const int y = corner.y + row % edge, z = dimensions == 3 ? corner.z + row / edge : 0;
    int begin = 0, here = 0;
    if (y >= 0 && y <= last && z >= 0 && z <= last) {
      const int* const own = starts + static_cast<long long>(row_of(side, y, z)) * (side + 1);
      begin = __ldg(own + first_x);
      here = __ldg(own + min(max(corner.x + x, first_x), last_x + 1));
    }
    cubes[row][x] = here - begin;
    if (x == 0) in_memory[row] = begin;
    if (x == edge) rows[row + 1] = here - begin;
  }
  for (int row = thread; row < brick_rows; row += threads) {
    const int y = corner.y + 1 + row % brick, z = dimensions == 3 ? corner.z + 1 + row / brick : 0;
    int begin = 0, end = 0;
    if (y <= last && z <= last) {
      const int* const own = query_starts + static_cast<long long>(row_of(side, y, z)) * (side + 1);
      begin = __ldg(own + corner.x + 1);
      end = __ldg(own + min(corner.x + 1 + brick, side));
    }
    first_queries[row] = begin;
    query_rows[row + 1] = end - begin;
  }
  __syncthreads();
  if (warp == 0) add_up(rows, tile_rows, lane);
  if (warp == 1) add_up(query_rows, brick_rows, lane);
  __syncthreads();
  const Frame grid(frame, side);
  const Global global{Points{points, point_count + padding}, starts, side};
  const Tile tile{tile_points, rows, cubes, corner};
  const bool fits = rows[tile_rows] <= TILE_POINTS;
  if (fits) {
    for (int row = warp; row < tile_rows; row += threads / 32)
      for (int i = lane; i < rows[row + 1] - rows[row]; i += 32) {
        const Point point = global.point(in_memory[row] + i);
        tile_points[rows[row] + i] = float4{point.at.x, point.at.y, point.at.z, __int_as_float(point.index)};
      }
    if (thread < padding)
      tile_points[rows[tile_rows] + thread] = float4{huge, huge, huge, __int_as_float(-1)};
    __syncthreads();
  }
  const int count = query_rows[brick_rows];
#pragma unroll 1
  for (int i = thread; i < count; i += threads) {
    int row = 0;  // the last that begins at `i` or before
    for (int step = brick_rows / 2; step > 0; step /= 2)
      if (query_rows[row + step] <= i) row += step;
    const Point own = query_at(queries, query_count + padding, first_queries[row] + i - query_rows[row]);
    const Query query(grid, own.at, own.index);
    Nearest nearest;
    nearest.clear();
    if (fits) {
      scan_around<PRUNE != 0>(grid, tile, query, nearest);
    } else {
      scan_around<PRUNE != 0>(grid, global, query, nearest);
    }
    widen<PRUNE != 0>(grid, global, query, 1, nearest);
    nearest.store(own.index, indices, distances);
  }
}
