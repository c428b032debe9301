// SPDX-License-Identifier: Apache-2.0
// y = A x and z = A' y, each by a kernel of its own: a block has a strip of rows and a tile of columns. Rows
// that are wider than a tile, and strips, leave a sum for each tile or strip, which are added up by a second
// kernel, or by atomics.

#include "words.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of the elements: float or double
#endif
#ifndef OP
#define OP Op::ata  // what is computed: n, t or ata
#endif
#ifndef BLOCK_X
#define BLOCK_X 256  // threads of a block along a row
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
constexpr Op op = OP;
constexpr Reduction reduction = REDUCTION;

#include "march.cuh"
#include "sums.cuh"

// What a block has: number `slice` of the tiles of columns, number `group` of the strips.
struct Task {
  int slice, group;
};
__device__ __forceinline__ Task task_of(int columns) {
  const int slices = (columns + tile - 1) / tile, block = static_cast<int>(blockIdx.x);
  return {block % slices, block / slices};
}

// Grid: a block for each tile of each strip. `sums`: a row of sums_pitch for each tile, or y itself (a single
// tile, or atomics).
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    matvec_n(const Real* __restrict__ a, const Real* __restrict__ x, Real* sums, int rows, int columns,
             long long pitch, int strip_rows, long long sums_pitch) {
  if constexpr (op != Op::t) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const Task task = task_of(columns);
    const Strip strip = strip_at(a, pitch, rows, columns, task.group, task.slice, strip_rows);
    Real none[cells] = {};
    march<Product::n, reduction == Reduction::atomic>(
        strip, x + static_cast<long long>(task.slice) * tile + threadIdx.x * lanes,
        sums + task.slice * sums_pitch + static_cast<long long>(task.group) * strip_rows, none,
        reinterpret_cast<Real*>(shared_bytes));
  }
}

// The same; `sums`: a row of sums_pitch for each strip, or z itself (a single strip, or atomics).
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    matvec_t(const Real* __restrict__ a, Real* y, Real* sums, int rows, int columns, long long pitch,
             int strip_rows, long long sums_pitch) {
  if constexpr (op != Op::n) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    Real* const shared = reinterpret_cast<Real*>(shared_bytes);
    const Task task = task_of(columns);
    const Strip strip = strip_at(a, pitch, rows, columns, task.group, task.slice, strip_rows);
    Real own[cells] = {};
    march<Product::t, false>(strip, nullptr, y + static_cast<long long>(task.group) * strip_rows, own,
                             shared);
    const long long first = static_cast<long long>(task.slice) * tile;
    store_sums<reduction == Reduction::atomic, busy_after<Product::t>>(
        sums + task.group * sums_pitch + first, own,
        static_cast<int>(columns - first < tile ? columns - first : tile), shared);
  }
}

#include "sums_kernels.cuh"
