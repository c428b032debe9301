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

#include "stencil_points.cuh"  // generated: reach_x, reach_y, reach_z, star, weight(), has_point()

using Real = REAL;
constexpr Boundary boundary = BOUNDARY;
constexpr int block_x = BLOCK_X, block_y = BLOCK_Y, block_z = BLOCK_Z;
constexpr int lanes = VECTOR, cells_y = CELLS_Y, cells_z = CELLS_Z;
constexpr bool unroll_rows = UNROLL_ROWS != 0;
constexpr bool padded = PADDED != 0;
constexpr bool shuffle = SHUFFLE != 0;
constexpr Load load_path = READONLY != 0 ? Load::readonly : Load::ordinary;
constexpr Store store_path = STORE;

constexpr bool zero = boundary == Boundary::zero;
constexpr int threads = block_x * block_y * block_z;
constexpr int halo_vectors = (reach_x + lanes - 1) / lanes;  // vectors that hold the x neighbours of one side
constexpr int lead = halo_vectors * lanes;  // cells of a segment in front of the thread's own
constexpr int segment = lanes + 2 * lead;

static_assert(lanes == 1 || lanes == 2 || lanes == 4, "VECTOR is 1, 2 or 4");
static_assert(threads <= 1024, "at most 1024 threads a block");
static_assert(!shuffle || (reach_x >= 1 && reach_x <= lanes && (block_x % 32 == 0 || 32 % block_x == 0)),
              "SHUFFLE needs the x neighbours in the next lane and rows that divide, or are made of, warps");

// ---- input ----

// The thread's view of the input. Offsets count from its first cell.
struct Input {
  const Real* base;  // padded: the thread's first cell; dense: cell (0, 0, 0)
  int pitch;         // fewer than 2^31 cells: a row's address is one multiply-add then, six instructions else
  long long plane;
  int x, y, z;  // the thread's first cell
  int nx, ny, nz;

  template<bool careful>
  __device__ __forceinline__ const Real* at(int dx, int dy, int dz) const {
    if constexpr (!padded && zero && !careful) {
      return base + ((z + dz) * plane + static_cast<long long>(y + dy) * pitch + clamped(x + dx, nx - lanes));
    } else if constexpr (!padded) {
      // Clamping keeps the address inside the array; what it fetches is used by boundary cells alone, and
      // these drop it, or cleared (zero).
      return base + (clamped(z + dz, nz - 1) * plane +
                     static_cast<long long>(clamped(y + dy, ny - 1)) * pitch + clamped(x + dx, nx - lanes));
    } else {
      return base + (dz * plane + static_cast<long long>(dy) * pitch + dx);
    }
  }

  // Zero: cells beyond the array are loaded like all others, from ghost cells or clamped addresses, and then
  // cleared. Not careful: rows and planes exist and no vector lies across their end; what is left to ask is
  // whether a vector beside the thread's own, or the thread itself, lies outside.
  template<bool careful>
  __device__ __forceinline__ void load(Real* to, int dx, int dy, int dz) const {
    load_vector<lanes, load_path>(to, at<careful>(dx, dy, dz));
    if constexpr (zero) {
      bool exists = true;
      if (careful || dx != 0 || shuffle) exists = below(x + dx, nx);
      if constexpr (careful) exists = exists && below(y + dy, ny) && below(z + dz, nz);
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        if (!exists || (careful && padded && i > 0 && x + dx + i >= nx)) to[i] = 0;
      }
    }
  }
};

// The thread's cells of one row with their x neighbours: to[lead + i] is cell i. `own` is already there.
template<bool careful>
__device__ __forceinline__ void load_sides(Real (&to)[segment], const Input& in, int dy, int dz) {
  if constexpr (shuffle) {
    constexpr int row_lanes = block_x < 32 ? block_x : 32;
    const int lane = static_cast<int>(threadIdx.x) % row_lanes;
#pragma unroll
    for (int i = 1; i <= reach_x; ++i) {
      to[lead - i] = __shfl_up_sync(0xffffffffu, to[lead + lanes - i], 1, row_lanes);
      to[lead + lanes - 1 + i] = __shfl_down_sync(0xffffffffu, to[lead + i - 1], 1, row_lanes);
    }
    if (lane == 0) in.load<careful>(to + lead - lanes, -lanes, dy, dz);
    if (lane == row_lanes - 1) in.load<careful>(to + lead + lanes, lanes, dy, dz);
  } else {
#pragma unroll
    for (int v = 0; v < halo_vectors; ++v) {
      in.load<careful>(to + v * lanes, v * lanes - lead, dy, dz);
      in.load<careful>(to + lead + (v + 1) * lanes, (v + 1) * lanes, dy, dz);
    }
  }
}

// ---- sums ----

using Sums = Real[cells_z][cells_y][lanes];

// Adds `from` to the outputs of plane `c` that lie above and below row `row`.
__device__ __forceinline__ void add_along_y(Sums& sums, const Real (&from)[lanes], int row, int c) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
    const int dy = row - j;
    if (dy == 0 || dy < -reach_y || dy > reach_y || !has_point(0, dy, 0)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) sums[c][j][i] += weight(0, dy, 0) * from[i];
  }
}

__device__ __forceinline__ void add_along_x(Real (&sum)[lanes], const Real (&from)[segment]) {
#pragma unroll
  for (int dx = -reach_x; dx <= reach_x; ++dx) {
    if (!has_point(dx, 0, 0)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) sum[i] += weight(dx, 0, 0) * from[lead + i + dx];
  }
}

__device__ __forceinline__ void add_along_z(Sums& sums, const Real (&from)[lanes], int j, int p) {
#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
    const int dz = p - c;
    if (dz == 0 || dz < -reach_z || dz > reach_z || !has_point(0, 0, dz)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) sums[c][j][i] += weight(0, 0, dz) * from[i];
  }
}

template<bool careful>
__device__ __forceinline__ void sum_star(Sums& sums, const Input& in) {
#pragma unroll
  for (int p = -reach_z; p < cells_z + reach_z; ++p) {
    const bool own_plane = p >= 0 && p < cells_z;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      Real row[segment];
      in.load<careful>(row + lead, 0, j, p);
      Real own[lanes];
#pragma unroll
      for (int i = 0; i < lanes; ++i) own[i] = row[lead + i];
      add_along_z(sums, own, j, p);
      if (own_plane) {
        load_sides<careful>(row, in, j, p);
        add_along_x(sums[p][j], row);
        add_along_y(sums, own, j, p);
      }
    }
    if (!own_plane) continue;
#pragma unroll
    for (int k = 0; k < 2 * reach_y; ++k) {
      const int row = k < reach_y ? k - reach_y : k - reach_y + cells_y;
      Real other[lanes];
      in.load<careful>(other, 0, row, p);
      add_along_y(sums, other, row, p);
    }
  }
}

// Adds one row of plane p to every output of the thread within reach.
__device__ __forceinline__ void add_row(Sums& sums, const Real (&from)[segment], int row, int p) {
#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      const int dy = row - j, dz = p - c;
      if (dy < -reach_y || dy > reach_y || dz < -reach_z || dz > reach_z) continue;
#pragma unroll
      for (int dx = -reach_x; dx <= reach_x; ++dx) {
        if (unroll_rows && !has_point(dx, dy, dz)) continue;
        const Real factor = weight(dx, dy, dz);
#pragma unroll
        for (int i = 0; i < lanes; ++i) sums[c][j][i] += factor * from[lead + i + dx];
      }
    }
  }
}

// The stencil's box: rows of absent points are skipped where they are unrolled, else they have weight 0.
template<bool careful>
__device__ __forceinline__ void sum_box(Sums& sums, const Input& in) {
  constexpr int planes = cells_z + 2 * reach_z, rows = cells_y + 2 * reach_y;
#pragma unroll(unroll_rows ? planes : 1)
  for (int p = -reach_z; p < cells_z + reach_z; ++p) {
#pragma unroll(unroll_rows ? rows : 1)
    for (int row = -reach_y; row < cells_y + reach_y; ++row) {
      Real from[segment];
      in.load<careful>(from + lead, 0, row, p);
      load_sides<careful>(from, in, row, p);
      add_row(sums, from, row, p);
    }
  }
}

template<bool careful>
__device__ __forceinline__ void sum(Sums& sums, const Input& in) {
  if constexpr (star) {
    sum_star<careful>(sums, in);
  } else {
    sum_box<careful>(sums, in);
  }
}

// ---- kernel ----

// `in` and `out` point to cell (0, 0, 0), aligned to 16 bytes; pitch and plane are the distances of
// neighbouring rows and planes [cells]. Grid: ceil(nx / tile_x) * ceil(ny / tile_y) * ceil(nz / tile_z)
// blocks along x.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    stencil_step(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, int nz, long long pitch,
                 long long plane) {
  constexpr int tile_x = block_x * lanes, tile_y = block_y * cells_y, tile_z = block_z * cells_z;
  const unsigned tiles_x = (static_cast<unsigned>(nx) + tile_x - 1) / tile_x;
  const unsigned tiles_y = (static_cast<unsigned>(ny) + tile_y - 1) / tile_y;
  const unsigned row_of_tiles = blockIdx.x / tiles_x;
  const int first_x = static_cast<int>((blockIdx.x % tiles_x) * tile_x);
  const int first_y = static_cast<int>((row_of_tiles % tiles_y) * tile_y);
  const int first_z = static_cast<int>((row_of_tiles / tiles_y) * tile_z);
  const int x = first_x + static_cast<int>(threadIdx.x * lanes);
  const int y = first_y + static_cast<int>(threadIdx.y * cells_y);
  const int z = first_z + static_cast<int>(threadIdx.z * cells_z);

  const long long first = z * plane + y * pitch + x;
  const Input input{padded ? in + first : in, static_cast<int>(pitch), plane, x, y, z, nx, ny, nz};
  Sums sums = {};
  if constexpr (zero) {
    const bool careful = first_y < reach_y || first_y + tile_y + reach_y > ny || first_z < reach_z ||
                         first_z + tile_z + reach_z > nz ||
                         (padded && nx % lanes != 0 && first_x + tile_x + lead > nx);
    if (careful) {
      sum<true>(sums, input);
    } else {
      sum<false>(sums, input);
    }
  } else {
    sum<false>(sums, input);
  }

  const bool inner_x = zero || (x >= reach_x && x + lanes <= nx - reach_x);
#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      const bool inner =
          zero || (y + j >= reach_y && y + j < ny - reach_y && z + c >= reach_z && z + c < nz - reach_z);
      if (!padded && (x >= nx || y + j >= ny || z + c >= nz)) continue;
      if (!(inner && inner_x)) {
        // Few threads come here; loading their cells again is cheaper than keeping them in everyone's
        // registers.
        Real own[lanes];
        load_vector<lanes, load_path>(own, input.at<false>(0, j, c));
#pragma unroll
        for (int i = 0; i < lanes; ++i) {
          if (!(inner && x + i >= reach_x && x + i < nx - reach_x)) sums[c][j][i] = own[i];
        }
      }
      store_vector<lanes, store_path>(out + first + (c * plane + j * pitch), sums[c][j]);
    }
  }
}
