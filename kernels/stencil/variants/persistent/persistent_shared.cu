// SPDX-License-Identifier: Apache-2.0
// All time steps in one cooperative launch: every block keeps one tile of the array in its shared memory.
// After a step it writes the cells that its neighbours need, those within the stencil's reach of its tile's
// faces, to global memory, meets the others, and reads its halo from there. What neighbours read lies at the
// cells' own places of an array; two of these alternate, so that one meeting a step is enough.
//
// A tile is computed in slabs of z, and its new cells are written `shift` planes away from the old ones, over
// those that no later slab needs: down in one step, up in the next, whose slabs come in the other order.
//
//      planes of shared memory, along z ->
//      |<- shift ->|<------ the old tile and its halo in step s ------>|    slab 0 comes first
//      |<------ the new tile, and the halo after step s ------>|            the last slab comes first in s +
//      1

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
constexpr bool shuffle = false;

#include "direct_sums.cuh"

constexpr bool zero = boundary == Boundary::zero;
constexpr int threads = block_x * block_y * block_z;
constexpr int slab = block_z * cells_z;  // planes between two barriers of the block
// Whether all that a thread reads of other planes than its own lies in its own columns.
constexpr bool own_columns = star && block_z == 1;
// How far the tile moves in a step [planes]: what a slab writes, neither its own threads nor a later slab
// read.
constexpr int shift = !own_columns ? slab + reach_z : slab > reach_z ? slab : reach_z;
static_assert(threads <= 1024, "at most 1024 threads a block");

#include "persistent_tile.cuh"

// The cells around a thread's first one, in shared memory: those beyond the array are zeros there.
struct Input {
  const Real* base;
  int pitch, plane;

  template<bool careful>
  __device__ __forceinline__ void load(Real* to, int dx, int dy, int dz) const {
    load_vector<lanes, Load::shared>(to, base + (dz * plane + dy * pitch + dx));
  }
};

// Whether a step writes to global memory only what neighbours read, or all of its cells.
enum class Write { faces, all };

// Sums of the brick whose first cell is x, y, z of the tile; into the tile's other place, and `global`.
template<Write write>
__device__ __forceinline__ void compute_brick(const Tile& tile, const Real* from, Real* to, Real* global,
                                              int x, int y, int z) {
  const int at = tile.at(x, y, z);
  Sums sums = {};
  sum<AllPoints, false>(sums, Input{from + at, tile.pitch, tile.plane});
#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      if (!tile.computes_all(x, y + j, z + c)) {
        Real own[lanes];
        load_vector<lanes, Load::shared>(own, from + at + (c * tile.plane + j * tile.pitch));
#pragma unroll
        for (int i = 0; i < lanes; ++i) {
          if (!tile.computes(x + i, y + j, z + c)) sums[c][j][i] = own[i];
        }
      }
      if constexpr (write == Write::faces)
        store_vector<lanes, Store::plain>(to + at + (c * tile.plane + j * tile.pitch), sums[c][j]);
      if (tile.exists(x, y + j, z + c) && (write == Write::all || tile.is_face(x, y + j, z + c)))
        store_vector<lanes, Store::plain>(global + tile.global(x, y + j, z + c), sums[c][j]);
    }
  }
}

// Slab k + m overwrites old planes that slab k reads; in own columns, only when (m + 1) * slab is more than
// shift.
constexpr int slabs_together = own_columns ? shift / slab : 1;

// A step of the tile, from its place in shared memory to its other one. Slabs in descending order where it
// moves up.
template<Write write>
__device__ __forceinline__ void compute_step(const Tile& tile, const Real* from, Real* to, Real* global,
                                             bool up) {
  const int slabs = (tile.extent[2] + slab - 1) / slab;
  for (int k = 0; k < slabs; ++k) {
    if (write == Write::faces && k > 0 && k % slabs_together == 0) __syncthreads();
    const int z = (up ? slabs - 1 - k : k) * slab + static_cast<int>(threadIdx.z) * cells_z;
    if (z >= tile.extent[2]) continue;
    for (int y = static_cast<int>(threadIdx.y) * cells_y; y < tile.extent[1]; y += block_y * cells_y)
      for (int x = static_cast<int>(threadIdx.x) * lanes; x < tile.extent[0]; x += block_x * lanes)
        compute_brick<write>(tile, from, to, global, x, y, z);
  }
}

// Cooperative, a block for each of tiles_x * tiles_y * tiles_z tiles; no axis has more tiles than vectors, or
// cells_y or cells_z cells. `in`, `out` and `other` point to cell (0, 0, 0), aligned to 16 bytes; pitch and
// plane are the distances of neighbouring rows and planes [cells]. `counter` is the barrier's. Dynamic shared
// memory: Tile::shared_cells() cells.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    stencil_persistent(const Real* in, Real* out, Real* other, unsigned* counter, int steps, int nx, int ny,
                       int nz, long long pitch, long long plane, int tiles_x, int tiles_y, int tiles_z) {
  extern __shared__ __align__(16) char shared[];
  Real* const cells = reinterpret_cast<Real*>(shared);
  const Tile tile({nx, ny, nz}, {tiles_x, tiles_y, tiles_z}, pitch, plane);
  bool up = false;  // where a step goes; the tile lies at the other end
  load_all(tile, in, cells + shift * tile.plane);
  for (int left = steps;; --left) {
    __syncthreads();
    Real* const from = cells + (up ? 0 : shift * tile.plane);
    if (left == 1) {
      compute_step<Write::all>(tile, from, nullptr, out, up);
      break;
    }
    Real* const to = cells + (up ? shift * tile.plane : 0);
    Real* const faces = left % 2 != 0 ? out : other;
    compute_step<Write::faces>(tile, from, to, faces, up);
    grid_barrier(counter);
    load_halo(tile, faces, to);
    up = !up;
  }
}
