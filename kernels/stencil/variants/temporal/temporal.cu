// SPDX-License-Identifier: Apache-2.0
// Several time steps of a stencil in one sweep: overlapped tiles, streamed along z (the idea of 2.5-D
// temporal blocking: Nguyen et al., SC 2010; tiles of one large block a multiprocessor: Zhang et al., ICS
// 2023).
//
// A warp owns whole rows of its tile: a lane holds CELLS_X neighbouring cells of CELLS_Y rows, x neighbours
// come by shuffles. Warps of a block lie behind each other along y and exchange their outermost rows through
// shared memory, with one barrier a plane for all steps together. Where the stencil has no points along y
// (2-D arrays) every warp is a tile of its own and there is no barrier at all.
//
// Each of the STEPS levels keeps, in registers, the sums of the 2 reach_z outputs that still miss planes; a
// plane completes one output of level 1, which is at once a plane for level 2, and so on. What lies within
// STEPS * reach of a tile's edge is spoilt by what the tile does not know: neighbouring tiles overlap by
// twice that and store their middle only. At the array's own edges nothing is spoilt: tiles begin there.

#include "boundary.cuh"
#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a cell: float or double
#endif
#ifndef BOUNDARY
#define BOUNDARY Boundary::held  // held or zero
#endif
#ifndef STEPS
#define STEPS 4  // time steps of a launch
#endif
#ifndef REST
#define REST 0  // time steps of the launch stencil_rest; 0: there is none
#endif
#ifndef CELLS_X
#define CELLS_X 2  // neighbouring cells along x of a lane
#endif
#ifndef CELLS_Y
#define CELLS_Y 4  // neighbouring rows of a lane; 1 where the stencil has no points along y
#endif
#ifndef THREADS
#define THREADS 512  // threads of a block
#endif
#ifndef CHUNK
#define CHUNK 128  // planes of z that a block completes
#endif
#ifndef VECTOR
#define VECTOR 2  // cells of one access to global memory; divides CELLS_X
#endif
#ifndef UNROLL
#define UNROLL 1  // planes a turn of the loop over z
#endif
#ifndef AHEAD
#define AHEAD 1  // planes that are loaded before they are needed
#endif
#ifndef STORE
#define STORE Store::plain  // path of the stores
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

#include "stencil_points.cuh"  // generated: reach_x, reach_y, reach_z, weight(dx, dy, dz)

using Real = REAL;
constexpr Boundary boundary = BOUNDARY;
constexpr int cells_x = CELLS_X, cells_y = CELLS_Y, warps = THREADS / 32, chunk = CHUNK, lanes = VECTOR,
              ahead = AHEAD;
constexpr int turn = UNROLL;
constexpr Store store_path = STORE;

static_assert(cells_x % lanes == 0, "VECTOR divides CELLS_X");
static_assert(reach_y == 0 ? cells_y == 1 : reach_y <= cells_y,
              "CELLS_Y is 1 without, at least reach_y with y");
static_assert(ahead >= 1, "AHEAD is at least 1");
static_assert(THREADS % 32 == 0 && THREADS <= 1024, "THREADS is a multiple of 32, at most 1024");

#include "temporal_levels.cuh"

// `in` and `out` point to cell (0, 0, 0), aligned to one access; pitch and plane are the distances of
// neighbouring rows and planes [cells]. Blocks of 32 x THREADS / 32 threads; grid: all tiles of all chunks
// along x.
extern "C" __global__ void __launch_bounds__(32 * warps, MIN_BLOCKS)
    stencil_steps(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, int nz,
                  long long pitch, long long plane) {
  sweep<STEPS>(in, out, nx, ny, nz, pitch, plane);
}

#if REST > 0
extern "C" __global__ void __launch_bounds__(32 * warps, MIN_BLOCKS)
    stencil_rest(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, int nz, long long pitch,
                 long long plane) {
  sweep<REST>(in, out, nx, ny, nz, pitch, plane);
}
#endif
