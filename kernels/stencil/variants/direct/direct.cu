// SPDX-License-Identifier: Apache-2.0
// Any stencil, one time step: each thread computes VECTOR x CELLS_Y x CELLS_Z cells straight from global
// memory, the caches hold what neighbouring threads share. out = sum of weight * in over the stencil's
// points; what lies around the cells that have all their neighbours is BOUNDARY. 2-D arrays have ny = 1.
//
// A thread walks through its planes of z; every input vector that it loads is added at once to each of its
// outputs that needs it, so that it is loaded once by a thread and only the outputs stay in registers.
// The grid is one-dimensional: tiles of x first, then y, then z (extents may exceed the 65535 blocks of y,
// z).

#include "boundary.cuh"
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
#ifndef UNROLL_PLANES
#define UNROLL_PLANES 1  // with UNROLL_ROWS: 1: planes unrolled too; 0: a loop over planes
#endif
#ifndef PADDED
#define PADDED 1  // 1: ghost cells and rounded extents, loads unguarded; 0: dense array, indices clamped
#endif
#ifndef SHUFFLE
#define SHUFFLE 0  // 1: x neighbours come from the neighbouring lanes of the warp; 0: from the cache
#endif
#ifndef READONLY
#define READONLY 1  // 1: loads take the non-coherent path (ld.global.nc); 0: the ordinary one
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores
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
constexpr bool unroll_planes = UNROLL_PLANES != 0;
constexpr bool padded = PADDED != 0;
constexpr bool shuffle = SHUFFLE != 0;
constexpr Load load_path = READONLY != 0 ? Load::readonly : Load::ordinary;
constexpr Store store_path = STORE;

#include "direct_tile.cuh"

// Grid: a block for each tile, ceil(nx / tile_x) * ceil(ny / tile_y) * ceil(nz / tile_z) along x.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    stencil_step(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, int nz, long long pitch,
                 long long plane) {
  compute_tile(in, out, blockIdx.x, nx, ny, nz, pitch, plane);
}
