// SPDX-License-Identifier: Apache-2.0
// The march along z, all levels of a plane.
// A part of temporal.cu, whose constants it uses.
#pragma once

#include "block_barrier.cuh"
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
// The x neighbours that points outside of their row need.
__device__ constexpr int reach_of_other_rows() {
  int reach = 0;
  for (int dz = -reach_z; dz <= reach_z; ++dz)
    for (int dy = -reach_y; dy <= reach_y; ++dy)
      for (int dx = -reach_x; dx <= reach_x; ++dx)
        if (dy != 0 && has_point(dx, dy, dz) && reach < (dx < 0 ? -dx : dx)) reach = dx < 0 ? -dx : dx;
  return reach;
}
constexpr int other_reach = star ? 0 : reach_of_other_rows();
constexpr bool late_rows = reach_z > 0 && (star || only_flat_rows());
constexpr int lag =
    depth + (exchanging && !late_rows ? 1 : 0);  // planes that a level stays behind the one before

extern __shared__ __align__(16) unsigned char shared_bytes[];  // 2 level_cells for each step

// Rows that a warp shows to others in one plane of one level: its first reach_y, then its last reach_y.
constexpr int shown_cells = 2 * reach_y * tile_x;
constexpr int level_cells = warps * shown_cells;

// A row of a lane with its x neighbours: cell i is at reach_x + i.
using Segment = Real[cells_x + 2 * reach_x];

// `reach`: how many neighbours on either side are needed.
template<int reach>
__device__ __forceinline__ void extend(Segment& to, const Real (&row)[cells_x]) {
#pragma unroll
  for (int i = 0; i < cells_x; ++i) to[reach_x + i] = row[i];
#pragma unroll
  for (int d = 1; d <= reach; ++d) {
    const int lanes_away = (d + cells_x - 1) / cells_x;
    const int left = lanes_away * cells_x - d;  // which of that lane's cells
    to[reach_x - d] = __shfl_up_sync(0xffffffffu, row[left], lanes_away);
    to[reach_x + cells_x - 1 + d] = __shfl_down_sync(0xffffffffu, row[cells_x - 1 - left], lanes_away);
  }
}

// The sums to which one plane contributes: sums[k] is the output that lies k - depth planes above it.
using Sums = Real[width][cells_y][cells_x];

// The weights as they are: immediates.
struct SameWeights {
  __device__ static constexpr Real at(int dx, int dy, int dz, int) { return weight(dx, dy, dz); }
};

// The weights of a star for each cell along x of a lane, in registers: in tiles at the array's faces some
// lanes have cells that keep their value. These have weight 1 for themselves and 0 for all others, which
// costs no instruction more; choosing between old and new sums costs as many as the sums.
struct LaneWeights {
  Real along_x[2 * reach_x + 1][cells_x];
  Real along_y[2 * reach_y + 1][cells_x];
  Real along_z[2 * reach_z + 1][cells_x];

  // `kept`: bit i is set where cell i keeps its value.
  __device__ __forceinline__ explicit LaneWeights(unsigned kept) {
#pragma unroll
    for (int i = 0; i < cells_x; ++i) {
      const bool keeps = kept >> i & 1u;
#pragma unroll
      for (int d = -reach_x; d <= reach_x; ++d) along_x[d + reach_x][i] = keeps ? d == 0 : weight(d, 0, 0);
#pragma unroll
      for (int d = -reach_y; d <= reach_y; ++d) along_y[d + reach_y][i] = keeps ? 0 : weight(0, d, 0);
#pragma unroll
      for (int d = -reach_z; d <= reach_z; ++d) along_z[d + reach_z][i] = keeps ? 0 : weight(0, 0, d);
    }
  }
  __device__ __forceinline__ Real at(int dx, int dy, int dz, int i) const {
    return dz != 0 ? along_z[dz + reach_z][i] : dy != 0 ? along_y[dy + reach_y][i] : along_x[dx + reach_x][i];
  }
};

// Only where they are few.
constexpr bool lane_weights = star && (2 * (reach_x + reach_y + reach_z) + 3) * cells_x <= 40;

// Adds a row that lies `row` rows above the lane's first one to the sums of its own plane.
template<class Weights>
__device__ __forceinline__ void add_flat_row(Cells& sum, const Segment& from, int row,
                                             const Weights& weights) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
    const int dy = row - j;
    if (dy < -reach_y || dy > reach_y) continue;
#pragma unroll
    for (int dx = -reach_x; dx <= reach_x; ++dx) {
      if (!has_point(dx, dy, 0)) continue;
#pragma unroll
      for (int i = 0; i < cells_x; ++i) sum[j][i] += weights.at(dx, dy, 0, i) * from[reach_x + i + dx];
    }
  }
}

// The same to the sums of every output within reach.
template<class Weights>
__device__ __forceinline__ void add_row(Sums& sums, const Segment& from, int row, const Weights& weights) {
  add_flat_row(sums[depth], from, row, weights);
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
        for (int i = 0; i < cells_x; ++i) sums[k][j][i] += weights.at(dx, dy, dz, i) * from[reach_x + i + dx];
      }
    }
  }
}

// Rows on their way between the warps of a block: one set of buffers, a buffer for each level, is written
// while the other one is read; turn() exchanges them.
template<int steps>
struct Exchange {
  Real* own;  // where the lane writes, in the set that is written
  // Where it reads: rows of the next warp and of the one before. Beyond the tile there is no warp: what is
  // read instead spoils only what is spoilt anyway.
  const Real* above;
  const Real* below;
  int set = steps * level_cells;  // from the set that is read to the one that is written

  __device__ __forceinline__ Exchange(int lane, int warp) {
    Real* first = reinterpret_cast<Real*>(shared_bytes) + lane * cells_x;
    own = first + set + warp * shown_cells;
    above = first + (warp + 1 < warps ? warp + 1 : warp) * shown_cells;
    below = first + (warp > 0 ? warp - 1 : warp) * shown_cells + reach_y * tile_x;
    // Nothing has arrived yet.
    Cells nothing;
    clear(nothing);
    own -= set;
#pragma unroll
    for (int t = 0; t < steps; ++t) show(nothing, t);
    own += set;
  }

  __device__ __forceinline__ void turn() {
    own -= set;
    above += set;
    below += set;
    set = -set;
  }

  // Shows this warp's outermost rows to its neighbours.
  __device__ __forceinline__ void show(const Cells& plane, int level) const {
    Real* to = own + level * level_cells;
#pragma unroll
    for (int r = 0; r < reach_y; ++r) {
      store_vector<cells_x, Store::plain>(to + r * tile_x, plane[r]);
      store_vector<cells_x, Store::plain>(to + (reach_y + r) * tile_x, plane[cells_y - reach_y + r]);
    }
  }

  // Hands the rows of the neighbouring warps to add(segment, row).
  template<class Add>
  __device__ __forceinline__ void take(int level, Add add) const {
#pragma unroll
    for (int r = 0; r < reach_y; ++r) {
      Real row[cells_x];
      Segment segment;
      load_vector<cells_x, Load::shared>(row, above + level * level_cells + r * tile_x);
      extend<other_reach>(segment, row);
      add(segment, cells_y + r);
      load_vector<cells_x, Load::shared>(row, below + level * level_cells + r * tile_x);
      extend<other_reach>(segment, row);
      add(segment, r - reach_y);
    }
  }
};
