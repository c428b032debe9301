// SPDX-License-Identifier: Apache-2.0
// What the arrival of a plane does to all levels.
// A part of temporal.cu, whose constants it uses.
#pragma once

#include "temporal_sweep.cuh"

template<int steps>
struct Levels {
  const Tile<steps>& tile;
  Exchange exchange;
  Cells pending[steps][2 * depth];                      // of each level, the sums that still miss planes
  Cells arrived[exchanging && !late_rows ? steps : 1];  // of each level, the plane that waits for its rows

  __device__ __forceinline__ explicit Levels(const Tile<steps>& tile)
      : tile(tile), exchange{tile.lane, tile.warp} {
#pragma unroll
    for (int t = 0; t < steps; ++t) {
#pragma unroll
      for (int k = 0; k < 2 * depth; ++k) clear(pending[t][k]);
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

  // Late rows: completes, as far as its own plane is concerned, the sum of the plane before `z`.
  template<bool careful>
  __device__ __forceinline__ void add_late_rows(int t, int z, int parity) {
    Cells& sum = pending[t][depth - 1];
    Cells before;
    if constexpr (careful) copy(before, sum);
    exchange.take(t, parity, [&](const Segment& from, int row) { add_flat_row(sum, from, row); });
    if constexpr (careful) restore(sum, before, z - 1);
  }

  // Adds plane z of level t, with the rows of other warps from `parity` unless they come late. `plane`
  // becomes the output that it completes: plane z - depth of the level above.
  template<bool careful>
  __device__ __forceinline__ void add(int t, Cells& plane, int z, int parity) {
    Sums sums;
#pragma unroll
    for (int k = 0; k < 2 * depth; ++k) copy(sums[k], pending[t][k]);
    clear(sums[2 * depth]);
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      Segment segment;
      extend(segment, plane[j]);
      add_row(sums, segment, j);
    }
    if constexpr (exchanging && !late_rows)
      exchange.take(t, parity, [&](const Segment& from, int row) { add_row(sums, from, row); });
    if constexpr (careful) {
#pragma unroll
      for (int k = 0; k < depth; ++k) restore(sums[k], pending[t][k], z - depth + k);
      restore(sums[depth], plane, z);
    }
    copy(plane, sums[0]);
#pragma unroll
    for (int k = 0; k < 2 * depth; ++k) copy(pending[t][k], sums[k + 1]);
  }

  // Plane z arrives at level 0; `plane` becomes plane z - steps * lag after all steps.
  template<bool careful>
  __device__ __forceinline__ void arrive(Cells& plane, int z, bool first) {
    const int parity = z & 1;
    if constexpr (!exchanging || late_rows) {
#pragma unroll
      for (int t = 0; t < steps; ++t) {
        const int at = z - t * depth;
        if constexpr (exchanging) {
          if (!first) add_late_rows<careful>(t, at, parity ^ 1);
          exchange.show(plane, t, parity);
        }
        add<careful>(t, plane, at, parity);
      }
    } else {
      Cells coming;
      copy(coming, plane);
      if (first) {
        // Nothing has arrived anywhere yet.
#pragma unroll
        for (int t = 1; t < steps; ++t) {
          clear(arrived[t]);
          exchange.show(arrived[t], t, parity);
        }
      } else {
#pragma unroll
        for (int t = steps - 1; t >= 0; --t) {
          add<careful>(t, arrived[t], z - 1 - t * lag, parity ^ 1);
          if (t + 1 < steps) {
            copy(arrived[t + 1 < steps ? t + 1 : t], arrived[t]);
            exchange.show(arrived[t], t + 1, parity);
          } else {
            copy(plane, arrived[t]);
          }
        }
      }
      copy(arrived[0], coming);
      exchange.show(arrived[0], 0, parity);
    }
  }
};

template<int steps>
__device__ __forceinline__ void sweep(const Real* in, Real* out, int nx, int ny, int nz, long long pitch,
                                      long long plane) {
  const Tile<steps> tile(in, out, nx, ny, nz, pitch, plane);
  if (!tile.exists) return;
  Levels<steps> levels(tile);
  const int spoilt = tile.begin - steps * depth;
  const int first = spoilt < -margin_z ? -margin_z : spoilt;
  const int last = tile.end + steps * lag;
  Cells next[ahead];
#pragma unroll
  for (int a = 0; a < ahead; ++a) tile.load(next[a], first + a);
#pragma unroll 1
  for (int z = first; z < last; ++z) {
    Cells cells_of_plane;
    copy(cells_of_plane, next[0]);
#pragma unroll
    for (int a = 0; a + 1 < ahead; ++a) copy(next[a], next[a + 1]);
    tile.load(next[ahead - 1], z + ahead);
    if constexpr (exchanging) __syncthreads();
    const int done = z - steps * lag;
    if (tile.careful || tile.kept_plane(done) || tile.kept_plane(z)) {
      levels.template arrive<true>(cells_of_plane, z, z == first);
    } else {
      levels.template arrive<false>(cells_of_plane, z, z == first);
    }
    if (done >= tile.begin && done < tile.end) tile.store(cells_of_plane, done);
  }
}
