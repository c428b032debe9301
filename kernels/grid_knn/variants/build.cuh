// SPDX-License-Identifier: Apache-2.0
// Construction of the grid: the box of the points, then a counting sort by cube. `box`, `counts` and `cursor`
// are zeros before and after.
#pragma once

#include "grid.cuh"

constexpr int build_threads = 256;

// A number whose order among unsigned ones is that of the float; none is zero.
__device__ __forceinline__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float from_ordered(unsigned order) {
  return __uint_as_float((order & 0x80000000u) != 0 ? order & 0x7fffffffu : ~order);
}

// `box`: highest of -x, -y, -z, x, y, z, then the blocks that have ended. Blocks take points in turns. The
// last block that ends writes the frame.
extern "C" __global__ void __launch_bounds__(build_threads)
    knn_box(const float* __restrict__ points, int count, int side, unsigned* box, float* frame) {
  __shared__ float highest[6][build_threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  float own[6] = {-huge, -huge, -huge, -huge, -huge, -huge};
  for (long long i = static_cast<long long>(blockIdx.x) * build_threads + thread; i < count;
       i += static_cast<long long>(gridDim.x) * build_threads) {
    const Place at = given_place(points, i);
    const float values[6] = {-at.x, -at.y, -at.z, at.x, at.y, at.z};
#pragma unroll
    for (int v = 0; v < 6; ++v) own[v] = fmaxf(own[v], values[v]);
  }
#pragma unroll
  for (int v = 0; v < 6; ++v) {
    for (int step = 16; step > 0; step /= 2)
      own[v] = fmaxf(own[v], __shfl_xor_sync(0xffffffffu, own[v], step));
    if (thread % 32 == 0) highest[v][thread / 32] = own[v];
  }
  __syncthreads();
  if (thread != 0) return;
  for (int v = 0; v < 6; ++v) {
    float all = highest[v][0];
    for (int warp = 1; warp < build_threads / 32; ++warp) all = fmaxf(all, highest[v][warp]);
    atomicMax(box + v, ordered(all));
  }
  __threadfence();
  if (atomicAdd(box + 6, 1u) != gridDim.x - 1) return;
  __threadfence();
  for (int axis = 0; axis < 3; ++axis) {
    const float low = -from_ordered(atomicExch(box + axis, 0u));
    const float extent = from_ordered(atomicExch(box + 3 + axis, 0u)) - low;
    // An axis without extent has one cube, which is as wide as can be.
    const float scale = extent > 0.0f ? fminf(static_cast<float>(side) / extent, 1e30f) : 0.0f;
    frame[axis] = low;
    frame[3 + axis] = scale;
    frame[6 + axis] = scale > 0.0f ? 1.0f / scale : 1e30f;
  }
  atomicExch(box + 6, 0u);
}

// The cube of a place, as an index of `counts`.
__device__ __forceinline__ long long cube_index(const Frame& frame, Place at) {
  const Cube cube = frame.cube(frame.place(at));
  return static_cast<long long>(row_of(frame.side, cube.y, cube.z)) * frame.side + cube.x;
}

// Grid: a thread a point.
extern "C" __global__ void __launch_bounds__(build_threads)
    knn_count(const float* __restrict__ points, int count, int side, const float* __restrict__ frame,
              unsigned* counts, unsigned* ranks) {
  const long long i = static_cast<long long>(blockIdx.x) * build_threads + threadIdx.x;
  if (i >= count) return;
  const unsigned before = atomicAdd(counts + cube_index(Frame(frame, side), given_place(points, i)), 1u);
  if constexpr (rank == Rank::stored) ranks[i] = before;
}

// Grid: a warp a row. The rows of a block follow each other in memory, blocks come in any order. `starts`:
// side + 1 numbers for each row, where its cubes begin and where it ends. `cursor`: points that have a place.
extern "C" __global__ void __launch_bounds__(build_threads)
    knn_starts(unsigned* counts, int* starts, unsigned* cursor, int rows, int side) {
  constexpr int warps = build_threads / 32;
  __shared__ unsigned sums[warps];
  __shared__ unsigned first;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long row = static_cast<long long>(blockIdx.x) * warps + warp;
  unsigned* const own = counts + row * side;
  unsigned sum = 0;
  if (row < rows)
    for (int x = lane; x < side; x += 32) sum += own[x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned all = 0;
    for (int w = 0; w < warps; ++w) all += sums[w];
    first = atomicAdd(cursor, all);
  }
  __syncthreads();
  if (row >= rows) return;
  unsigned at = first;
  for (int w = 0; w < warp; ++w) at += sums[w];
  int* const to = starts + row * (side + 1);
  for (int from = 0; from < side; from += 32) {
    const int x = from + lane;
    const unsigned here = x < side ? own[x] : 0;
    unsigned up = here;  // with those before it
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const unsigned other = __shfl_up_sync(0xffffffffu, up, step);
      if (lane >= step) up += other;
    }
    if (x < side) {
      to[x] = static_cast<int>(at + up - here);
      if (rank == Rank::stored && here != 0) own[x] = 0;
    }
    at += __shfl_sync(0xffffffffu, up, 31);
  }
  if (lane == 0) to[side] = static_cast<int>(at);
}

// Grid: a thread a point, and one for each of the padding.
extern "C" __global__ void __launch_bounds__(build_threads)
    knn_sort(const float* __restrict__ points, int count, int side, const float* __restrict__ frame,
             unsigned* counts, const unsigned* ranks, const int* __restrict__ starts, unsigned* cursor,
             float* sorted) {
  const long long i = static_cast<long long>(blockIdx.x) * build_threads + threadIdx.x;
  if (i == 0) *cursor = 0;
  if (i >= count + padding) return;
  if (i >= count) {
    store_point(sorted, count + padding, i, Point{Place{huge, huge, huge}, -1});
    return;
  }
  const Frame grid(frame, side);
  const Place at = given_place(points, i);
  const Cube cube = grid.cube(grid.place(at));
  const long long row = row_of(side, cube.y, cube.z);
  const unsigned place = rank == Rank::stored ? ranks[i] : atomicSub(counts + row * side + cube.x, 1u) - 1;
  store_point(sorted, count + padding, starts[row * (side + 1) + cube.x] + static_cast<long long>(place),
              Point{at, static_cast<int>(i)});
}
