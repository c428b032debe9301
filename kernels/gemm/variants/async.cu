// SPDX-License-Identifier: Apache-2.0
// A product whose threads compute tiles in registers, like register.cu, but slabs go to shared memory by
// asynchronous copies (cp.async), which need no registers on the way: STAGES slabs lie there, one of which is
// multiplied while the others arrive; one barrier a slab. blocked_tile.cuh says who computes what.
//
// The left operand is either transposed on the way, in copies of one element, or lies as it does in memory
// (TRANSPOSED=0) and is read four terms at a time.
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
#define STAGES 3  // slabs in shared memory
#endif
#ifndef EARLY
#define EARLY \
  1  // of three stages and more: 1: the barrier comes before the last reads of a slab; 0: after them
#endif
#ifndef TRANSPOSED
#define TRANSPOSED 1  // 1: the left operand is transposed in shared memory; 0: it lies there as in memory
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
constexpr bool transposed = TRANSPOSED != 0, early_barrier = EARLY != 0 && stages > 2;
constexpr bool reads_after_barrier = early_barrier;  // the last slab's is followed by reads of shared memory
constexpr int thread_m = THREAD_M, thread_n = THREAD_N, slices = SLICES, lanes_m = LANES_M;
constexpr bool lane_pairs = LANE_PAIRS != 0;
constexpr int vector = VECTOR, group = GROUP, split = SPLIT;
constexpr bool atomic = ATOMIC != 0;

#include "async_copy.cuh"
#include "blocked_operands.cuh"
#include "blocked_result.cuh"
#include "blocked_tile.cuh"

extern __shared__ __align__(16) unsigned char shared_bytes[];

constexpr int left_vector = transposed ? 1 : vector;
using Left = LeftItems<left_vector>;
using Right = RightItems<vector>;

enum class Slab { whole, last, whole_or_none };

// Starts the copies of a slab: `terms` from its first one to the end are copied, the others become zeros. Of
// whole slabs nothing is asked; of one that may not be there, only once: a branch would keep the compiler
// from mixing what lies before and after it.
template<Slab kind>
__device__ __forceinline__ void copy_slab(Real* stage, const Operands<left_vector, vector>& from, int terms) {
  constexpr int size = static_cast<int>(sizeof(Real));
#pragma unroll
  for (int i = 0; i < Left::count; ++i) {
    if (!Left::exists(i)) continue;
    const int row = Left::row(i), term = Left::term(i);
    Real* const to = stage + (transposed ? term * left_pitch + row : row * left_pitch + term);
    const Real* const source = from.left + from.left_offset[i];
    if constexpr (kind == Slab::whole)
      copy_async<left_vector * size>(to, source);
    else if constexpr (kind == Slab::whole_or_none)
      copy_async_part<left_vector * size>(to, source, terms > 0 ? left_vector * size : 0);
    else
      copy_async_part<left_vector * size>(to, source, max(0, min(terms - term, left_vector)) * size);
  }
#pragma unroll
  for (int i = 0; i < Right::count; ++i) {
    if (!Right::exists(i)) continue;
    Real* const to = stage + left_size + Right::term(i) * block_n + Right::column(i);
    const Real* const source = from.right + from.right_offset[i];
    if constexpr (kind == Slab::whole)
      copy_async<vector * size>(to, source);
    else if constexpr (kind == Slab::whole_or_none)
      copy_async_part<vector * size>(to, source, terms > 0 ? vector * size : 0);
    else
      copy_async_part<vector * size>(to, source, Right::term(i) < terms ? vector * size : 0);
  }
}

// What both orders of the slabs work on.
struct Block {
  const Real* left;
  const Real* right;
  int m, n, k;
  long long left_row, right_row;
  TilePlace tile;
  SlabRange slabs;

  __device__ __forceinline__ Operands<left_vector, vector> operands(int slab_number) const {
    return {left, right, tile, slab_number, m, n, left_row, right_row};
  }
};

// The slabs that are on their way, in order.
struct Copies {
  Operands<left_vector, vector> operands;
  int terms;  // from the next slab's first one to the end
  int left;   // slabs that are not yet on their way

  // Starts the next slab, or an empty group of copies after the last one.
  __device__ __forceinline__ void start(Real* stage) {
    if (left > 0) {
      if (terms >= slab)
        copy_slab<Slab::whole>(stage, operands, terms);
      else
        copy_slab<Slab::last>(stage, operands, terms);
      operands.advance(1);
      terms -= slab;
      --left;
    }
    commit_async();
  }
};

// Slab after slab: the barrier comes when all elements of a slab have been read. Returns the stage that was
// read last.
__device__ __forceinline__ int sum_in_order(const Block& block, Real* shared, const Place& place,
                                            Real (&sums)[thread_m][thread_n]) {
  const SlabRange& slabs = block.slabs;
  Copies copies{block.operands(slabs.first), block.k - slabs.first * slab, slabs.last - slabs.first};
#pragma unroll
  for (int stage = 0; stage < stages - 1; ++stage) copies.start(shared + stage * stage_size);
  wait_async<stages - 2>();
  __syncthreads();
  Fragments fragments;
  fragments.load(shared, place, 0);
  // Offsets of the slab that is multiplied, and of the place of the one that was before.
  int stage = 0, free_stage = (stages - 1) * stage_size;
  for (int s = slabs.first; s < slabs.last; ++s) {
    copies.start(shared + free_stage);
    free_stage = stage;
#pragma unroll
    for (int term = 0; term < slice_terms; ++term) {
      if (term < slice_terms - 1) {
        fragments.load(shared + stage, place, term + 1);
      } else {
        stage = next_stage(stage);
        wait_async<stages - 2>();
        __syncthreads();
        if (s + 1 < slabs.last) fragments.load(shared + stage, place, 0);
      }
      fragments.multiply(term, sums);
    }
  }
  return free_stage;
}

// The last slab first: it alone may be short, and the loop has neither branches nor guards. The barrier comes
// before the last reads of a slab.
__device__ __forceinline__ int sum_last_first(const Block& block, Real* shared, const Place& place,
                                              Real (&sums)[thread_m][thread_n]) {
  const int last = block.slabs.last, count = last - block.slabs.first;
  Operands<left_vector, vector> operands = block.operands(last - 1);
  copy_slab<Slab::last>(shared, operands, block.k - (last - 1) * slab);
  commit_async();
  operands.advance(1 - count);
#pragma unroll
  for (int s = 1; s < stages - 1; ++s) {
    if (s < count) copy_slab<Slab::whole>(shared + s * stage_size, operands, slab);
    operands.advance(1);
    commit_async();
  }
  wait_async<stages - 2>();
  __syncthreads();
  Fragments fragments;
  fragments.load(shared, place, 0);
  int stage = 0, free_stage = (stages - 1) * stage_size;
  for (int s = 0; s < count; ++s) {
    // After the last slab nothing comes: its own first fragments are loaded once more.
    const int next = s + 1 < count ? next_stage(stage) : stage;
#pragma unroll
    for (int term = 0; term < slice_terms; ++term) {
      if (term == slice_terms - 2) {
        // The next slab is there, and nobody reads the one before this any more.
        wait_async<early_barrier ? stages - 3 : 0>();
        __syncthreads();
        // Where slices are added in the end, no zeros shall be on their way to their place.
        const int terms = s + stages - 1 < count ? slab : 0;
        if (slices == 1 || terms > 0) copy_slab<Slab::whole_or_none>(shared + free_stage, operands, terms);
        operands.advance(1);
        commit_async();
      }
      if (term < slice_terms - 1)
        fragments.load(shared + stage, place, term + 1);
      else
        fragments.load(shared + next, place, 0);
      fragments.multiply(term, sums);
    }
    free_stage = stage;
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
