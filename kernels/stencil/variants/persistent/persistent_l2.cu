// SPDX-License-Identifier: Apache-2.0
// All time steps in one cooperative launch: blocks stride over the tiles of direct.cu and meet between two
// steps. The arrays alternate, and stay in the L2 cache where they fit it.

#include "boundary.cuh"
#include "grid_barrier.cuh"
#include "indices.cuh"
#include "vectors.cuh"

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
#ifndef BLOCK_Z
#define BLOCK_Z 1  // threads of a block along z
#endif
#ifndef VECTOR
#define VECTOR 4  // neighbouring cells along x that a thread computes, loads and stores as one vector
#endif
#ifndef CELLS_Y
#define CELLS_Y 1  // neighbouring rows that a thread computes
#endif
#ifndef CELLS_Z
#define CELLS_Z 4  // neighbouring planes that a thread computes
#endif
#ifndef UNROLL_ROWS
#define UNROLL_ROWS 1  // no star: 1: unrolled, weights immediate; 0: rolled, weights from constant memory
#endif
#ifndef PADDED
#define PADDED 1  // 1: ghost cells and rounded extents, loads unguarded; 0: dense array, indices clamped
#endif
#ifndef SHUFFLE
#define SHUFFLE 0  // 1: x neighbours come from the neighbouring lanes of the warp; 0: from the cache
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

using Real = REAL;
constexpr Boundary boundary = BOUNDARY;
constexpr int block_x = BLOCK_X, block_y = BLOCK_Y, block_z = BLOCK_Z;
constexpr int lanes = VECTOR, cells_y = CELLS_Y, cells_z = CELLS_Z;
constexpr bool unroll_rows = UNROLL_ROWS != 0;
constexpr bool unroll_planes = true;
constexpr bool padded = PADDED != 0;
constexpr bool shuffle = SHUFFLE != 0;
// Other blocks wrote what is read: the read-only cache may hold what was there before.
constexpr Load load_path = Load::ordinary;
// What is written is to stay in the cache.
constexpr Store store_path = Store::plain;

#include "direct_tile.cuh"

// Cooperative, with any grid along x. Step s of `steps` reads what step s - 1 has written, `in` before the
// first one; the last one writes `out`, the one before it `other`, and so on by turns. `counter` is the
// barrier's.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    stencil_persistent(const Real* in, Real* out, Real* other, unsigned* counter, int steps, int nx, int ny,
                       int nz, long long pitch, long long plane) {
  const unsigned tiles = tiles_of(nx, tile_x) * tiles_of(ny, tile_y) * tiles_of(nz, tile_z);
  const Real* source = in;
  for (int left = steps; left > 0; --left) {
    Real* const target = left % 2 != 0 ? out : other;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
      compute_tile(source, target, tile, nx, ny, nz, pitch, plane);
    if (left > 1) grid_barrier(counter);
    source = target;
  }
}
