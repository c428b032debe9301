// SPDX-License-Identifier: Apache-2.0
// A product whose threads compute tiles in registers: result (m x n) = alpha * left (m x k) * right (k x n) +
// beta * result, all in row-major order. While a block multiplies one slab in shared memory, the next one is
// on its way to registers, from where it goes to the other half of the shared memory, the left operand
// transposed; one barrier a slab. blocked_tile.cuh says who computes what.
//
// Grid: a block for each tile along x, a part of the sums along y (SPLIT). Extents may be anything.

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of an element: float or double
#endif
#ifndef ACCUMULATE
#define ACCUMULATE 0  // 1: beta is not 0, the result's old contents are read
#endif
#ifndef BLOCK_M
#define BLOCK_M 128  // rows of the result that a block computes
#endif
#ifndef BLOCK_N
#define BLOCK_N 128  // columns of the result that a block computes
#endif
#ifndef SLAB
#define SLAB 8  // terms of the sums between two barriers
#endif
#ifndef STAGES
#define STAGES 2  // slabs in shared memory: 2 or 3
#endif
#ifndef THREAD_M
#define THREAD_M 8  // rows of the result that a thread computes
#endif
#ifndef THREAD_N
#define THREAD_N 8  // columns of the result that a thread computes
#endif
#ifndef SLICES
#define SLICES 1  // groups of threads that share a slab, each with its terms of all of the block's sums
#endif
#ifndef LANES_M
#define LANES_M 4  // lanes of a warp along m; the others lie along n
#endif
#ifndef LANE_PAIRS
#define LANE_PAIRS 1  // 1: lanes follow each other in pairs of two rows; 0: row after row
#endif
#ifndef VECTOR
#define VECTOR 4  // neighbouring elements of an access to global memory
#endif
#ifndef GROUP
#define GROUP 8  // rows of tiles that consecutive blocks compute together
#endif
#ifndef SPLIT
#define SPLIT 1  // parts of a sum, each computed by another block
#endif
#ifndef ATOMIC
#define ATOMIC 0  // of a split: 1: parts are added by atomic operations; 0: by a second kernel, in order
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

using Real = REAL;
constexpr bool accumulate = ACCUMULATE != 0;
constexpr int block_m = BLOCK_M, block_n = BLOCK_N, slab = SLAB, stages = STAGES;
// With three stages the barrier need not wait for the last reads of a slab: the products that follow it cover
// the time until the next slab's first elements are there.
constexpr bool early_barrier = stages > 2;
constexpr bool reads_after_barrier = true;  // the last slab's is followed by reads of shared memory
constexpr int thread_m = THREAD_M, thread_n = THREAD_N, slices = SLICES, lanes_m = LANES_M;
constexpr bool lane_pairs = LANE_PAIRS != 0;
constexpr int vector = VECTOR, group = GROUP, split = SPLIT;
constexpr bool atomic = ATOMIC != 0;
constexpr bool transposed = true;

#include "blocked_operands.cuh"
#include "blocked_result.cuh"
#include "blocked_tile.cuh"

extern __shared__ __align__(16) unsigned char shared_bytes[];

using Left = LeftItems<vector>;
using Right = RightItems<vector>;

// Loads by the read-only path may be put off beyond a barrier.
constexpr Load load_path = early_barrier ? Load::ordinary : Load::readonly;

// A thread's part of a slab on its way.
struct Parts {
  Real left[Left::count][vector];
  Real right[Right::count][vector];

  // `terms`: of the slab that begins here; whole: at least those of a slab.
  template<bool whole>
  __device__ __forceinline__ void load(const Operands<vector, vector>& from, int terms) {
#pragma unroll
    for (int i = 0; i < Left::count; ++i) {
      if (!Left::exists(i)) continue;
      if (whole || Left::term(i) < terms)
        load_vector<vector, load_path>(left[i], from.left + from.left_offset[i]);
#pragma unroll
      for (int e = 0; e < vector; ++e)
        if (!whole && Left::term(i) + e >= terms) left[i][e] = 0;
    }
#pragma unroll
    for (int i = 0; i < Right::count; ++i) {
      if (!Right::exists(i)) continue;
      if (whole || Right::term(i) < terms) {
        load_vector<vector, load_path>(right[i], from.right + from.right_offset[i]);
      } else {
#pragma unroll
        for (int e = 0; e < vector; ++e) right[i][e] = 0;
      }
    }
  }

  __device__ __forceinline__ void store(Real* stage) const {
#pragma unroll
    for (int i = 0; i < Left::count; ++i) {
      if (!Left::exists(i)) continue;
#pragma unroll
      for (int e = 0; e < vector; ++e) stage[(Left::term(i) + e) * left_pitch + Left::row(i)] = left[i][e];
    }
#pragma unroll
    for (int i = 0; i < Right::count; ++i)
      if (Right::exists(i))
        store_vector<vector, Store::plain>(stage + left_size + Right::term(i) * block_n + Right::column(i),
                                           right[i]);
  }
};

// What both orders of the slabs work on.
struct Block {
  const Real* left;
  const Real* right;
  int m, n, k;
  long long left_row, right_row;
  TilePlace tile;
  SlabRange slabs;
};

// Slab after slab with two stages: the next one is loaded before a slab is multiplied, and stored when all of
// its elements have been read. Returns the stage that was read last.
__device__ __forceinline__ int sum_in_order(const Block& block, Real* shared, const Place& place,
                                            Real (&sums)[thread_m][thread_n]) {
  const SlabRange& slabs = block.slabs;
  Operands<vector, vector> operands(block.left, block.right, block.tile, slabs.first, block.m, block.n,
                                    block.left_row, block.right_row);
  Parts parts;
  Fragments fragments;
  // Terms from the slab that is loaded next to the end.
  int terms = block.k - slabs.first * slab;
  parts.load<false>(operands, terms);
  parts.store(shared);
  __syncthreads();
  fragments.load(shared, place, 0);
  int stage = 0;
  for (int s = slabs.first; s < slabs.last; ++s) {
    if (s + 1 < slabs.last) {
      operands.advance(1);
      terms -= slab;
      if (terms >= slab)
        parts.load<true>(operands, terms);
      else
        parts.load<false>(operands, terms);
    }
#pragma unroll
    for (int term = 0; term < slice_terms; ++term) {
      if (term == slice_terms - 1) {
        // After the last slab this stores it once more, for nothing.
        stage = stage_size - stage;
        parts.store(shared + stage);
        __syncthreads();
        fragments.load(shared + stage, place, 0);
      } else {
        fragments.load(shared + stage, place, term + 1);
      }
      fragments.multiply(term, sums);
    }
  }
  return stage;
}

// The same with three stages, the last slab first: it alone may be short, and the loop has neither branches
// nor guards. The barrier comes before the last reads of a slab.
__device__ __forceinline__ int sum_last_first(const Block& block, Real* shared, const Place& place,
                                              Real (&sums)[thread_m][thread_n]) {
  const int first = block.slabs.first, last = block.slabs.last, count = last - first;
  Operands<vector, vector> operands(block.left, block.right, block.tile, last - 1, block.m, block.n,
                                    block.left_row, block.right_row);
  Parts parts;
  Fragments fragments;
  parts.load<false>(operands, block.k - (last - 1) * slab);
  operands.advance(1 - count);
  if (count == 1) operands.stay();
  parts.store(shared);
  parts.load<true>(operands, slab);
  __syncthreads();
  fragments.load(shared, place, 0);
  int stage = 0;
  for (int s = 0; s < count; ++s) {
    const int next = next_stage(stage);
#pragma unroll
    for (int term = 0; term < slice_terms; ++term) {
      if (term == slice_terms - 2) {
        // The loads stay before the barrier, so that a whole slab's products cover their time. After the
        // last slab they bring it once more, for nothing.
        parts.store(shared + next);
        operands.advance(s + 2 < count ? 1 : 0);
        parts.load<true>(operands, slab);
        __syncthreads();
      }
      if (term < slice_terms - 1)
        fragments.load(shared + stage, place, term + 1);
      else
        fragments.load(shared + next, place, 0);
      fragments.multiply(term, sums);
    }
    stage = next;
  }
  return stage;
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm(const Real* __restrict__ left, const Real* __restrict__ right, Real* __restrict__ result, int m,
         int n, int k, long long left_row, long long right_row, long long result_row, Real alpha, Real beta) {
  Real* const shared = reinterpret_cast<Real*>(shared_bytes);
  const Block block{left, right, m, n, k, left_row, right_row, place_of_block(m, n), slabs_of_block(k)};
  const Place place = place_of_thread();
  Real sums[thread_m][thread_n] = {};
  if (split == 1 || block.slabs.first < block.slabs.last) {
    int stage;
    if constexpr (early_barrier)
      stage = sum_last_first(block, shared, place, sums);
    else
      stage = sum_in_order(block, shared, place, sums);
    if constexpr (slices > 1) add_slices(shared + stage, sums);
  }
  store_tile({result, m, n, result_row, alpha, beta}, block.tile, place, sums);
}
