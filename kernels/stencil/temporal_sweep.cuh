// SPDX-License-Identifier: Apache-2.0
// The march along z, all levels of a plane.
// A part of temporal.cu, whose constants it uses.
#pragma once

#include "temporal_tile.cuh"

// Whether the rows of other warps concern only sums of their own plane. They may come a plane late then: a
// sum waits for reach_z more planes anyway. Else a level begins with a plane when all its rows are there, one
// plane later, and holds it in registers until then.
__device__ constexpr bool only_flat_rows() {
  for (int dz = -reach_z; dz <= reach_z; ++dz)
    for (int dy = -reach_y; dy <= reach_y; ++dy)
      for (int dx = -reach_x; dx <= reach_x; ++dx)
        if (dz != 0 && dy != 0 && has_point(dx, dy, dz)) return false;
  return true;
}
constexpr bool late_rows = reach_z > 0 && (star || only_flat_rows());
constexpr int lag =
    depth + (exchanging && !late_rows ? 1 : 0);  // planes that a level stays behind the one before

extern __shared__ __align__(16) unsigned char shared_bytes[];  // 2 level_cells for each step

// Rows that a warp shows to others in one plane of one level: its first reach_y, then its last reach_y.
constexpr int shown_cells = 2 * reach_y * tile_x;
constexpr int level_cells = warps * shown_cells;

// A row of a lane with its x neighbours: cell i is at reach_x + i.
using Segment = Real[cells_x + 2 * reach_x];

__device__ __forceinline__ void extend(Segment& to, const Real (&row)[cells_x]) {
#pragma unroll
  for (int i = 0; i < cells_x; ++i) to[reach_x + i] = row[i];
#pragma unroll
  for (int d = 1; d <= reach_x; ++d) {
    const int lanes_away = (d + cells_x - 1) / cells_x;
    const int left = lanes_away * cells_x - d;  // which of that lane's cells
    to[reach_x - d] = __shfl_up_sync(0xffffffffu, row[left], lanes_away);
    to[reach_x + cells_x - 1 + d] = __shfl_down_sync(0xffffffffu, row[cells_x - 1 - left], lanes_away);
  }
}

// The sums to which one plane contributes: sums[k] is the output that lies k - depth planes above it.
using Sums = Real[width][cells_y][cells_x];

// Adds a row that lies `row` rows above the lane's first one to the sums of its own plane.
__device__ __forceinline__ void add_flat_row(Cells& sum, const Segment& from, int row) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
    const int dy = row - j;
    if (dy < -reach_y || dy > reach_y) continue;
#pragma unroll
    for (int dx = -reach_x; dx <= reach_x; ++dx) {
      if (!has_point(dx, dy, 0)) continue;
#pragma unroll
      for (int i = 0; i < cells_x; ++i) sum[j][i] += weight(dx, dy, 0) * from[reach_x + i + dx];
    }
  }
}

// The same to the sums of every output within reach.
__device__ __forceinline__ void add_row(Sums& sums, const Segment& from, int row) {
  add_flat_row(sums[depth], from, row);
#pragma unroll
  for (int k = 0; k < width; ++k) {
    const int dz = depth - k;
    if (dz == 0 || dz < -reach_z || dz > reach_z) continue;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      const int dy = row - j;
      if (dy < -reach_y || dy > reach_y) continue;
#pragma unroll
      for (int dx = -reach_x; dx <= reach_x; ++dx) {
        if (!has_point(dx, dy, dz)) continue;
#pragma unroll
        for (int i = 0; i < cells_x; ++i) sums[k][j][i] += weight(dx, dy, dz) * from[reach_x + i + dx];
      }
    }
  }
}

__device__ __forceinline__ void copy(Cells& to, const Cells& from) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
#pragma unroll
    for (int i = 0; i < cells_x; ++i) to[j][i] = from[j][i];
  }
}

__device__ __forceinline__ void clear(Cells& to) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
#pragma unroll
    for (int i = 0; i < cells_x; ++i) to[j][i] = 0;
  }
}

// Rows on their way between the warps of a block: every level has a buffer for even and one for odd planes.
struct Exchange {
  int lane, warp;

  __device__ __forceinline__ static Real* buffer(int level, int parity) {
    return reinterpret_cast<Real*>(shared_bytes) + (2 * level + parity) * level_cells;
  }

  // Shows this warp's outermost rows to its neighbours.
  __device__ __forceinline__ void show(const Cells& plane, int level, int parity) const {
    Real* to = buffer(level, parity) + warp * shown_cells + lane * cells_x;
#pragma unroll
    for (int r = 0; r < reach_y; ++r) {
      store_vector<cells_x, Store::plain>(to + r * tile_x, plane[r]);
      store_vector<cells_x, Store::plain>(to + (reach_y + r) * tile_x, plane[cells_y - reach_y + r]);
    }
  }

  // Hands the rows of the neighbouring warps to add(segment, row). Beyond the tile there is no warp: what is
  // added instead spoils only what is spoilt anyway.
  template<class Add>
  __device__ __forceinline__ void take(int level, int parity, Add add) const {
    const Real* from = buffer(level, parity) + lane * cells_x;
    const Real* above = from + (warp + 1 < warps ? warp + 1 : warp) * shown_cells;
    const Real* below = from + (warp > 0 ? warp - 1 : warp) * shown_cells + reach_y * tile_x;
#pragma unroll
    for (int r = 0; r < reach_y; ++r) {
      Real row[cells_x];
      Segment segment;
      load_vector<cells_x, Load::shared>(row, above + r * tile_x);
      extend(segment, row);
      add(segment, cells_y + r);
      load_vector<cells_x, Load::shared>(row, below + r * tile_x);
      extend(segment, row);
      add(segment, r - reach_y);
    }
  }
};
