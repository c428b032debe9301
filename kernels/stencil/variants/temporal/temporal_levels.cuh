// SPDX-License-Identifier: Apache-2.0
// What the arrival of a plane does to all levels.
// A part of temporal.cu, whose constants it uses.
#pragma once

#include "temporal_sweep.cuh"

template<int steps>
struct Levels {
  const Tile<steps>& tile;
  Exchange<steps> exchange;
  Cells pending[steps][2 * depth];                      // of each level, the sums that still miss planes
  Cells arrived[exchanging && !late_rows ? steps : 1];  // of each level, the plane that waits for its rows

  __device__ __forceinline__ explicit Levels(const Tile<steps>& tile)
      : tile(tile), exchange(tile.lane, tile.warp) {
#pragma unroll
    for (int t = 0; t < steps; ++t) {
#pragma unroll
      for (int k = 0; k < 2 * depth; ++k) clear(pending[t][k]);
    }
    if constexpr (exchanging && !late_rows) {
#pragma unroll
      for (int t = 0; t < steps; ++t) clear(arrived[t]);
    }
  }

  // Undoes what was added to cells that keep their value.
  __device__ __forceinline__ void restore(Cells& sum, const Cells& value, int z) const {
    const unsigned kept = tile.kept_plane(z) ? ~0u : tile.kept;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
#pragma unroll
      for (int i = 0; i < cells_x; ++i) sum[j][i] = kept & bit(j, i) ? value[j][i] : sum[j][i];
    }
  }

  // Whoever goes on with these sums may count on nothing having been added to cells that are kept in any
  // plane.
  __device__ __forceinline__ void clear_kept(Cells& sum) const {
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
#pragma unroll
      for (int i = 0; i < cells_x; ++i) sum[j][i] = tile.kept & bit(j, i) ? Real(0) : sum[j][i];
    }
  }

  // Late rows: completes, as far as its own plane is concerned, the sum of the plane before `z`.
  template<bool careful, class Weights>
  __device__ __forceinline__ void add_late_rows(int t, int z, const Weights& weights) {
    Cells& sum = pending[t][depth - 1];
    Cells before;
    if constexpr (careful) copy(before, sum);
    exchange.take(t, [&](const Segment& from, int row) { add_flat_row(sum, from, row, weights); });
    if constexpr (careful) restore(sum, before, z - 1);
  }

  // Adds plane z of level t, with the rows of other warps unless they come late. `plane`
  // becomes the output that it completes: plane z - depth of the level above.
  template<bool careful, class Weights>
  __device__ __forceinline__ void add(int t, Cells& plane, int z, const Weights& weights) {
    Sums sums;
#pragma unroll
    for (int k = 0; k < 2 * depth; ++k) copy(sums[k], pending[t][k]);
    clear(sums[2 * depth]);
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      Segment segment;
      extend<reach_x>(segment, plane[j]);
      add_row(sums, segment, j, weights);
    }
    if constexpr (exchanging && !late_rows)
      exchange.take(t, [&](const Segment& from, int row) { add_row(sums, from, row, weights); });
    if constexpr (careful) {
#pragma unroll
      for (int k = 0; k < depth; ++k) restore(sums[k], pending[t][k], z - depth + k);
      restore(sums[depth], plane, z);
#pragma unroll
      for (int k = depth + 1; k < width; ++k) clear_kept(sums[k]);
    }
    copy(plane, sums[0]);
#pragma unroll
    for (int k = 0; k < 2 * depth; ++k) copy(pending[t][k], sums[k + 1]);
  }

  // Plane z arrives at level 0; `plane` becomes plane z - steps * lag after all steps.
  template<bool careful, class Weights>
  __device__ __forceinline__ void arrive(Cells& plane, int z, const Weights& weights) {
    if constexpr (!exchanging || late_rows) {
#pragma unroll
      for (int t = 0; t < steps; ++t) {
        const int at = z - t * depth;
        if constexpr (exchanging) {
          add_late_rows<careful>(t, at, weights);
          exchange.show(plane, t);
        }
        add<careful>(t, plane, at, weights);
      }
    } else {
      Cells coming;
      copy(coming, plane);
#pragma unroll
      for (int t = steps - 1; t >= 0; --t) {
        add<careful>(t, arrived[t], z - 1 - t * lag, weights);
        if (t + 1 < steps) {
          copy(arrived[t + 1 < steps ? t + 1 : t], arrived[t]);
          exchange.show(arrived[t], t + 1);
        } else {
          copy(plane, arrived[t]);
        }
      }
      copy(arrived[0], coming);
      exchange.show(coming, 0);
    }
    if constexpr (exchanging) exchange.turn();
  }
};

// How a loop over planes treats what lies at the array's faces.
enum class Care {
  none,     // no cell and no plane at hand is kept or lies outside
  columns,  // some columns of the tile are
  all       // anything may be
};

// The march of one block, or of one warp where warps are tiles.
template<int steps>
struct March {
  const Tile<steps>& tile;
  Levels<steps> levels;
  Cells next[ahead];  // planes z, z + 1, ...
  const Real* from;   // the lane's first cell in plane z + ahead
  Real* to;           // the lane's first cell in the plane that z completes
  int z;

  __device__ __forceinline__ explicit March(const Tile<steps>& tile) : tile(tile), levels(tile) {
    const int spoilt = tile.begin - steps * depth;
    z = spoilt < -margin_z ? -margin_z : spoilt;
    from = tile.in + z * tile.plane;
    to = tile.out + (z - steps * lag) * tile.plane;
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      tile.load_inside(next[a], from, z + a >= 0 && z + a < tile.nz);
      from += tile.plane;
    }
  }

  template<Care care, class Weights>
  __device__ __forceinline__ void step(const Weights& weights) {
    Cells plane;
    copy(plane, next[0]);
#pragma unroll
    for (int a = 0; a + 1 < ahead; ++a) copy(next[a], next[a + 1]);
    const bool exists = z + ahead < tile.nz;
    if constexpr (care == Care::none) {
      tile.load_whole(next[ahead - 1], from, exists);
    } else if (tile.all_inside) {
      tile.load_whole(next[ahead - 1], from, exists && z + ahead >= 0);
    } else {
      tile.load_inside(next[ahead - 1], from, exists && z + ahead >= 0);
    }
    from += tile.plane;
    if constexpr (exchanging) meet();
    levels.template arrive<care == Care::all>(plane, z, weights);
    const int done = z - steps * lag;
    if (done >= tile.begin && done < tile.end) tile.store(plane, to);
    to += tile.plane;
    ++z;
  }

  template<Care care, class Weights>
  __device__ __forceinline__ void go(int until, const Weights& weights) {
    // A turn is written out: the compiler does not unroll loops with barriers. After an even number of planes
    // the sums of a level are back in their registers.
    if constexpr (care == Care::none && turn > 1) {
#pragma unroll 1
      while (z + turn <= until) {
#pragma unroll
        for (int u = 0; u < turn; ++u) step<care>(weights);
      }
    }
#pragma unroll 1
    while (z < until) step<care>(weights);
  }

  // Three loops, not one with three cases: sums that meet again behind the cases are moved between registers.
  __device__ __forceinline__ void go() {
    const int last = tile.end + steps * lag;
    // From `near` to `far` no plane at hand is kept as a whole, or lies outside.
    const int near = smaller(held_z + steps * lag, last);
    const int far = smaller(tile.nz - held_z, last);
    while (z < last) {
      if (tile.kept_rows || (tile.kept_columns && !lane_weights)) {
        go<Care::all>(last, SameWeights());
      } else if (z < near || z >= far) {
        go<Care::all>(z < near ? near : last, SameWeights());
      } else if (tile.kept_columns) {
        go_columns(far);
      } else {
        go<Care::none>(far, SameWeights());
      }
    }
  }

  __device__ __forceinline__ void go_columns(int until) {
    if constexpr (lane_weights) go<Care::columns>(until, LaneWeights(tile.kept));
  }

  __device__ __forceinline__ static int smaller(int a, int b) {
    return a < b ? a : b;
  }
};

template<int steps>
__device__ __forceinline__ void sweep(const Real* in, Real* out, int nx, int ny, int nz, long long pitch,
                                      long long plane) {
  const Tile<steps> tile(in, out, nx, ny, nz, pitch, plane);
  if (!tile.exists) return;
  March<steps> march(tile);
  march.go();
}
