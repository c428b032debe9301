// SPDX-License-Identifier: Apache-2.0
// Queue::partial_sums: the registers hold the 2 reach_z + 1 outputs to which the current plane contributes.
// A part of streaming.cu, whose constants it uses.
#pragma once

#include "pin.cuh"
#include "streaming_boxes.cuh"
#include "streaming_sums.cuh"

// Input planes begin - reach_z .. end + reach_z - 1, as far as they exist or are held, come one after
// another; plane p completes output p - reach_z.
struct PartialSums {
  const Tile& tile;
  Real* stage;       // the shared plane that is used
  Real* free_stage;  // async: the one that is filled next
  Rows sums[width];  // sums[k]: output p - reach_z + k
  Rows next;         // plain: own cells of the plane to come
  Halo halo;         // plain: its halo
  Boxes boxes;       // tma
  Real* done;  // steady: where the next complete output goes, moved on plane by plane: multiplying costs more

  __device__ __forceinline__ PartialSums(const Tile& tile, const TensorMap* map)
      : tile(tile), stage(reinterpret_cast<Real*>(shared_bytes)), free_stage(stage), boxes(map) {
#pragma unroll
    for (int k = 0; k < width; ++k) set(sums[k], 0);
    if constexpr (async) {
#pragma unroll
      for (int s = 0; s < stages - 1; ++s) copy(first() + s);
    } else if constexpr (tma) {
      boxes.begin(tile, first(), last());
    } else {
      fetch(first());
    }
  }

  // Zero: planes beyond the array add nothing.
  __device__ __forceinline__ int first() const {
    const int p = tile.begin - reach_z;
    return zero && p < 0 ? 0 : p;
  }
  __device__ __forceinline__ int last() const {
    const int p = tile.end + reach_z;
    return zero && p > tile.nz ? tile.nz : p;
  }
  // The planes before and after the block's own give a star only their z contribution: no halo is needed.
  __device__ __forceinline__ bool has_halo(int p) const {
    return !star || (p >= tile.begin && p < tile.end);
  }

  __device__ __forceinline__ void copy(int p) {
    if (p < last()) {
      copy_own(tile, free_stage, tile.plane_of(p));
      if (has_halo(p)) copy_halo(tile, free_stage, tile.plane_of(p));
    }
    commit_async();
    free_stage = next_stage(free_stage);
  }
  __device__ __forceinline__ void fetch(int p) {
    if (p >= last()) return;
    load_own(next, tile, tile.plane_of(p));
    if (!cache && has_halo(p)) halo.load(tile, tile.plane_of(p));
  }

  // Brings plane p to `stage` and the thread's cells to `own`, and starts the loads of planes to come.
  __device__ __forceinline__ void arrive(Rows& own, int p) {
    if constexpr (async) {
      wait_async<async ? stages - 2 : 0>();
      __syncthreads();  // the plane is complete, and nobody reads the one before any more
      copy(p + stages - 1);
#pragma unroll
      for (int c = 0; c < cells_y; ++c)
        load_vector<lanes, Load::shared>(own[c], stage + tile.own + c * shared_pitch);
    } else if constexpr (tma) {
      stage = boxes.wait();
#pragma unroll
      for (int c = 0; c < cells_y; ++c)
        load_vector<lanes, Load::shared>(own[c], stage + tile.own + c * shared_pitch);
    } else {
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) own[c][i] = next[c][i];
      }
      if constexpr (zero) clear_absent(own, tile);
      if constexpr (!cache) {
        if constexpr (stages == 1) __syncthreads();
        if (has_halo(p)) {
          store_own(own, tile, stage);
          halo.store(tile, stage);
        }
        __syncthreads();
      }
      fetch(p + 1);
    }
  }

  // Planes begin_steady() .. end_steady() - 1 are in the middle: each has its halo and completes an output
  // that is no boundary plane.
  __device__ __forceinline__ int begin_steady() const {
    return (zero || tile.begin >= reach_z ? tile.begin : reach_z) + reach_z;
  }
  __device__ __forceinline__ int end_steady() const {
    return zero || tile.end <= tile.nz - reach_z ? tile.end : tile.nz - reach_z;
  }

  __device__ __forceinline__ void begin_stores(int z) {
    done = tile.target(0, z);
  }

  template<Guard guard, bool steady>
  __device__ __forceinline__ void add(const Rows& own, int p) {
    if constexpr (star) {
      Rows given;  // what the cells give their z neighbours
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) given[c][i] = own[c][i];
      }
      clear_held<guard>(given);
#pragma unroll
      for (int k = 0; k < width; ++k) {
        if (k == reach_z || !has_point(0, 0, reach_z - k)) continue;
#pragma unroll
        for (int c = 0; c < cells_y; ++c) {
#pragma unroll
          for (int i = 0; i < lanes; ++i) sums[k][c][i] += weight(0, 0, reach_z - k) * given[c][i];
        }
      }
      pin_sums();
    }
    const Real* plane = cache ? tile.plane_of(p) : stage + tile.own;
    if (cache && zero && !tile.rows_whole) {
      add_around<steady>(own, p, Neighbours<true>{tile, plane});
    } else {
      add_around<steady>(own, p, Neighbours<false>{tile, plane});
    }
    if constexpr (star) keep_held<guard>(own);
  }

  __device__ __forceinline__ void pin_sums() {
#pragma unroll
    for (int k = 0; k < width; ++k) {
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) pin(sums[k][c][i]);
      }
    }
  }

  // Held, star: z neighbours of a cell that x or y makes a boundary cell are such cells too. These give each
  // other nothing, and their sum is their value: so they are stored with all others, by whole vectors.
  template<Guard guard>
  __device__ __forceinline__ bool held(int c, int i) const {
    if constexpr (guard == Guard::threads) return tile.keeps;
    return !tile.inner_row(c) || !(tile.inner_lanes >> i & 1u);
  }
  template<Guard guard>
  __device__ __forceinline__ void clear_held(Rows& given) const {
    if constexpr (!zero) {
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) given[c][i] = held<guard>(c, i) ? 0 : given[c][i];
      }
    }
  }
  template<Guard guard>
  __device__ __forceinline__ void keep_held(const Rows& own) {
    if constexpr (!zero) {
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i)
          sums[reach_z][c][i] = held<guard>(c, i) ? own[c][i] : sums[reach_z][c][i];
      }
    }
  }

  template<bool steady, bool careful>
  __device__ __forceinline__ void add_around(const Rows& own, int p, const Neighbours<careful>& near) {
    if constexpr (star) {
      if (steady || has_halo(p)) add_star_plane(sums[reach_z], own, near);
    } else {
      add_box_plane(sums, near);
    }
  }

  template<Guard guard>
  __device__ __forceinline__ void store_sums(int z) const {
    if (z < tile.begin) return;
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (guard == Guard::threads || tile.stored(c))
        store_vector<lanes, store_path>(tile.target(c, z), sums[0][c]);
    }
  }

  // Zero: stores the outputs that wait for planes beyond the array.
  __device__ __forceinline__ void drain() {
#pragma unroll 1
    for (int p = last(); p < tile.end + reach_z; ++p) {
      store_sums<Guard::cells>(p - reach_z);
      shift(sums);
    }
  }

  // Held: what keeps its value is stored while that is at hand, all others when their sums are complete:
  // keeping values until then would cost reach_z more registers a cell. `keeps`: what x and y say of the
  // thread's cells.
  template<Guard guard>
  __device__ __forceinline__ void store_whole(const Rows& own, int p, bool keeps) const {
    const int done = p - reach_z;
    const bool completes = !keeps && done >= tile.begin && tile.inner_plane(done);
    const bool kept = (keeps || !tile.inner_plane(p)) && p >= tile.begin && p < tile.end;
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (guard == Guard::cells && !tile.stored(c)) continue;
      if (kept) store_vector<lanes, store_path>(tile.target(c, p), own[c]);
      if (completes) store_vector<lanes, store_path>(tile.target(c, done), sums[0][c]);
    }
  }
  __device__ __forceinline__ void store_cells(const Rows& own, int p) const {
    if (tile.inner) return store_whole<Guard::threads>(own, p, false);
    const int done = p - reach_z;
    const bool completes = done >= tile.begin && tile.inner_plane(done);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (!tile.stored(c)) continue;
      const unsigned inner = tile.inner_row(c) ? tile.inner_lanes : 0;
      const unsigned kept = tile.inner_plane(p) ? all_lanes & ~inner : all_lanes;
      if (p >= tile.begin && p < tile.end) store_lanes(tile.target(c, p), own[c], kept);
      if (completes) store_lanes(tile.target(c, done), sums[0][c], inner);
    }
  }

  template<Guard guard, bool steady>
  __device__ __forceinline__ void store(const Rows& own, int p) {
    if constexpr (steady && (star || zero)) {
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
        if (guard == Guard::threads || tile.stored(c))
          store_vector<lanes, store_path>(done + static_cast<long long>(c) * tile.pitch, sums[0][c]);
      }
      done += tile.plane;
    } else if constexpr (zero) {
      store_sums<guard>(p - reach_z);
    } else if constexpr (star) {
      store_whole<guard>(own, p, false);
    } else if constexpr (guard == Guard::threads) {
      store_whole<guard>(own, p, tile.keeps);
    } else {
      store_cells(own, p);
    }
  }

  template<Guard guard, bool steady>
  __device__ __forceinline__ void step(int p) {
    set(sums[width - 1], 0);
    Rows own;
    arrive(own, p);
    add<guard, steady>(own, p);
    if constexpr (tma) boxes.pass(tile, p, last());
    store<guard, steady>(own, p);
    shift(sums);
    if constexpr (!tma) stage = next_stage(stage);
  }
};
