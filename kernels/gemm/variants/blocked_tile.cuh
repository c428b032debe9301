// SPDX-License-Identifier: Apache-2.0
// What `register` and `async` compute alike. A block computes block_m x block_n elements of the result, a
// warp warp_m x warp_n of these, and a thread thread_m x thread_n, in pieces of 16 bytes that lie as far
// apart as the warp's lanes cover together: lanes then read neighbouring pieces of shared memory.
//
// Shared memory holds slabs of both operands, `slab` terms of all sums of the block: of the right one as
// [k][column], of the left one transposed, [k][row], or as it lies in memory, [row][k].
#pragma once

#include "vectors.cuh"

constexpr int piece = 16 / static_cast<int>(sizeof(Real));  // elements of an access to shared memory
constexpr int lanes_n = 32 / lanes_m;
constexpr int warp_m = thread_m * lanes_m, warp_n = thread_n * lanes_n;
constexpr int warps_n = block_n / warp_n;
constexpr int tile_threads = block_m / warp_m * warps_n * 32;  // that cover the block's tile once
constexpr int threads = tile_threads * slices;
constexpr int slice_terms = slab / slices;  // of each slab, that a slice of the threads multiplies
static_assert(block_m % warp_m == 0 && block_n % warp_n == 0, "warps cover the block's tile");
static_assert(thread_m % piece == 0 && thread_n % piece == 0, "threads compute whole pieces");
static_assert(slice_terms * slices == slab && slice_terms % piece == 0 && slice_terms % 2 == 0,
              "slices of slabs are whole pieces");
// The fragments of a slab's first terms are loaded while those of the last ones are in use.
static_assert(transposed || slice_terms % (2 * piece) == 0, "a slice has an even number of pieces");

// Rows in shared memory end with a piece that nobody reads: what is stored transposed, and pieces of
// neighbouring rows, then lie in different banks.
constexpr int left_pitch = transposed ? block_m + piece : slab + piece;
constexpr int left_size = transposed ? slab * left_pitch : block_m * left_pitch;
constexpr int right_size = slab * block_n;
constexpr int stage_size = left_size + right_size;  // elements of a stage of shared memory

// Offset of the stage that follows.
__device__ __forceinline__ int next_stage(int stage) {
  return stage == (stages - 1) * stage_size ? 0 : stage + stage_size;
}

// The thread's place in the block's tile: row and column of its first element, and where the slabs' elements
// that it reads first lie in a stage of shared memory.
struct Place {
  int row, column;
  int left, right;
};

__device__ __forceinline__ int slice_of_thread() {
  return slices == 1 ? 0 : static_cast<int>(threadIdx.x) / tile_threads;
}

__device__ __forceinline__ Place place_of_thread() {
  const int thread = static_cast<int>(threadIdx.x) - slice_of_thread() * tile_threads;
  const int lane = thread % 32, warp = thread / 32, term = slice_of_thread() * slice_terms;
  // In pairs: lanes that follow each other have two rows and neighbouring columns in turn, so that each
  // quarter of a warp asks for few different pieces of both operands.
  const int lane_row = lane_pairs ? (lane / (2 * lanes_n)) * 2 + lane % 2 : lane / lanes_n;
  const int lane_column = lane_pairs ? lane / 2 % lanes_n : lane % lanes_n;
  const int row = warp / warps_n * warp_m + lane_row * (transposed ? piece : 1);
  const int column = warp % warps_n * warp_n + lane_column * piece;
  return {row, column, transposed ? term * left_pitch + row : row * left_pitch + term,
          term * block_n + column};
}

// From the thread's first element to its row i, its column j.
__device__ __forceinline__ constexpr int row_offset(int i) {
  return transposed ? i / piece * (lanes_m * piece) + i % piece : i * lanes_m;
}
__device__ __forceinline__ constexpr int column_offset(int j) {
  return j / piece * (lanes_n * piece) + j % piece;
}

// What a thread multiplies next, twice: one is loaded while the other one is used. Rows that are not
// transposed bring the terms of a piece at once.
struct Fragments {
  static constexpr int terms = transposed ? 1 : piece;
  Real left[2][terms][thread_m];
  Real right[2][thread_n];

  // Term k of the thread's slice of a slab.
  __device__ __forceinline__ void load(const Real* stage, const Place& place, int k) {
    const Real* const rights = stage + left_size + k * block_n + place.right;
#pragma unroll
    for (int j = 0; j < thread_n; j += piece)
      load_vector<piece, Load::shared>(right[k % 2] + j, rights + column_offset(j));
    if constexpr (transposed) {
      const Real* const lefts = stage + k * left_pitch + place.left;
#pragma unroll
      for (int i = 0; i < thread_m; i += piece)
        load_vector<piece, Load::shared>(left[k % 2][0] + i, lefts + row_offset(i));
    } else if (k % piece == 0) {
#pragma unroll
      for (int i = 0; i < thread_m; ++i) {
        Real row[piece];
        load_vector<piece, Load::shared>(row, stage + place.left + row_offset(i) * left_pitch + k);
#pragma unroll
        for (int e = 0; e < piece; ++e) left[k / piece % 2][e][i] = row[e];
      }
    }
  }

  // Adds the products of term k. To and fro: an operand that was just used is used again.
  __device__ __forceinline__ void multiply(int k, Real (&sums)[thread_m][thread_n]) const {
    const Real(&lefts)[thread_m] = left[k / terms % 2][k % terms];
    const Real(&rights)[thread_n] = right[k % 2];
#pragma unroll
    for (int i = 0; i < thread_m; ++i) {
#pragma unroll
      for (int turn = 0; turn < thread_n; ++turn) {
        const int j = i % 2 == 0 ? turn : thread_n - 1 - turn;
        sums[i][j] += lefts[i] * rights[j];
      }
    }
  }
};

// The block's tile: in groups of `group` rows of tiles, column after column, so that blocks that run at the
// same time share rows and columns of the operands in L2.
struct TilePlace {
  int row, column;
};

__device__ __forceinline__ TilePlace place_of_block(int m, int n) {
  const int tiles_m = (m + block_m - 1) / block_m, tiles_n = (n + block_n - 1) / block_n;
  const int index = static_cast<int>(blockIdx.x);
  // At most so many tiles: the plan has seen to it that they are fewer than 2^31.
  const int in_group = min(group, tiles_m) * tiles_n;
  const int first = index / in_group * min(group, tiles_m), within = index % in_group;
  const int height = min(group, tiles_m - first);
  return {(first + within % height) * block_m, within / height * block_n};
}

// The slabs of this block's part of the sums: all of them, or those of its part of a split.
struct SlabRange {
  int first, last;
};

__device__ __forceinline__ SlabRange slabs_of_block(int k) {
  const int slabs = (k + slab - 1) / slab;
  if constexpr (split == 1) return {0, slabs};
  const int part = static_cast<int>(blockIdx.y);
  return {static_cast<int>(static_cast<long long>(slabs) * part / split),
          static_cast<int>(static_cast<long long>(slabs) * (part + 1) / split)};
}
