// SPDX-License-Identifier: Apache-2.0
// Queue::inputs: the registers hold the 2 reach_z + 1 input planes around the current one.
// A part of streaming.cu, whose constants it uses.
#pragma once

#include "streaming_sums.cuh"

// Output planes begin .. end - 1 come one after another. The thread's own cells go from global memory to the
// queue and, when they have reached its middle, from there to shared memory; the loader brings the halo
// alone.
struct Inputs {
  const Tile& tile;
  Real* stage;
  Real* free_stage;
  Rows queued[width];  // queued[k]: input p - reach_z + k
  Rows next;           // own cells of the plane that enters the queue next
  Halo halo;           // plain: the halo of the output plane to come
  // plane_of() the planes that are loaded next, moved on at the end of every step: 4 % faster than computing
  // them at radius 8. Moved on where they are used, under a condition, they cost 50 registers more.
  const Real* coming;       // the one that enters the queue
  const Real* coming_halo;  // async: the one whose halo is copied

  __device__ __forceinline__ explicit Inputs(const Tile& tile)
      : tile(tile), stage(reinterpret_cast<Real*>(shared_bytes)), free_stage(stage) {
#pragma unroll
    for (int k = 1; k < width; ++k) load_own(queued[k], tile, tile.plane_of(tile.begin - reach_z + k - 1));
    if (zero && (tile.begin < reach_z || tile.begin + reach_z > tile.nz)) {
#pragma unroll
      for (int k = 1; k < width; ++k) {
        if (!below(tile.begin - reach_z + k - 1, tile.nz)) set(queued[k], 0);
      }
    }
    coming = tile.plane_of(tile.begin + reach_z);
    fetch(tile.begin);
    coming = tile.plane_of(tile.begin + reach_z + 1);
    coming_halo = tile.plane_of(tile.begin + stages - 1);
    if constexpr (async) {
#pragma unroll
      for (int s = 0; s < stages - 1; ++s) copy(tile.begin + s, tile.plane_of(tile.begin + s));
    }
  }

  __device__ __forceinline__ int last() const {
    return tile.end;
  }

  __device__ __forceinline__ void copy(int p, const Real* plane) {
    if (p < last()) copy_halo(tile, free_stage, plane);
    commit_async();
    free_stage = next_stage(free_stage);
  }

  // Loads what output plane p needs and the queue does not have yet.
  __device__ __forceinline__ void fetch(int p) {
    load_own(next, tile, coming);
    if constexpr (loader == Loader::plain) halo.load(tile, tile.plane_of(p));
  }

  __device__ __forceinline__ void arrive(int p) {
    shift(queued);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
#pragma unroll
      for (int i = 0; i < lanes; ++i) queued[width - 1][c][i] = next[c][i];
    }
    if constexpr (zero) {
      if (p + reach_z >= tile.nz) set(queued[width - 1], 0);
      clear_absent(queued[reach_z], tile);
    }
    if constexpr (!cache) {
      if constexpr (stages == 1) __syncthreads();
      store_own(queued[reach_z], tile, stage);
      if constexpr (async) {
        wait_async<async ? stages - 2 : 0>();
      } else {
        halo.store(tile, stage);
      }
      __syncthreads();  // the plane is complete, and nobody reads the one before any more
    }
    if (p + 1 < last()) fetch(p + 1);
    if constexpr (async) copy(p + stages - 1, coming_halo);
  }

  __device__ __forceinline__ void keep_boundary(Rows& sum, int p) const {
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const unsigned inner = tile.inner_row(c) && tile.inner_plane(p) ? tile.inner_lanes : 0;
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        if (!(inner >> i & 1u)) sum[c][i] = queued[reach_z][c][i];
      }
    }
  }

  template<Guard, bool>
  __device__ __forceinline__ void step(int p) {
    arrive(p);
    Rows sum;
    set(sum, 0);
#pragma unroll
    for (int k = 0; k < width; ++k) {
      if (k == reach_z || !has_point(0, 0, k - reach_z)) continue;
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) sum[c][i] += weight(0, 0, k - reach_z) * queued[k][c][i];
      }
    }
    const Real* plane = cache ? tile.plane_of(p) : stage + tile.own;
    if (cache && zero && !tile.rows_whole) {
      add_star_plane(sum, queued[reach_z], Neighbours<true>{tile, plane});
    } else {
      add_star_plane(sum, queued[reach_z], Neighbours<false>{tile, plane});
    }
    if (!zero && !(tile.inner && tile.inner_plane(p))) keep_boundary(sum, p);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (tile.stored(c)) store_vector<lanes, store_path>(tile.target(c, p), sum[c]);
    }
    coming += padded || p + 1 + reach_z < tile.nz - 1 ? tile.plane : 0;
    coming_halo += tile.plane;
    stage = next_stage(stage);
  }
};
