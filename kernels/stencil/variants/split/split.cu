// SPDX-License-Identifier: Apache-2.0
// Any stencil, one time step in several launches: each adds the terms of a part of the points to what the
// launches before it left in `out`. A part's terms are unrolled, with the weights as immediates, and few
// enough for the instruction cache, where those of all points would not be; the price is that every part
// reads the input, and all but the first read `out`, once more.
//
// A thread computes VECTOR x CELLS_Y x CELLS_Z cells as those of direct.cu do. What lies around the cells
// that have all their neighbours is BOUNDARY; cells that keep their values get them from the last part. The
// grid is one-dimensional: tiles of x first, then y, then z.

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
#ifndef PADDED
#define PADDED 1  // 1: ghost cells and rounded extents, loads unguarded; 0: dense array, indices clamped
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
constexpr int min_blocks = MIN_BLOCKS;
constexpr bool padded = PADDED != 0;
constexpr Load load_path = READONLY != 0 ? Load::readonly : Load::ordinary;
constexpr Store store_path = STORE;
constexpr bool unroll_rows = true, unroll_planes = true;
constexpr bool shuffle = false;

#include "direct_tile.cuh"
#include "stencil_parts.cuh"  // generated: parts, part_of(), ranges_of

// The points of one part.
template<int part>
struct PartPoints {
  static constexpr int first_y = ranges_of[part][0], last_y = ranges_of[part][1];
  static constexpr int first_z = ranges_of[part][2], last_z = ranges_of[part][3];
  __device__ static constexpr bool has(int dx, int dy, int dz) {
    return has_point(dx, dy, dz) && part_of(dx, dy, dz) == part;
  }
};

template<int part>
__device__ __forceinline__ void add_part(const Real* in, Real* out, int nx, int ny, int nz, long long pitch,
                                         long long plane) {
  constexpr Turn turn = part == 0 ? Turn::first : part + 1 == parts ? Turn::last : Turn::middle;
  compute_tile<PartPoints<part>, turn>(in, out, blockIdx.x, nx, ny, nz, pitch, plane);
}

#include "stencil_part_kernels.cuh"  // generated: stencil_part_0, stencil_part_1, ...: add_part<0>, ...
