// SPDX-License-Identifier: Apache-2.0
// How planes of a tile come to registers and to shared memory.
// A part of streaming.cu, whose constants it uses.
//
// Zero: cells beyond the array are never loaded. Their places, in registers as in shared memory, are the same
// in all planes: they are cleared once, before the first plane.
#pragma once

#include "async_copy.cuh"
#include "streaming_tile.cuh"

extern __shared__ __align__(16) unsigned char shared_bytes[];  // stages * shared_plane cells

// Loads the first `count` cells of a vector.
__device__ __forceinline__ void load_cells(Real* to, const Real* from, int count) {
  if (!zero || count == lanes) {
    load_vector<lanes, Load::readonly>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i + 1 < lanes; ++i) {
      if (i < count) load_vector<1, Load::readonly>(to + i, from + i);
    }
  }
}

// `from` is plane_of() of the plane that is loaded.
__device__ __forceinline__ void load_own(Rows& to, const Tile& tile, const Real* from) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) load_cells(to[c], from + tile.offset(0, c), tile.own_cells[c]);
}

// The halo of a plane on its way through registers.
struct Halo {
  Real cell[item_slots][lanes];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int k = 0; k < items; ++k) {
#pragma unroll
      for (int i = 0; i < lanes; ++i) cell[k][i] = 0;
    }
  }
  __device__ __forceinline__ void load(const Tile& tile, const Real* from) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (tile.has_item(k)) load_cells(cell[k], tile.halo_source(from, k), tile.halo_cells[k]);
    }
  }
  __device__ __forceinline__ void store(const Tile& tile, Real* shared) const {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (tile.has_item(k)) store_vector<lanes, Store::plain>(shared + tile.halo_to[k], cell[k]);
    }
  }
};

__device__ __forceinline__ void store_own(const Rows& from, const Tile& tile, Real* shared) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c)
    store_vector<lanes, Store::plain>(shared + tile.own + c * shared_pitch, from[c]);
}

// Copies the first `count` cells of a vector.
__device__ __forceinline__ void copy_cells(Real* shared, const Real* global, int count) {
  if (!zero || count == lanes) {
    constexpr int step = word_lanes<Real, lanes>;
#pragma unroll
    for (int w = 0; w < lanes; w += step) copy_async<step * sizeof(Real)>(shared + w, global + w);
  } else {
#pragma unroll
    for (int i = 0; i + 1 < lanes; ++i) {
      if (i < count) copy_async<sizeof(Real)>(shared + i, global + i);
    }
  }
}

__device__ __forceinline__ void copy_own(const Tile& tile, Real* shared, const Real* from) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) {
    copy_cells(shared + tile.own + c * shared_pitch, from + tile.offset(0, c), tile.own_cells[c]);
  }
}

__device__ __forceinline__ void copy_halo(const Tile& tile, Real* shared, const Real* from) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (tile.has_item(k)) copy_cells(shared + tile.halo_to[k], tile.halo_source(from, k), tile.halo_cells[k]);
  }
}

__device__ __forceinline__ void clear_rest(Real* vector, int count) {
#pragma unroll
  for (int i = 0; i < lanes; ++i) {
    if (i >= count) vector[i] = 0;
  }
}

// Zero, async: clears what no copy will bring to the places that this thread fills: its halo vectors and,
// with `own`, its own cells.
__device__ __forceinline__ void clear_absent(const Tile& tile, bool own) {
#pragma unroll 1
  for (int s = 0; s < stages; ++s) {
    Real* shared = reinterpret_cast<Real*>(shared_bytes) + s * shared_plane;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (tile.has_item(k)) clear_rest(shared + tile.halo_to[k], tile.halo_cells[k]);
    }
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (own) clear_rest(shared + tile.own + c * shared_pitch, tile.own_cells[c]);
    }
  }
}

__device__ __forceinline__ Real* next_stage(Real* stage) {
  Real* first = reinterpret_cast<Real*>(shared_bytes);
  return stage == first + (stages - 1) * shared_plane ? first : stage + shared_plane;
}

// The thread's surroundings in the current plane, vector by vector; offsets count from its first cell.
// Careful: some of them may not exist, or lie across the array's end (zero without shared memory).
template<bool careful>
struct Neighbours {
  const Tile& tile;
  const Real* plane;  // in shared memory, at the thread's first cell; cache: in global memory, plane_of()

  __device__ __forceinline__ void load(Real* to, int dx, int dy) const {
    if constexpr (!cache) {
      load_vector<lanes, Load::shared>(to, plane + dy * shared_pitch + dx);
    } else if constexpr (!zero) {
      load_vector<lanes, Load::readonly>(to, plane + tile.offset(dx, dy));
    } else {
#pragma unroll
      for (int i = 0; i < lanes; ++i) to[i] = 0;
      const bool exists = below(tile.x + dx, tile.nx) && (!careful || below(tile.y + dy, tile.ny));
      const Real* from = plane + tile.offset(dx, dy);
      if (exists) load_cells(to, from, careful ? tile.cells_of(tile.x + dx) : lanes);
    }
  }
};
