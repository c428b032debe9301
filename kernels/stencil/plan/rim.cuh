// SPDX-License-Identifier: Apache-2.0
// One time step of the cells near the array's faces, one cell a thread. Variants that compute several steps
// at once do not see the boundary of the steps between: they leave the rim to these launches, whose cells
// grow fewer from step to step.
#pragma once

#include "boundary.cuh"
#include "rim_points.cuh"  // generated: rim_points, rim_offsets, rim_weights, rim_reach_x, rim_reach_y, rim_reach_z

// ---- defaults ----
#ifndef RIM_BOUNDARY
#define RIM_BOUNDARY Boundary::held  // held or zero
#endif
// ---- end of defaults ----

// Cells of the rim in an array: those nearer to a face than `thick` along some axis; all where there is no
// core.
struct Rim {
  int n[3], thick[3], core[3];

  __device__ __forceinline__ Rim(int nx, int ny, int nz, int thick_x, int thick_y, int thick_z)
      : n{nx, ny, nz}, thick{thick_x, thick_y, thick_z} {
    bool any = true;
    for (int a = 0; a < 3; ++a) {
      core[a] = n[a] - 2 * thick[a];
      any = any && core[a] > 0;
    }
    for (int a = 0; a < 3; ++a) core[a] = any ? core[a] : 0;
  }

  // Cell `index` of the rim: planes of z below and above the core first, then its rows of y, then its ends of
  // x. False beyond the last one.
  __device__ __forceinline__ bool cell(long long index, int& x, int& y, int& z) const {
    const long long planes = static_cast<long long>(n[2] - core[2]) * n[1] * n[0];
    const long long rows = static_cast<long long>(core[2]) * (n[1] - core[1]) * n[0];
    const long long ends = static_cast<long long>(core[2]) * core[1] * (n[0] - core[0]);
    if (index < planes) {
      x = static_cast<int>(index % n[0]);
      y = static_cast<int>(index / n[0] % n[1]);
      z = beside(static_cast<int>(index / n[0] / n[1]), 2);
      return true;
    }
    index -= planes;
    if (index < rows) {
      x = static_cast<int>(index % n[0]);
      y = beside(static_cast<int>(index / n[0] % (n[1] - core[1])), 1);
      z = thick[2] + static_cast<int>(index / n[0] / (n[1] - core[1]));
      return true;
    }
    index -= rows;
    if (index >= ends) return false;
    x = beside(static_cast<int>(index % (n[0] - core[0])), 0);
    y = thick[1] + static_cast<int>(index / (n[0] - core[0]) % core[1]);
    z = thick[2] + static_cast<int>(index / (n[0] - core[0]) / core[1]);
    return true;
  }

  // The i-th coordinate that is not in the core.
  __device__ __forceinline__ int beside(int i, int axis) const {
    return core[axis] > 0 && i >= thick[axis] ? i + core[axis] : i;
  }
};

// Grid: enough threads along x for all cells of the rim.
extern "C" __global__ void stencil_rim(const REAL* __restrict__ in, REAL* __restrict__ out, int nx, int ny,
                                       int nz, long long pitch, long long plane, int thick_x, int thick_y,
                                       int thick_z) {
  int x, y, z;
  const Rim rim(nx, ny, nz, thick_x, thick_y, thick_z);
  if (!rim.cell(static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, x, y, z)) return;
  const long long at = z * plane + y * pitch + x;
  const bool inner = x >= rim_reach_x && x < nx - rim_reach_x && y >= rim_reach_y && y < ny - rim_reach_y &&
                     z >= rim_reach_z && z < nz - rim_reach_z;
  if (RIM_BOUNDARY == Boundary::held && !inner) {
    out[at] = in[at];
    return;
  }
  REAL sum = 0;
  for (int p = 0; p < rim_points; ++p) {
    const int dx = rim_offsets[3 * p], dy = rim_offsets[3 * p + 1], dz = rim_offsets[3 * p + 2];
    const bool inside =
        inner || (x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0 && z + dz < nz);
    if (inside) sum += rim_weights[p] * in[at + dz * plane + dy * pitch + dx];
  }
  out[at] = sum;
}
