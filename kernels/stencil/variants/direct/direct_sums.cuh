// SPDX-License-Identifier: Apache-2.0
// The sums of a thread's VECTOR x CELLS_Y x CELLS_Z cells. An Input brings the cells around the thread's
// first one: load<careful>(to, dx, dy, dz) loads a vector of `lanes` cells from that offset. Points are the
// terms of the sum: those of the whole stencil, or a part of them. A part of the kernels whose threads
// compute such bricks: they define Real, block_x, lanes, cells_y, cells_z, unroll_rows, unroll_planes and
// shuffle before.
#pragma once

#include "stencil_points.cuh"  // generated: reach_x, reach_y, reach_z, star, weight(), has_point()

constexpr int halo_vectors = (reach_x + lanes - 1) / lanes;  // vectors that hold the x neighbours of one side
constexpr int lead = halo_vectors * lanes;  // cells of a segment in front of the thread's own
constexpr int segment = lanes + 2 * lead;

static_assert(lanes == 1 || lanes == 2 || lanes == 4, "VECTOR is 1, 2 or 4");
static_assert(unroll_planes || cells_z == 1, "a loop over planes has outputs in one plane");
static_assert(!shuffle || (reach_x >= 1 && reach_x <= lanes && (block_x % 32 == 0 || 32 % block_x == 0)),
              "SHUFFLE needs the x neighbours in the next lane and rows that divide, or are made of, warps");

// The points of the whole stencil: the offsets along y and z between which they lie, and where they are.
struct AllPoints {
  static constexpr int first_y = -reach_y, last_y = reach_y, first_z = -reach_z, last_z = reach_z;
  __device__ static constexpr bool has(int dx, int dy, int dz) { return has_point(dx, dy, dz); }
};

// The thread's cells of one row with their x neighbours: to[lead + i] is cell i. `own` is already there.
template<bool careful, class Input>
__device__ __forceinline__ void load_sides(Real (&to)[segment], const Input& in, int dy, int dz) {
  if constexpr (shuffle) {
    constexpr int row_lanes = block_x < 32 ? block_x : 32;
    const int lane = static_cast<int>(threadIdx.x) % row_lanes;
#pragma unroll
    for (int i = 1; i <= reach_x; ++i) {
      to[lead - i] = __shfl_up_sync(0xffffffffu, to[lead + lanes - i], 1, row_lanes);
      to[lead + lanes - 1 + i] = __shfl_down_sync(0xffffffffu, to[lead + i - 1], 1, row_lanes);
    }
    if (lane == 0) in.template load<careful>(to + lead - lanes, -lanes, dy, dz);
    if (lane == row_lanes - 1) in.template load<careful>(to + lead + lanes, lanes, dy, dz);
  } else {
#pragma unroll
    for (int v = 0; v < halo_vectors; ++v) {
      in.template load<careful>(to + v * lanes, v * lanes - lead, dy, dz);
      in.template load<careful>(to + lead + (v + 1) * lanes, (v + 1) * lanes, dy, dz);
    }
  }
}

using Sums = Real[cells_z][cells_y][lanes];

// Adds `from` to the outputs of plane `c` that lie above and below row `row`.
template<class Points>
__device__ __forceinline__ void add_along_y(Sums& sums, const Real (&from)[lanes], int row, int c) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
    const int dy = row - j;
    if (dy == 0 || dy < Points::first_y || dy > Points::last_y || !Points::has(0, dy, 0)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) sums[c][j][i] += weight(0, dy, 0) * from[i];
  }
}

template<class Points>
__device__ __forceinline__ void add_along_x(Real (&sum)[lanes], const Real (&from)[segment]) {
#pragma unroll
  for (int dx = -reach_x; dx <= reach_x; ++dx) {
    if (!Points::has(dx, 0, 0)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) sum[i] += weight(dx, 0, 0) * from[lead + i + dx];
  }
}

template<class Points>
__device__ __forceinline__ void add_along_z(Sums& sums, const Real (&from)[lanes], int j, int p) {
#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
    const int dz = p - c;
    if (dz == 0 || dz < Points::first_z || dz > Points::last_z || !Points::has(0, 0, dz)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) sums[c][j][i] += weight(0, 0, dz) * from[i];
  }
}

template<class Points, bool careful, class Input>
__device__ __forceinline__ void sum_star(Sums& sums, const Input& in) {
#pragma unroll
  for (int p = Points::first_z; p < cells_z + Points::last_z; ++p) {
    const bool own_plane = p >= 0 && p < cells_z;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      Real row[segment];
      in.template load<careful>(row + lead, 0, j, p);
      Real own[lanes];
#pragma unroll
      for (int i = 0; i < lanes; ++i) own[i] = row[lead + i];
      add_along_z<Points>(sums, own, j, p);
      if (own_plane) {
        load_sides<careful>(row, in, j, p);
        add_along_x<Points>(sums[p][j], row);
        add_along_y<Points>(sums, own, j, p);
      }
    }
    if (!own_plane) continue;
    constexpr int below = Points::first_y < 0 ? Points::first_y : 0;
    constexpr int above = Points::last_y > 0 ? Points::last_y : 0;
#pragma unroll
    for (int k = below; k < above; ++k) {
      const int row = k < 0 ? k : k + cells_y;
      Real other[lanes];
      in.template load<careful>(other, 0, row, p);
      add_along_y<Points>(sums, other, row, p);
    }
  }
}

// Adds one row of plane p to every output of the thread within reach.
template<class Points>
__device__ __forceinline__ void add_row(Sums& sums, const Real (&from)[segment], int row, int p) {
#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      const int dy = row - j, dz = p - c;
      if (dy < Points::first_y || dy > Points::last_y || dz < Points::first_z || dz > Points::last_z)
        continue;
#pragma unroll
      for (int dx = -reach_x; dx <= reach_x; ++dx) {
        if (unroll_rows && unroll_planes && !Points::has(dx, dy, dz)) continue;
        const Real factor = weight(dx, dy, dz);
#pragma unroll
        for (int i = 0; i < lanes; ++i) sums[c][j][i] += factor * from[lead + i + dx];
      }
    }
  }
}

// The stencil's box: absent points are skipped where all is unrolled, else they have weight 0.
template<class Points, bool careful, class Input>
__device__ __forceinline__ void sum_box(Sums& sums, const Input& in) {
  constexpr int planes = cells_z + Points::last_z - Points::first_z;
  constexpr int rows = cells_y + Points::last_y - Points::first_y;
#pragma unroll(unroll_rows&& unroll_planes ? planes : 1)
  for (int p = Points::first_z; p < cells_z + Points::last_z; ++p) {
#pragma unroll(unroll_rows ? rows : 1)
    for (int row = Points::first_y; row < cells_y + Points::last_y; ++row) {
      Real from[segment];
      in.template load<careful>(from + lead, 0, row, p);
      load_sides<careful>(from, in, row, p);
      add_row<Points>(sums, from, row, p);
    }
  }
}

template<class Points, bool careful, class Input>
__device__ __forceinline__ void sum(Sums& sums, const Input& in) {
  if constexpr (star) {
    sum_star<Points, careful>(sums, in);
  } else {
    sum_box<Points, careful>(sums, in);
  }
}
