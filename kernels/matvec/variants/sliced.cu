// SPDX-License-Identifier: Apache-2.0
// y = A x and z = A' y with one reading of A where rows are wider than a block's tile: a block has a strip of
// rows and a tile of columns, and exchanges the products of its rows with the blocks beside it. A cooperative
// launch: all blocks are there at once.

#include "grid_barrier.cuh"
#include "words.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of the elements: float or double
#endif
#ifndef BLOCK_X
#define BLOCK_X 512  // threads of a block along a row
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 1  // threads of a block along the rows
#endif
#ifndef VECTOR
#define VECTOR 4  // neighbouring columns that a thread loads together
#endif
#ifndef UNROLL_X
#define UNROLL_X 1  // vectors of a row that a thread has
#endif
#ifndef UNROLL_Y
#define UNROLL_Y 1  // rows that a thread has at a time
#endif
#ifndef KEPT
#define KEPT Kept::shared  // where they are: shared
#endif
#ifndef STAGES
#define STAGES 4  // batches of rows that are there or on their way
#endif
#ifndef LAG
#define LAG 1  // batches between that whose products are sent and that whose products are asked for
#endif
#ifndef PLACE
#define PLACE Place::registers  // where x is: registers or shared
#endif
#ifndef PATH
#define PATH Path::readonly  // path of loads into registers: readonly or streaming
#endif
#ifndef REDUCTION
#define REDUCTION Reduction::kernel  // how the blocks' sums are added up: kernel, barrier or atomic
#endif
#ifndef REDUCE_PARTS
#define REDUCE_PARTS 8  // warps of a block that adds up blocks' sums
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

using Real = REAL;
constexpr int block_x = BLOCK_X, block_y = BLOCK_Y;
constexpr int lanes = VECTOR, pieces = UNROLL_X, rows_each = UNROLL_Y, stages = STAGES, lag = LAG;
constexpr Kept kept = KEPT;
constexpr Place x_place = PLACE;
constexpr Path load_path = PATH;
constexpr Reduction reduction = REDUCTION;

#include "sliced.cuh"
#include "sums.cuh"

// Grid: a block for each tile of each strip. `words`, `state`: exchange.cuh. `sums`: a row of sums_pitch for
// each strip, which become z later on (kernel, barrier), or z itself (atomic, or a single strip). `counter`
// is that of the grid's barrier.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    matvec_sliced(const Real* __restrict__ a, const Real* __restrict__ x, Real* y, Real* sums, Real* z,
                  Message* words, unsigned* state, unsigned* counter, int rows, int columns, long long pitch,
                  int strip_rows, long long sums_pitch) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Real* const shared = reinterpret_cast<Real*>(shared_bytes);
  const int slices = (columns + tile - 1) / tile, block = static_cast<int>(blockIdx.x);
  const int slice = block % slices, group = block / slices;
  const long long first = static_cast<long long>(slice) * tile;
  const Strip strip = strip_at(a, pitch, rows, columns, group, slice, strip_rows);
  const long long words_of_strip = static_cast<long long>(Exchange::slots) * batch * parts_of_real * slices;
  const Exchange exchange{words + group * words_of_strip, first_tag(state) + 1, slices, slice};
  Real own[cells] = {};
  march_sliced(strip, exchange, x + first + threadIdx.x * lanes,
               y + static_cast<long long>(group) * strip_rows, own, shared);
  end_of_exchange(state, static_cast<unsigned>((strip_rows + batch - 1) / batch));
  const int there = static_cast<int>(columns - first < tile ? columns - first : tile);
  if constexpr (reduction == Reduction::atomic) {
    store_sums<true, true>(sums + first, own, there, shared);
  } else {
    store_sums<false, true>(sums + group * sums_pitch + first, own, there, shared);
  }
  if constexpr (reduction == Reduction::barrier) {
    grid_barrier(counter);
    reduce<threads / 32>(sums, z, (rows + strip_rows - 1) / strip_rows, sums_pitch, columns, thread_number(),
                         block, static_cast<int>(gridDim.x));
  }
}

#include "sums_kernels.cuh"
