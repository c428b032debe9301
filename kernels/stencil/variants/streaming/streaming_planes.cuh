// SPDX-License-Identifier: Apache-2.0
// How planes of a tile come to registers and to shared memory.
// A part of streaming.cu, whose constants it uses.
//
// Zero: cells beyond the array are loaded like all others, from ghost cells or clamped addresses, and cleared
// on their way. Few threads have any.
#pragma once

#include "async_copy.cuh"
#include "streaming_tile.cuh"

// stages * shared_plane cells, tma: and as many barriers; a box begins at a multiple of 128 bytes
extern __shared__ __align__(128) unsigned char shared_bytes[];

// Clears all but the first `count` cells of a vector.
__device__ __forceinline__ void clear_rest(Real* vector, int count) {
#pragma unroll
  for (int i = 0; i < lanes; ++i) {
    if (i >= count) vector[i] = 0;
  }
}

// `from` is plane_of() of the plane that is loaded.
__device__ __forceinline__ void load_own(Rows& to, const Tile& tile, const Real* from) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) load_vector<lanes, Load::readonly>(to[c], from + tile.offset(0, c));
}

__device__ __forceinline__ void clear_absent(Rows& own, const Tile& tile) {
  if (tile.own_whole) return;
#pragma unroll
  for (int c = 0; c < cells_y; ++c) clear_rest(own[c], tile.cells_at(0, c));
}

// The halo of a plane on its way through registers.
struct Halo {
  Real cell[item_slots][lanes];

  __device__ __forceinline__ void load(const Tile& tile, const Real* from) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (tile.has_item(k)) load_vector<lanes, Load::readonly>(cell[k], tile.halo_source(from, k));
    }
  }
  __device__ __forceinline__ void store(const Tile& tile, Real* shared) {
    if (zero && !tile.halo_whole) {
#pragma unroll
      for (int k = 0; k < items; ++k) clear_rest(cell[k], tile.halo_cells(k));
    }
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

__device__ __forceinline__ void copy_vector(Real* shared, const Real* global) {
  constexpr int step = word_lanes<Real, lanes>;
#pragma unroll
  for (int w = 0; w < lanes; w += step) copy_async<step * sizeof(Real)>(shared + w, global + w);
}

// Copies the first `count` cells of a vector and clears the others.
__device__ __forceinline__ void copy_part(Real* shared, const Real* global, int count) {
  constexpr int step = word_lanes<Real, lanes>;
#pragma unroll
  for (int w = 0; w < lanes; w += step) {
    const int cells = clamped(count - w, step);
    copy_async_part<step * sizeof(Real)>(shared + w, global + w, cells * static_cast<int>(sizeof(Real)));
  }
}

__device__ __forceinline__ void copy_own(const Tile& tile, Real* shared, const Real* from) {
  const bool parts = zero && !tile.own_whole;
#pragma unroll
  for (int c = 0; c < cells_y; ++c) {
    Real* to = shared + tile.own + c * shared_pitch;
    if (parts) {
      copy_part(to, from + tile.offset(0, c), tile.cells_at(0, c));
    } else {
      copy_vector(to, from + tile.offset(0, c));
    }
  }
}

__device__ __forceinline__ void copy_halo(const Tile& tile, Real* shared, const Real* from) {
  const bool parts = zero && !tile.halo_whole;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (!tile.has_item(k)) continue;
    if (parts) {
      copy_part(shared + tile.halo_to[k], tile.halo_source(from, k), tile.halo_cells(k));
    } else {
      copy_vector(shared + tile.halo_to[k], tile.halo_source(from, k));
    }
  }
}

__device__ __forceinline__ Real* next_stage(Real* stage) {
  Real* first = reinterpret_cast<Real*>(shared_bytes);
  return stage == first + (stages - 1) * shared_plane ? first : stage + shared_plane;
}

// The thread's surroundings in the current plane, vector by vector; offsets count from its first cell.
// Careful (zero without shared memory): rows may not exist, vectors may lie across the array's end.
template<bool careful>
struct Neighbours {
  const Tile& tile;
  const Real* plane;  // in shared memory, at the thread's first cell; cache: in global memory, plane_of()

  __device__ __forceinline__ void load(Real* to, int dx, int dy) const {
    if constexpr (!cache) {
      load_vector<lanes, Load::shared>(to, plane + dy * shared_pitch + dx);
    } else {
      load_vector<lanes, Load::readonly>(to, plane + tile.offset(dx, dy));
      if constexpr (careful) {
        clear_rest(to, tile.cells_at(dx, dy));
      } else if (zero && dx != 0) {
        clear_rest(to, below(tile.x + dx, tile.nx) ? lanes : 0);
      }
    }
  }
};
