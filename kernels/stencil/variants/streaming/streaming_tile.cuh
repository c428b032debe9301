// SPDX-License-Identifier: Apache-2.0
// What a block of the streaming kernel covers, and a thread's place in it.
// A part of streaming.cu, whose constants it uses.
#pragma once

#include "indices.cuh"
#include "vectors.cuh"

constexpr int tile_x = block_x * lanes, tile_y = block_y * cells_y;

// A plane in shared memory: tile_y + 2 reach_y rows of whole vectors, the x halo rounded up to vectors.
constexpr int halo_vectors = (reach_x + lanes - 1) / lanes;
constexpr int lead = halo_vectors * lanes;
constexpr int segment = lanes + 2 * lead;
constexpr int shared_pitch = tile_x + 2 * lead;
constexpr int plane_cells = shared_pitch * (tile_y + 2 * reach_y);
constexpr int box_cells = 128 / sizeof(Real);
constexpr int shared_plane = tma ? (plane_cells + box_cells - 1) / box_cells * box_cells : plane_cells;

// The halo in vectors: rows below and above the tile (a star needs no corners), then the columns beside it.
constexpr int edge_vectors = star ? block_x : block_x + 2 * halo_vectors;
constexpr int edge_items = 2 * reach_y * edge_vectors;
constexpr int halo_items = edge_items + tile_y * 2 * halo_vectors;
constexpr int items = (halo_items + threads - 1) / threads;  // of a thread
constexpr int item_slots = items > 0 ? items : 1;            // an array has an element

using Rows = Real[cells_y][lanes];  // the cells of a thread in one plane

// What is asked along x and y before a sum is stored. threads: the array has all cells of all tiles, and a
// thread's cells keep their values (held) all together or not at all; cells: everything of each cell. It is
// the same for all blocks: those that were faster would run ahead of their neighbours, which then no longer
// find the planes of their halos in the L2 cache (at radius 8 a third of them).
enum class Guard { threads, cells };

// What a thread knows about its place. A row holds fewer than 2^31 cells: with a 32-bit pitch a row's address
// is one multiply-add, with a 64-bit one it is six instructions, more than the loads themselves.
struct Tile {
  int nx, ny, nz;
  int pitch;
  long long plane;
  int x, y;              // the thread's first cell
  int begin, end;        // the block's output planes
  int own;               // the thread's first cell in a shared plane
  unsigned inner_lanes;  // held: bit i: lane i is no boundary cell as far as x is concerned
  bool inner;      // held: none of the thread's cells is a boundary cell as far as x and y are concerned
  bool keeps;      // held: all of them are
  bool regular;    // of all blocks: Guard::threads is enough
  const Real* in;  // padded: the thread's first cell in plane 0; dense: cell (0, 0, 0)
  Real* out;       // the thread's first cell in plane 0
  // The halo vectors that the thread brings: from where, counted from plane_of() [bytes], to where in a
  // shared plane [cells], and whether it has the last one.
  long long halo_from[item_slots];
  int halo_to[item_slots];
  bool last_item;
  // Zero: whether the array has all of the thread's own cells, all of the halo vectors that it brings, and
  // all rows around the block's tile with no vector across their end.
  bool own_whole, halo_whole, rows_whole;

  __device__ __forceinline__ Tile(const Real* in_, Real* out_, int nx, int ny, int nz, long long pitch_,
                                  long long plane)
      : nx(nx), ny(ny), nz(nz), pitch(static_cast<int>(pitch_)), plane(plane) {
    const unsigned tiles_x = (static_cast<unsigned>(nx) + tile_x - 1) / tile_x;
    const unsigned tiles_y = (static_cast<unsigned>(ny) + tile_y - 1) / tile_y;
    const unsigned row_of_tiles = blockIdx.x / tiles_x;
    const int first_x = static_cast<int>((blockIdx.x % tiles_x) * tile_x);
    const int first_y = static_cast<int>((row_of_tiles % tiles_y) * tile_y);
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    x = first_x + tx * lanes;
    y = first_y + ty * cells_y;
    begin = static_cast<int>(row_of_tiles / tiles_y) * chunk;
    end = nz - begin < chunk ? nz : begin + chunk;
    own = (ty * cells_y + reach_y) * shared_pitch + lead + tx * lanes;
    inner_lanes = 0;
#pragma unroll
    for (int i = 0; i < lanes; ++i) inner_lanes |= (x + i >= reach_x && x + i < nx - reach_x ? 1u : 0u) << i;
    inner = x >= reach_x && x + lanes <= nx - reach_x && y >= reach_y && y + cells_y <= ny - reach_y;
    bool inner_y = false;
#pragma unroll
    for (int c = 0; c < cells_y; ++c) inner_y = inner_y || inner_row(c);
    keeps = !zero && (inner_lanes == 0 || !inner_y);
    regular =
        (padded || (nx % tile_x == 0 && ny % tile_y == 0)) &&
        (zero || (reach_x % lanes == 0 && reach_y % cells_y == 0 && nx % lanes == 0 && ny % cells_y == 0));
    const long long first = static_cast<long long>(y) * pitch + x;
    in = padded ? in_ + first : in_;
    out = out_ + first;
#pragma unroll
    for (int k = 0; k < items; ++k) place_halo(k, ty * block_x + tx + k * threads, first_x, first_y);
    if constexpr (zero) {
      own_whole = x + lanes <= nx && y + cells_y <= ny;
      halo_whole = true;
#pragma unroll
      for (int k = 0; k < items; ++k) halo_whole = halo_whole && (!has_item(k) || halo_cells(k) == lanes);
      rows_whole = first_y >= reach_y && first_y + tile_y + reach_y <= ny &&
                   (!padded || nx % lanes == 0 || first_x + tile_x + lead <= nx);
    }
  }

  // How many cells of a vector belong to the array, from its first one on.
  __device__ __forceinline__ int cells_at(int dx, int dy) const {
    const int left = nx - (x + dx);
    return x + dx < 0 || left <= 0 || !below(y + dy, ny) ? 0 : (left < lanes ? left : lanes);
  }
  // The same of a halo vector that the thread brings.
  __device__ __forceinline__ int halo_cells(int k) const {
    return cells_at(halo_to[k] % shared_pitch - own % shared_pitch,
                    halo_to[k] / shared_pitch - own / shared_pitch);
  }

  __device__ __forceinline__ void place_halo(int k, int item, int first_x, int first_y) {
    int row, column;  // in the shared plane, column in vectors
    if (item < edge_items) {
      row = item / edge_vectors;
      column = item % edge_vectors + (star ? halo_vectors : 0);
      if (row >= reach_y) row += tile_y;
    } else {
      constexpr int side_vectors = halo_vectors > 0 ? 2 * halo_vectors : 1;
      row = reach_y + (item - edge_items) / side_vectors;
      column = (item - edge_items) % side_vectors;
      if (column >= halo_vectors) column += block_x;
    }
    halo_to[k] = row * shared_pitch + column * lanes;
    last_item = item < halo_items;
    halo_from[k] = offset(first_x + column * lanes - lead - x, first_y + row - reach_y - y) *
                   static_cast<long long>(sizeof(Real));
  }

  // `in` of plane z, for offset().
  __device__ __forceinline__ const Real* plane_of(int z) const {
    return in + (padded ? z : clamped(z, nz - 1)) * plane;
  }
  // The cell dx, dy away from the thread's first cell, counted from plane_of(). Clamping keeps the address
  // inside a dense array; what it fetches is used by boundary cells alone, and these drop it, or cleared
  // (zero).
  __device__ __forceinline__ long long offset(int dx, int dy) const {
    if constexpr (padded) return static_cast<long long>(dy) * pitch + dx;
    return static_cast<long long>(clamped(y + dy, ny - 1)) * pitch + clamped(x + dx, nx - lanes);
  }
  __device__ __forceinline__ Real* target(int c, int z) const {
    return out + (z * plane + static_cast<long long>(c) * pitch);
  }
  __device__ __forceinline__ const Real* halo_source(const Real* from, int k) const {
    return reinterpret_cast<const Real*>(reinterpret_cast<const char*>(from) + halo_from[k]);
  }
  __device__ __forceinline__ bool has_item(int k) const {
    return (k + 1) * threads <= halo_items || last_item;
  }
  __device__ __forceinline__ bool inner_row(int c) const {
    return y + c >= reach_y && y + c < ny - reach_y;
  }
  __device__ __forceinline__ bool inner_plane(int z) const {
    return z >= reach_z && z < nz - reach_z;
  }
  __device__ __forceinline__ bool stored(int c) const {
    return padded || (x < nx && y + c < ny);
  }
};

constexpr unsigned all_lanes = (1u << lanes) - 1;

// Stores the lanes of `which`; whole vectors in one access.
__device__ __forceinline__ void store_lanes(Real* to, const Real* from, unsigned which) {
  if (which == all_lanes) {
    store_vector<lanes, store_path>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      if (which >> i & 1u) to[i] = from[i];
    }
  }
}
