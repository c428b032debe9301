// SPDX-License-Identifier: Apache-2.0
// What a plane adds to the cells of a thread, and the queue that the planes or sums form in its registers.
// A part of streaming.cu, whose constants it uses.
#pragma once

#include "streaming_planes.cuh"

// Adds the x and y neighbours of the star and the cell itself.
template<bool careful>
__device__ __forceinline__ void add_star_plane(Rows& sum, const Rows& own, const Neighbours<careful>& near) {
#pragma unroll
  for (int row = -reach_y; row < cells_y + reach_y; ++row) {
    Real from[segment];
    if (row >= 0 && row < cells_y) {
#pragma unroll
      for (int v = 0; v < halo_vectors; ++v) {
        near.load(from + v * lanes, v * lanes - lead, row);
        near.load(from + lead + (v + 1) * lanes, (v + 1) * lanes, row);
      }
#pragma unroll
      for (int i = 0; i < lanes; ++i) from[lead + i] = own[row][i];
#pragma unroll
      for (int dx = -reach_x; dx <= reach_x; ++dx) {
        if (!has_point(dx, 0, 0)) continue;
#pragma unroll
        for (int i = 0; i < lanes; ++i) sum[row][i] += weight(dx, 0, 0) * from[lead + i + dx];
      }
    } else {
      near.load(from + lead, 0, row);
    }
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const int dy = row - c;
      if (dy == 0 || dy < -reach_y || dy > reach_y || !has_point(0, dy, 0)) continue;
#pragma unroll
      for (int i = 0; i < lanes; ++i) sum[c][i] += weight(0, dy, 0) * from[lead + i];
    }
  }
}

// Adds a plane to the pending outputs; sums[k] is the output k - reach_z planes above. Absent points of the
// stencil's box are skipped where rows are unrolled, else they have weight 0.
template<bool careful>
__device__ __forceinline__ void add_box_plane(Rows (&sums)[width], const Neighbours<careful>& near) {
  constexpr int rows = cells_y + 2 * reach_y;
#pragma unroll(unroll_rows ? rows : 1)
  for (int row = -reach_y; row < cells_y + reach_y; ++row) {
    Real from[segment];
#pragma unroll
    for (int v = 0; v <= 2 * halo_vectors; ++v) near.load(from + v * lanes, v * lanes - lead, row);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const int dy = row - c;
      if (dy < -reach_y || dy > reach_y) continue;
#pragma unroll
      for (int k = 0; k < width; ++k) {
#pragma unroll
        for (int dx = -reach_x; dx <= reach_x; ++dx) {
          if (unroll_rows && !has_point(dx, dy, reach_z - k)) continue;
          const Real factor = weight(dx, dy, reach_z - k);
#pragma unroll
          for (int i = 0; i < lanes; ++i) sums[k][c][i] += factor * from[lead + i + dx];
        }
      }
    }
  }
}

__device__ __forceinline__ void shift(Rows (&rows)[width]) {
#pragma unroll
  for (int k = 0; k + 1 < width; ++k) {
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
#pragma unroll
      for (int i = 0; i < lanes; ++i) rows[k][c][i] = rows[k + 1][c][i];
    }
  }
}

__device__ __forceinline__ void set(Rows& rows, Real value) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) {
#pragma unroll
    for (int i = 0; i < lanes; ++i) rows[c][i] = value;
  }
}
