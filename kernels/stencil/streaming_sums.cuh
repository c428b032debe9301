// SPDX-License-Identifier: Apache-2.0
// What a plane adds to the cells of a thread, and the queue that the planes or sums form in its registers.
// A part of streaming.cu, whose constants it uses.
#pragma once

#include "streaming_planes.cuh"

// Adds the x and y neighbours of the star and the cell itself.
__device__ __forceinline__ void add_star_plane(Rows& sum, const Rows& own, const Neighbours& near) {
#pragma unroll
  for (int row = -radius; row < cells_y + radius; ++row) {
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
      for (int dx = -radius; dx <= radius; ++dx) {
#pragma unroll
        for (int i = 0; i < lanes; ++i)
          sum[row][i] += stencil_weights[along_x<radius>(dx)] * from[lead + i + dx];
      }
    } else {
      near.load(from + lead, 0, row);
    }
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const int dy = row - c;
      if (dy == 0 || dy < -radius || dy > radius) continue;
#pragma unroll
      for (int i = 0; i < lanes; ++i) sum[c][i] += stencil_weights[along_y<radius>(dy)] * from[lead + i];
    }
  }
}

// Adds a plane of the box to the pending outputs; sums[k] is the output k - radius planes above.
__device__ __forceinline__ void add_box_plane(Rows (&sums)[width], const Neighbours& near) {
  constexpr int rows = cells_y + 2 * radius;
#pragma unroll(unroll_rows ? rows : 1)
  for (int row = -radius; row < cells_y + radius; ++row) {
    Real from[segment];
#pragma unroll
    for (int v = 0; v <= 2 * halo_vectors; ++v) near.load(from + v * lanes, v * lanes - lead, row);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const int dy = row - c;
      if (dy < -radius || dy > radius) continue;
#pragma unroll
      for (int k = 0; k < width; ++k) {
#pragma unroll
        for (int dx = -radius; dx <= radius; ++dx) {
          const Real weight = stencil_weights[in_box<radius>(dx, dy, radius - k)];
#pragma unroll
          for (int i = 0; i < lanes; ++i) sums[k][c][i] += weight * from[lead + i + dx];
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
