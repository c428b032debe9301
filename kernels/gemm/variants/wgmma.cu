// SPDX-License-Identifier: Apache-2.0
// The product by warpgroups on tensor cores: result (m x n) = alpha * left (m x k) * right (k x n) + beta *
// result, all floats in row-major order. What is computed is the transposed result, right^T left^T: of the
// operands of a warpgroup's product the one in shared memory has to have its terms next to each other, as the
// left matrix has them; the right one comes from registers, in any order.
//
// A block computes BLOCK_M x BLOCK_N elements, each of its warpgroups BLOCK_M x 64 of them, by instructions
// of INSTRUCTION rows (of the result), group after group of them. STAGES slabs of SLAB terms of both operands
// are in shared memory or on their way there, by asynchronous copies (wgmma_tiles.cuh).
//
// PRECISION: tf32: floats rounded to 11 bits, or cut. tf32x3: floats as sums of two numbers of 11 bits, three
// products. Tensor cores cut what they add: with tf32x3 the sums of a turn begin at zero, and ordinary
// additions add what comes out.
// Grid: a block for each tile, along x, in groups of GROUP rows of tiles. Extents may be anything: what lies
// beyond them counts as 0. For compute capability 9.0 alone (sm_90a).

#include "async_copy.cuh"
#include "tensor_core.cuh"
#include "vectors.cuh"
#include "warpgroup_product.cuh"

enum class Precision { tf32x3, tf32 };

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of an element: float
#endif
#ifndef ACCUMULATE
#define ACCUMULATE 0  // 1: beta is not 0, the result's old contents are read
#endif
#ifndef PRECISION
#define PRECISION Precision::tf32x3  // tf32x3 or tf32
#endif
#ifndef BLOCK_M
#define BLOCK_M 256  // rows of the result that a block computes
#endif
#ifndef BLOCK_N
#define BLOCK_N 128  // columns of the result that a block computes: 64 for each warpgroup
#endif
#ifndef SLAB
#define SLAB 16  // terms of the sums between two barriers: 16 or 32
#endif
#ifndef INSTRUCTION
#define INSTRUCTION 64  // rows of the result that an instruction computes: 64, 96, 128 or 256
#endif
#ifndef TURN
#define TURN 16  // terms that tensor cores add by themselves with tf32x3: 16 or 32, SLAB or half of it
#endif
#ifndef PARTIAL_SUMS
#define PARTIAL_SUMS 2  // tf32x3: sums of turns: with 2 one is being computed while the other one is added
#endif
#ifndef STAGES
#define STAGES 4  // slabs in shared memory: at least 3
#endif
#ifndef ROUNDED
#define ROUNDED 1  // tf32: whether operands are rounded; else they are cut
#endif
#ifndef VECTOR
#define VECTOR 4  // elements of one copy: 1, 2 or 4
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
constexpr bool split = precision == Precision::tf32x3, rounded = !split && ROUNDED != 0;
constexpr int block_m = BLOCK_M, block_n = BLOCK_N, block_k = SLAB, instruction = INSTRUCTION;
constexpr int stages = STAGES, vector = VECTOR, group = GROUP;
constexpr int threads = 2 * block_n;
constexpr int parts = block_m / instruction;
constexpr int turn = TURN, steps = turn / 8;  // terms of a turn; instructions along these
constexpr int turns = block_k / turn;         // of a slab
constexpr int partial_sums = PARTIAL_SUMS;
// Whether the products of a part are being computed while those before are added to the sums.
constexpr bool overlap = !split || partial_sums == 2;
// Left tiles of small parts: some warpgroup may still read that before the last one.
constexpr int small_tiles = split ? 3 : 0;
static_assert(block_m % instruction == 0 && block_n % 64 == 0 && (turns == 1 || turns == 2) && stages >= 3,
              "");

#include "wgmma_tiles.cuh"

extern __shared__ __align__(1024) unsigned char shared_bytes[];

// Sums of a lane: element 4 j + 2 h + i of part p is that of row p * instruction + 8 j + 2 t + i, column
// 2 g + h of the warp's 16.
struct Sums {
  float whole[parts][instruction / 2];
  float turn[split ? partial_sums : 1][instruction / 2];
};

// The matrices of a block in shared memory: stages of the left operand, small parts, stages of the right one.
struct Tiles {
  float* first;
  __device__ __forceinline__ float* left(int stage) const { return first + stage * left_elements; }
  __device__ __forceinline__ float* small(int tile) const { return left(stages + tile); }
  __device__ __forceinline__ float* right(int stage) const {
    return left(stages + small_tiles) + stage * right_elements;
  }
};

// Both operands of a block: slab after slab of them is copied to the stages.
struct Source {
  Panel left, right;  // of slab 0
  int k;              // terms
  bool whole;         // all rows of the left, all columns of the right panel exist

  __device__ __forceinline__ void copy(int slab, const Tiles& tiles, int stage) const {
    const int first = slab * block_k, terms = k - first;
    const Panel lefts{left.first + first, left.pitch, left.rows, terms};
    const Panel rights{right.first + first * right.pitch, right.pitch, terms, right.columns};
    if (whole && terms >= block_k) {
      copy_tile<block_m, block_k, true, true>(tiles.left(stage), lefts);
      copy_tile<block_k, block_n, false, true>(tiles.right(stage), rights);
    } else {
      copy_tile<block_m, block_k, true, false>(tiles.left(stage), lefts);
      copy_tile<block_k, block_n, false, false>(tiles.right(stage), rights);
    }
  }
};

// Where a block is in its slabs.
struct Progress {
  int slab, slabs;        // counted
  int stage, free_stage;  // of this slab; whose slab has been used
  int small;              // tile of small parts of this slab
};

// Descriptors of what a turn multiplies.
struct Lefts {
  unsigned long long whole, small;
  __device__ __forceinline__ Lefts at(const Progress& progress, int number) const {
    constexpr unsigned tile = left_elements * 4 / 16, along = turn * 4 / 16;
    return {whole + progress.stage * tile + number * along, small + progress.small * tile + number * along};
  }
};

// Starts the products of a part of the tile for one turn, the first or the second of two, and closes their
// group.
template<bool second, int part>
__device__ __forceinline__ void start_part(Sums& sums, const Fragments& right, const Lefts& left) {
  constexpr int first = part * instruction * row_bytes / 16;
  fence_registers();
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    if constexpr (split) {
      auto& to = sums.turn[(second * parts + part) % partial_sums];
      start_product<instruction>(to, right.low[s], left.whole + first + 2 * s, s > 0);
      start_product<instruction>(to, right.high[s], left.small + first + 2 * s, true);
      start_product<instruction>(to, right.high[s], left.whole + first + 2 * s, true);
    } else {
      start_product<instruction>(sums.whole[part], right.high[s], left.whole + first + 2 * s, true);
    }
  }
  commit_products();
}

// Adds the sums of a turn to those of `part`, after they were waited for.
template<bool second, int part>
__device__ __forceinline__ void add_part(Sums& sums) {
  if constexpr (split) {
    auto& from = sums.turn[(second * parts + part) % partial_sums];
    pin(from);
#pragma unroll
    for (int i = 0; i < instruction / 2; ++i) sums.whole[part][i] += from[i];
    pin(from);
  }
}

// What is done while products are being computed. In the first turn of a slab, this thread's part of the next
// slab is prepared for products.
__device__ __forceinline__ void prepare_slab(const Tiles& tiles, const Progress& at) {
  wait_async<stages - 3>();
  const int stage = at.stage + 1 == stages ? 0 : at.stage + 1;
  if constexpr (split || rounded)
    prepare_left(tiles.left(stage), tiles.small(at.small + 1 == 3 ? 0 : at.small + 1));
}

// In every turn, the fragments of the next one are read; in the last turn of a slab they are those of the
// next slab, for which all threads meet.
template<bool last_turn>
__device__ __forceinline__ void read_next(const Source& source, const Tiles& tiles, const Progress& at,
                                          Fragments& next, int place, int number) {
  if constexpr (last_turn) {
    fence_shared_writes();
    // All have this thread's part of the next slab, and have read the slab before this one.
    __syncthreads();
    if (at.slab + stages - 1 < at.slabs) source.copy(at.slab + stages - 1, tiles, at.free_stage);
    commit_async();
    load_fragments(next, tiles.right(at.stage + 1 == stages ? 0 : at.stage + 1), place, 0);
  } else {
    load_fragments(next, tiles.right(at.stage), place, (number + 1) * turn);
  }
}

__device__ __forceinline__ void advance(Progress& at) {
  at.free_stage = at.stage;
  at.stage = at.stage + 1 == stages ? 0 : at.stage + 1;
  at.small = at.small + 1 == 3 ? 0 : at.small + 1;
  ++at.slab;
}

// From `part` to the end of a turn, the first or second of two, whose first part has been started. Starts the
// next one, but for that of the next two. Whether other turns and slabs follow:
template<bool second, int part, bool more_turns, bool more_slabs>
__device__ __forceinline__ void run_parts(const Source& source, const Tiles& tiles, Progress& at,
                                          const Fragments& current, Fragments& next, int place,
                                          const Lefts& lefts, Sums& sums) {
  constexpr bool last_part = part + 1 == parts, last_turn = second || turns == 1;
  constexpr int number = second ? turns - 1 : 0;  // of the turn in its slab
  if constexpr (overlap && !last_part) start_part<second, part + 1>(sums, current, lefts.at(at, number));
  if constexpr (part == 0 && number == 0 && more_slabs) prepare_slab(tiles, at);
  if constexpr (part == (parts > 2 ? parts - 2 : 0) && more_turns)
    read_next<last_turn>(source, tiles, at, next, place, number);
  if constexpr (!overlap) wait_products<0>();
  if constexpr (last_part && last_turn) advance(at);
  if constexpr (overlap && last_part && !second)
    start_part<true, 0>(sums, next, lefts.at(at, last_turn ? 0 : number + 1));
  if constexpr (overlap) wait_products<last_part && second ? 0 : 1>();
  add_part<second, part>(sums);
  if constexpr (!overlap && !last_part) start_part<second, part + 1>(sums, current, lefts.at(at, number));
  if constexpr (!overlap && last_part && !second)
    start_part<true, 0>(sums, next, lefts.at(at, last_turn ? 0 : number + 1));
  if constexpr (!last_part)
    run_parts<second, part + 1, more_turns, more_slabs>(source, tiles, at, current, next, place, lefts, sums);
}

// Two turns, of one slab or of two of them. more: others follow. (Across the end of a loop the compiler does
// not see which products have been waited for, and would wait after each one.)
template<bool more>
__device__ __forceinline__ void run_turns(const Source& source, const Tiles& tiles, Progress& at,
                                          Fragments& first, Fragments& second, int place, const Lefts& lefts,
                                          Sums& sums) {
  start_part<false, 0>(sums, first, lefts.at(at, 0));
  run_parts<false, 0, true, turns == 1 || more>(source, tiles, at, first, second, place, lefts, sums);
  run_parts<true, 0, more, more>(source, tiles, at, second, first, place, lefts, sums);
}

__device__ __forceinline__ void multiply_slabs(const Source& source, const Tiles& tiles, int place,
                                               Sums& sums) {
  Progress at{0, (source.k + block_k - 1) / block_k, 0, stages - 1, 0};
  if (turns == 1) at.slabs += at.slabs % 2;  // they come in pairs, the last one may be all zeros
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) {
    if (s < at.slabs) source.copy(s, tiles, s);
    commit_async();
  }
  wait_async<stages - 2>();
  if constexpr (split || rounded) prepare_left(tiles.left(0), tiles.small(0));
  fence_shared_writes();
  __syncthreads();
  Fragments first, second;
  load_fragments(first, tiles.right(0), place, 0);
  const Lefts lefts{matrix_descriptor<row_bytes>(tiles.left(0)),
                    matrix_descriptor<row_bytes>(tiles.small(0))};
  while (at.slab + 2 / turns < at.slabs)
    run_turns<true>(source, tiles, at, first, second, place, lefts, sums);
  run_turns<false>(source, tiles, at, first, second, place, lefts, sums);
#pragma unroll
  for (int p = 0; p < parts; ++p) pin(sums.whole[p]);
}

// Two neighbouring elements of a row of the result, of which `present` exist.
__device__ __forceinline__ void store_pair(float* to, float (&values)[2], int present, float alpha,
                                           float beta) {
  constexpr int lanes = vector > 2 ? 2 : vector;
  if (present >= 2) {
    float old[2] = {};
    if constexpr (accumulate)
#pragma unroll
      for (int e = 0; e < 2; e += lanes) load_vector<lanes, Load::ordinary>(old + e, to + e);
#pragma unroll
    for (int e = 0; e < 2; ++e)
      values[e] = accumulate ? alpha * values[e] + beta * old[e] : alpha * values[e];
#pragma unroll
    for (int e = 0; e < 2; e += lanes) store_vector<lanes, Store::plain>(to + e, values + e);
  } else if (present == 1) {
    *to = accumulate ? alpha * values[0] + beta * *to : alpha * values[0];
  }
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm_wgmma(const Real* __restrict__ left, const Real* __restrict__ right, Real* __restrict__ result,
               int m, int n, int k, long long left_pitch, long long right_pitch, long long result_pitch,
               Real alpha, Real beta) {
  // The tile: `group` rows of tiles are walked through column by column.
  const int tiles_m = (m + block_m - 1) / block_m, tiles_n = (n + block_n - 1) / block_n;
  const int block = static_cast<int>(blockIdx.x);
  const int first_tile = block / tiles_n / group * group, rows = min(group, tiles_m - first_tile);
  const int in_group = block - first_tile * tiles_n;
  const int row = (first_tile + in_group % rows) * block_m, column = in_group / rows * block_n;

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int g = lane / 4, t = lane % 4;
  const Source source{{left + row * left_pitch, left_pitch, m - row, k},
                      {right + column, right_pitch, k, n - column},
                      k,
                      row + block_m <= m && column + block_n <= n};
  Sums sums = {};
  multiply_slabs(source, {reinterpret_cast<float*>(shared_bytes)}, right_offset(t, warp * 16 + 2 * g), sums);

  const int x = column + warp * 16 + 2 * g;
#pragma unroll
  for (int p = 0; p < parts; ++p) {
#pragma unroll
    for (int j = 0; j < instruction / 8; ++j) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int y = row + p * instruction + 8 * j + 2 * t + i;
        if (y >= m) continue;
        float values[2] = {sums.whole[p][4 * j + i], sums.whole[p][4 * j + 2 + i]};
        store_pair(result + y * result_pitch + x, values, n - x, alpha, beta);
      }
    }
  }
}
