// SPDX-License-Identifier: Apache-2.0
// The classic product by square tiles: result (m x n) = alpha * left (m x k) * right (k x n) + beta * result,
// all in row-major order. A block computes TILE x TILE elements; it brings one tile of each operand after
// another to shared memory and adds their products. A thread computes ROWS elements of one column, TILE /
// ROWS rows apart: lanes of a warp read neighbouring elements of the right tile, and one of the left.
//
// PREFETCH: the next tiles are loaded into registers while the current ones are multiplied.
// Grid: a block for each tile, in rows, along x. Extents may be anything: what lies beyond them counts as 0.

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of an element: float or double
#endif
#ifndef ACCUMULATE
#define ACCUMULATE 0  // 1: beta is not 0, the result's old contents are read
#endif
#ifndef PREFETCH
#define PREFETCH 0  // 1: the next tiles are on their way while this one is computed
#endif
#ifndef TILE
#define TILE 32  // rows and columns of a tile, threads of a block along x
#endif
#ifndef ROWS
#define ROWS 4  // rows of a tile that a thread computes
#endif
#ifndef UNROLL
#define UNROLL 32  // terms a turn of the innermost loop
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

using Real = REAL;
constexpr bool accumulate = ACCUMULATE != 0;
constexpr bool prefetch = PREFETCH != 0;
constexpr int tile = TILE, rows = ROWS, unroll = UNROLL;
constexpr int step = tile / rows;  // between two rows of a thread, and threads of a block along y

extern __shared__ __align__(16) unsigned char shared_bytes[];

struct Operand {
  const Real* elements;
  int rows, columns;
  long long pitch;
};

// This thread's part of the tile whose first element is (row, column).
__device__ __forceinline__ void load_tile(const Operand& from, int row, int column, Real (&part)[rows]) {
  const int x = column + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int y = row + static_cast<int>(threadIdx.y) + i * step;
    part[i] = y < from.rows && x < from.columns ? from.elements[y * from.pitch + x] : Real(0);
  }
}

__device__ __forceinline__ void store_tile(Real* to, const Real (&part)[rows]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) to[(threadIdx.y + i * step) * tile + threadIdx.x] = part[i];
}

__device__ __forceinline__ void multiply_tiles(const Real* left, const Real* right, Real (&sums)[rows]) {
#pragma unroll unroll
  for (int k = 0; k < tile; ++k) {
    const Real factor = right[k * tile + threadIdx.x];
#pragma unroll
    for (int i = 0; i < rows; ++i) sums[i] += left[(threadIdx.y + i * step) * tile + k] * factor;
  }
}

extern "C" __global__ void __launch_bounds__(tile* step, MIN_BLOCKS)
    gemm(const Real* __restrict__ left, const Real* __restrict__ right, Real* __restrict__ result, int m,
         int n, int k, long long left_pitch, long long right_pitch, long long result_pitch, Real alpha,
         Real beta) {
  Real* const left_tile = reinterpret_cast<Real*>(shared_bytes);
  Real* const right_tile = left_tile + tile * tile;
  const Operand lefts{left, m, k, left_pitch}, rights{right, k, n, right_pitch};
  const int tiles_n = (n + tile - 1) / tile;
  const int row = static_cast<int>(blockIdx.x) / tiles_n * tile;
  const int column = static_cast<int>(blockIdx.x) % tiles_n * tile;
  Real sums[rows] = {}, next_left[rows], next_right[rows];
  if constexpr (prefetch) {
    load_tile(lefts, row, 0, next_left);
    load_tile(rights, 0, column, next_right);
  }
  const int tiles_k = (k + tile - 1) / tile;
  for (int t = 0; t < tiles_k; ++t) {
    if constexpr (!prefetch) {
      load_tile(lefts, row, t * tile, next_left);
      load_tile(rights, t * tile, column, next_right);
    }
    store_tile(left_tile, next_left);
    store_tile(right_tile, next_right);
    __syncthreads();
    if constexpr (prefetch) {
      // After the last tile: nothing is loaded, t + 1 lies beyond.
      if (t + 1 < tiles_k) {
        load_tile(lefts, row, (t + 1) * tile, next_left);
        load_tile(rights, (t + 1) * tile, column, next_right);
      }
    }
    multiply_tiles(left_tile, right_tile, sums);
    __syncthreads();
  }
  const int x = column + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int y = row + static_cast<int>(threadIdx.y) + i * step;
    if (y >= m || x >= n) continue;
    Real& target = result[y * result_pitch + x];
    if constexpr (accumulate)
      target = alpha * sums[i] + beta * target;
    else
      target = alpha * sums[i];
  }
}
