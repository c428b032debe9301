// SPDX-License-Identifier: Apache-2.0
// Any stencil, one time step, 2.5-D: a block owns a tile of x and y and marches through CHUNK planes of z.
// The x and y neighbours of the plane at which it stands come from shared memory (or L1), what concerns the z
// neighbours lies in registers (Micikevicius, GPGPU-2, 2009).
// out = sum of weight * in over the stencil's points; what lies around the cells that have all their
// neighbours is BOUNDARY. 2-D arrays have ny = 1: a block marches through their rows.
// The grid is one-dimensional: tiles of x first, then y, then chunks of z.

#include "boundary.cuh"
#include "indices.cuh"
#include "vectors.cuh"

// What the registers hold. inputs: the 2 reach_z + 1 input planes around the current one. partial_sums: the
// 2 reach_z + 1 outputs to which the current plane contributes; it is added into all of them and forgotten.
enum class Queue { inputs, partial_sums };
// How x and y neighbours come to a thread. plain: to shared memory through registers, a plane ahead. async:
// to shared memory by cp.async. cache: as loads that hit L1, without shared memory and barriers. tma: whole
// planes to shared memory by the copy engine (sm_90 and later), for Queue::partial_sums.
enum class Loader { plain, async, cache, tma };

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a cell: float or double
#endif
#ifndef BOUNDARY
#define BOUNDARY Boundary::held  // held or zero
#endif
#ifndef BLOCK_X
#define BLOCK_X 32  // threads of a block along x
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8  // threads of a block along y
#endif
#ifndef VECTOR
#define VECTOR 4  // neighbouring cells along x that a thread computes, loads and stores as one vector
#endif
#ifndef CELLS_Y
#define CELLS_Y 2  // neighbouring rows that a thread computes
#endif
#ifndef CHUNK
#define CHUNK 64  // planes of z that a block computes
#endif
#ifndef QUEUE
#define QUEUE Queue::partial_sums  // what the registers hold; no star: partial_sums
#endif
#ifndef LOADER
#define LOADER Loader::async  // how the x and y neighbours come to the threads
#endif
#ifndef STAGES
#define STAGES 3  // planes in shared memory; plain: 1 (2 barriers a plane) or 2 (1 barrier); async, tma: 2..5
#endif
#ifndef UNROLL
#define UNROLL 1  // planes a turn of the loop over z; the queue moves once a turn, at 2 reach_z + 1 never
#endif
#ifndef UNROLL_ROWS
#define UNROLL_ROWS 1  // no star: 1: unrolled, weights immediate; 0: rolled, weights from constant memory
#endif
#ifndef PADDED
#define PADDED 1  // 1: ghost cells and rounded extents, loads unguarded; 0: dense array, indices clamped
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

#include "stencil_points.cuh"  // generated: reach_x, reach_y, reach_z, star, weight(), has_point()

using Real = REAL;
constexpr Boundary boundary = BOUNDARY;
constexpr int block_x = BLOCK_X, block_y = BLOCK_Y;
constexpr int lanes = VECTOR, cells_y = CELLS_Y, chunk = CHUNK, stages = STAGES;
constexpr Queue queue = QUEUE;
constexpr Loader loader = LOADER;
constexpr Store store_path = STORE;
constexpr int turn = UNROLL;
constexpr bool unroll_rows = UNROLL_ROWS != 0;
constexpr bool padded = PADDED != 0;

constexpr bool zero = boundary == Boundary::zero;
constexpr bool async = loader == Loader::async;
constexpr bool cache = loader == Loader::cache;
constexpr bool tma = loader == Loader::tma;
constexpr bool partial = queue == Queue::partial_sums;
constexpr int threads = block_x * block_y;
constexpr int width = 2 * reach_z + 1;

static_assert(lanes == 1 || lanes == 2 || lanes == 4, "VECTOR is 1, 2 or 4");
static_assert(threads <= 1024, "at most 1024 threads a block");
static_assert(star || partial, "what is no star needs Queue::partial_sums");
static_assert(partial || !tma, "Loader::tma needs Queue::partial_sums");
static_assert(cache || (async || tma ? stages >= 2 : stages >= 1 && stages <= 2),
              "STAGES does not fit LOADER");
static_assert(turn >= 1 && turn <= width, "UNROLL is 1..2 reach_z + 1");

#include "streaming_inputs.cuh"
#include "streaming_partial_sums.cuh"

// Planes first .. last - 1.
template<Guard guard, bool steady, class March>
__device__ __forceinline__ void march(March& block, int first, int last) {
  // A loop with barriers is not unrolled by the compiler unless its length is known, so the turn is written
  // out.
  for (int p = first; p < last; p += turn) {
#pragma unroll
    for (int u = 0; u < turn; ++u) {
      if (p + u >= last) break;
      block.template step<guard, steady>(p + u);
    }
  }
}

// Nothing is asked of the planes but of the first and last ones.
template<Guard guard>
__device__ __forceinline__ void march_steadily(PartialSums& block) {
  const int begin = block.begin_steady(), end = block.end_steady(), last = block.last();
  if constexpr (!star) return march<guard, false>(block, block.first(), last);
  int p = block.first();
#pragma unroll 1
  for (int part = 0; part < 2; ++part) {
    const int until = part == 0 && begin < end ? begin : last;
#pragma unroll 1
    for (; p < until; ++p) block.step<guard, false>(p);
    if (part != 0 || begin >= end) break;
    block.begin_stores(p - reach_z);
    march<guard, true>(block, p, end);
    p = end;
  }
}

// `in` and `out` point to cell (0, 0, 0), aligned to 16 bytes; pitch and plane are the distances of
// neighbouring rows and planes [cells]. Grid: ceil(nx / tile_x) * ceil(ny / tile_y) * ceil(nz / chunk) blocks
// along x; dynamic shared memory: stages * shared_plane cells, and with Loader::tma as many barriers.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    stencil_step(const __grid_constant__ Source in, Real* __restrict__ out, int nx, int ny, int nz,
                 long long pitch, long long plane) {
  const Tile tile(array_of(in), out, nx, ny, nz, pitch, plane);
  if constexpr (partial) {
    PartialSums block(tile, map_of(in));
    if (tile.regular) {
      march_steadily<Guard::threads>(block);
    } else {
      march_steadily<Guard::cells>(block);
    }
    if constexpr (zero) block.drain();
  } else {
    Inputs block(tile);
    march<Guard::threads, false>(block, tile.begin, tile.end);
  }
}
