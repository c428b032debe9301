// SPDX-License-Identifier: Apache-2.0
// The product by tensor cores: result (m x n) = alpha * left (m x k) * right (k x n) + beta * result, all in
// row-major order. A block computes BLOCK_M x BLOCK_N elements, each of its warps WARP_M x WARP_N of them.
// STAGES slabs of SLAB terms of both operands are in shared memory or on their way there, by asynchronous
// copies; from there the warps read fragments (tensor_tiles.cuh) and multiply them (tensor_products.cuh).
//
// PRECISION: f64: doubles. tf32: floats rounded to 11 bits. tf32x3: floats as sums of two numbers of 11 bits.
// Grid: a block for each tile, along x, in groups of GROUP rows of tiles, so that blocks that run together
// share operands in the L2 cache. Extents may be anything: what lies beyond them counts as 0.

#include "async_copy.cuh"
#include "tensor_core.cuh"
#include "vectors.cuh"

enum class Precision { f64, tf32x3, tf32 };

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of an element: float or double
#endif
#ifndef ACCUMULATE
#define ACCUMULATE 0  // 1: beta is not 0, the result's old contents are read
#endif
#ifndef PRECISION
#define PRECISION Precision::tf32x3  // f64 for doubles, tf32x3 or tf32 for floats
#endif
#ifndef BLOCK_M
#define BLOCK_M 128  // rows of the result that a block computes
#endif
#ifndef BLOCK_N
#define BLOCK_N 128  // columns of the result that a block computes
#endif
#ifndef SLAB
#define SLAB 16  // terms of the sums between two barriers
#endif
#ifndef WARP_M
#define WARP_M 64  // rows that a warp computes: a multiple of 16
#endif
#ifndef WARP_N
#define WARP_N 32  // columns that a warp computes: a multiple of 32 floats, 16 doubles
#endif
#ifndef INNER
#define INNER 8  // terms of one instruction: 8 of floats; 4, 8 or 16 of doubles
#endif
#ifndef STAGES
#define STAGES 3  // slabs in shared memory: at least 2
#endif
#ifndef AHEAD
#define AHEAD 1  // 1: fragments are read while those before are multiplied, at the price of registers
#endif
#ifndef ROUNDED
#define ROUNDED 1  // tf32x3: whether the large part of a float is rounded; else it is cut
#endif
#ifndef VECTOR
#define VECTOR 4  // elements of one copy or store: at most 16 bytes
#endif
#ifndef GROUP
#define GROUP 8  // rows of tiles whose blocks follow each other
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

using Real = REAL;
constexpr bool accumulate = ACCUMULATE != 0;
constexpr Precision precision = PRECISION;
constexpr int block_m = BLOCK_M, block_n = BLOCK_N, block_k = SLAB;
constexpr int warp_m = WARP_M, warp_n = WARP_N, inner = INNER;
constexpr int stages = STAGES, vector = VECTOR, group = GROUP;
constexpr bool ahead = AHEAD != 0;
constexpr bool rounded = ROUNDED != 0;
constexpr int fragments_m = warp_m / 16, fragments_n = warp_n / 8;
// Terms between two loads of fragments.
constexpr int turn = inner;
constexpr int turns = block_k / turn;  // of a slab
static_assert(block_m % warp_m == 0 && block_n % warp_n == 0 && block_k % turn == 0 && warp_m % 16 == 0, "");

#include "tensor_products.cuh"

extern __shared__ __align__(128) unsigned char shared_bytes[];

// Both operands of a block: slab after slab of them is copied to the stages.
struct Source {
  Panel left, right;  // of slab 0
  int k;              // terms
  bool whole;         // all rows of the left, all columns of the right panel exist

  __device__ __forceinline__ void copy(int slab, Real* stage) const {
    const int first = slab * block_k, terms = k - first;
    if (terms <= 0) return;
    const Panel lefts{left.first + first, left.pitch, left.rows, terms};
    const Panel rights{right.first + first * right.pitch, right.pitch, terms, right.columns};
    if (whole && terms >= block_k) {
      copy_tile<block_m, block_k, true, true>(stage, lefts);
      copy_tile<block_k, block_n, false, true>(stage + left_elements, rights);
    } else {
      copy_tile<block_m, block_k, true, false>(stage, lefts);
      copy_tile<block_k, block_n, false, false>(stage + left_elements, rights);
    }
  }
};

// Slabs one after another, fragments at their turn.
__device__ __forceinline__ void multiply_slabs(const Source& source, Real* shared, const LanePlace& lane,
                                               Sums& sums) {
  const int slabs = (source.k + block_k - 1) / block_k;
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) {
    source.copy(s, shared + s * stage_elements);
    commit_async();
  }
  int stage = 0, free_stage = stages - 1;
  for (int slab = 0; slab < slabs; ++slab) {
    wait_async<stages - 2>();
    // All have this slab, and have read the one whose place is overwritten next.
    __syncthreads();
    source.copy(slab + stages - 1, shared + free_stage * stage_elements);
    commit_async();
#pragma unroll
    for (int number = 0; number < turns; ++number) {
      Fragments fragments;
      load_fragments(fragments, shared + stage * stage_elements, lane, number);
      multiply(fragments, sums);
    }
    free_stage = stage;
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
}

// The same, but the fragments of a turn are read before those of the last one are multiplied: a slab is in
// registers when its last turn begins, and its place is free then.
__device__ __forceinline__ void multiply_slabs_ahead(const Source& source, Real* shared,
                                                     const LanePlace& lane, Sums& sums) {
  const int slabs = (source.k + block_k - 1) / block_k;
#pragma unroll
  for (int s = 0; s < stages; ++s) {
    source.copy(s, shared + s * stage_elements);
    commit_async();
  }
  wait_async<stages - 1>();
  __syncthreads();
  Fragments current, next;
  load_fragments(current, shared, lane, 0);
  int stage = 0;
  for (int slab = 0; slab < slabs; ++slab) {
    Real* const here = shared + stage * stage_elements;
    stage = stage + 1 == stages ? 0 : stage + 1;
#pragma unroll
    for (int number = 0; number < turns; ++number) {
      if (number + 1 < turns) {
        load_fragments(next, here, lane, number + 1);
      } else {
        wait_async<stages - 2>();
        // All have the next slab, and have read this one.
        __syncthreads();
        if (slab + 1 < slabs) load_fragments(next, shared + stage * stage_elements, lane, 0);
      }
      multiply(current, sums);
      if (number + 1 == turns) {
        source.copy(slab + stages, here);
        commit_async();
      }
      current = next;
    }
  }
}

// `chunk` neighbouring elements of a row of the result, of which `present` exist.
__device__ __forceinline__ void store_chunk(Real* to, Real (&values)[chunk], int present, Real alpha,
                                            Real beta) {
  if (present >= chunk) {
    if constexpr (accumulate) {
      Real old[chunk];
#pragma unroll
      for (int e = 0; e < chunk; e += vector) load_vector<vector, Load::ordinary>(old + e, to + e);
#pragma unroll
      for (int e = 0; e < chunk; ++e) values[e] = alpha * values[e] + beta * old[e];
    } else {
#pragma unroll
      for (int e = 0; e < chunk; ++e) values[e] *= alpha;
    }
#pragma unroll
    for (int e = 0; e < chunk; e += vector) store_vector<vector, Store::plain>(to + e, values + e);
    return;
  }
#pragma unroll
  for (int e = 0; e < chunk; ++e) {
    if (e >= present) continue;
    if constexpr (accumulate)
      to[e] = alpha * values[e] + beta * to[e];
    else
      to[e] = alpha * values[e];
  }
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm_tensor(const Real* __restrict__ left, const Real* __restrict__ right, Real* __restrict__ result,
                int m, int n, int k, long long left_pitch, long long right_pitch, long long result_pitch,
                Real alpha, Real beta) {
  // The tile: `group` rows of tiles are walked through column by column.
  const int tiles_m = (m + block_m - 1) / block_m, tiles_n = (n + block_n - 1) / block_n;
  const int block = static_cast<int>(blockIdx.x);
  const int first_tile = block / tiles_n / group * group, rows = min(group, tiles_m - first_tile);
  const int in_group = block - first_tile * tiles_n;
  const int row = (first_tile + in_group % rows) * block_m, column = in_group / rows * block_n;

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_row = warp % (block_m / warp_m) * warp_m, warp_column = warp / (block_m / warp_m) * warp_n;
  const LanePlace place = lane_place(lane, warp_row, warp_column);
  const Source source{{left + row * left_pitch, left_pitch, m - row, k},
                      {right + column, right_pitch, k, n - column},
                      k,
                      row + block_m <= m && column + block_n <= n};
  Sums sums = {};
  if constexpr (ahead)
    multiply_slabs_ahead(source, reinterpret_cast<Real*>(shared_bytes), place, sums);
  else
    multiply_slabs(source, reinterpret_cast<Real*>(shared_bytes), place, sums);

#pragma unroll
  for (int i = 0; i < fragments_m; ++i) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int y = row + warp_row + lane / 4 + 16 * i + 8 * h;
      if (y >= m) continue;
#pragma unroll
      for (int j = 0; j < fragments_n; j += chunk) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int x = column + warp_column + 8 * j + (2 * (lane % 4) + half) * chunk;
          Real values[chunk];
#pragma unroll
          for (int e = 0; e < chunk; ++e) values[e] = sums[i][j + e][2 * h + half];
          store_chunk(result + y * result_pitch + x, values, n - x, alpha, beta);
        }
      }
    }
  }
}
