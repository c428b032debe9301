// SPDX-License-Identifier: Apache-2.0
// y = A x and z = A' y with one reading of A: a block has a strip of rows and all columns; a batch of its
// rows is in registers or shared memory while it is multiplied with x and then, times the products, added to
// the block's sums, which become z. A tile has to be as wide as a row.

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
#define KEPT Kept::shared  // where they are: registers or shared
#endif
#ifndef STAGES
#define STAGES 3  // batches of rows that are there or on their way; registers: 1 or 2
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
constexpr int lanes = VECTOR, pieces = UNROLL_X, rows_each = UNROLL_Y, stages = STAGES;
constexpr Kept kept = KEPT;
constexpr Place x_place = PLACE;
constexpr Path load_path = PATH;
constexpr Reduction reduction = REDUCTION;

#include "march.cuh"
#include "sums.cuh"

// Grid: a block for each strip. `sums`: a row of sums_pitch for each block, which become z later on (kernel,
// barrier), or z itself (atomic, or a single block). `counter` is that of the grid's barrier.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    matvec_fused(const Real* __restrict__ a, const Real* __restrict__ x, Real* y, Real* sums, Real* z,
                 unsigned* counter, int rows, int columns, long long pitch, int strip_rows,
                 long long sums_pitch) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Real* const shared = reinterpret_cast<Real*>(shared_bytes);
  const int block = static_cast<int>(blockIdx.x);
  const Strip strip = strip_at(a, pitch, rows, columns, block, 0, strip_rows);
  Real own[cells] = {};
  march<Product::both, false>(strip, x + threadIdx.x * lanes, y + static_cast<long long>(block) * strip_rows,
                              own, shared);
  if constexpr (reduction == Reduction::atomic) {
    store_sums<true, busy_after<Product::both>>(sums, own, columns, shared);
  } else {
    store_sums<false, busy_after<Product::both>>(sums + block * sums_pitch, own, columns, shared);
  }
  if constexpr (reduction == Reduction::barrier) {
    grid_barrier(counter);
    reduce<threads / 32>(sums, z, static_cast<int>(gridDim.x), sums_pitch, columns, thread_number(), block,
                         static_cast<int>(gridDim.x));
  }
}

#include "sums_kernels.cuh"
