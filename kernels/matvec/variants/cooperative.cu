// SPDX-License-Identifier: Apache-2.0
// y = A x and z = A' y one after the other in a single cooperative launch: between the products all blocks
// meet at a barrier of the grid. A block has the same part of A in both, which the second one finds in the L2
// cache where A fits.

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

#include "march.cuh"
#include "sums.cuh"

// Grid: a block for each tile of each strip. `y_sums`: a row of y_pitch for each tile, or y itself (a single
// tile); `z_sums`: a row of z_pitch for each strip, or z itself (a single strip).
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    matvec_cooperative(const Real* __restrict__ a, const Real* __restrict__ x, Real* y, Real* y_sums, Real* z,
                       Real* z_sums, unsigned* counter, int rows, int columns, long long pitch,
                       int strip_rows, long long y_pitch, long long z_pitch) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Real* const shared = reinterpret_cast<Real*>(shared_bytes);
  const int slices = (columns + tile - 1) / tile, block = static_cast<int>(blockIdx.x);
  const int blocks = static_cast<int>(gridDim.x), slice = block % slices, group = block / slices;
  const long long first_row = static_cast<long long>(group) * strip_rows;
  const long long first = static_cast<long long>(slice) * tile;
  const Strip strip = strip_at(a, pitch, rows, columns, group, slice, strip_rows);
  Real own[cells] = {};
  march<Product::n, false>(strip, x + first + threadIdx.x * lanes, y_sums + slice * y_pitch + first_row, own,
                           shared);
  grid_barrier(counter);
  if (slices > 1) {
    reduce<threads / 32>(y_sums, y, slices, y_pitch, rows, thread_number(), block, blocks);
    grid_barrier(counter);
  }
  march<Product::t, false>(strip, nullptr, y + first_row, own, shared);
  store_sums<false, busy_after<Product::t>>(z_sums + group * z_pitch + first, own,
                                            static_cast<int>(columns - first < tile ? columns - first : tile),
                                            shared);
  if (rows > strip_rows) {
    grid_barrier(counter);
    reduce<threads / 32>(z_sums, z, (rows + strip_rows - 1) / strip_rows, z_pitch, columns, thread_number(),
                         block, blocks);
  }
}
