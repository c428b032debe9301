// SPDX-License-Identifier: Apache-2.0
// What every configuration is held against at sizes at which a host takes long: one time step of any stencil
// in double precision, a cell a thread, nothing but the definition.

#include "boundary.cuh"
#include "rim_points.cuh"  // generated, of doubles: rim_points, rim_offsets, rim_weights, rim_reach_x, ..._y, ..._z

// ---- defaults ----
#ifndef INPUT
#define INPUT float  // type of the first step's cells: float or double
#endif
#ifndef BOUNDARY
#define BOUNDARY Boundary::held  // held or zero
#endif
// ---- end of defaults ----

template<class Real>
__device__ __forceinline__ double value_after_step(const Real* __restrict__ in, int x, int y, int z, int nx,
                                                   int ny, int nz) {
  const auto at = [&](int i, int j, int k) -> double {
    return in[(static_cast<long long>(k) * ny + j) * nx + i];
  };
  const bool inner = x >= rim_reach_x && x < nx - rim_reach_x && y >= rim_reach_y && y < ny - rim_reach_y &&
                     z >= rim_reach_z && z < nz - rim_reach_z;
  if (BOUNDARY == Boundary::held && !inner) return at(x, y, z);
  double sum = 0;
  for (int p = 0; p < rim_points; ++p) {
    const int i = x + rim_offsets[3 * p], j = y + rim_offsets[3 * p + 1], k = z + rim_offsets[3 * p + 2];
    if (inner || (i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz))
      sum += rim_weights[p] * at(i, j, k);
  }
  return sum;
}

// Dense arrays of nx * ny * nz cells. Grid: ny * nz blocks along x, a row each.
template<class Real>
__device__ __forceinline__ void step(const Real* __restrict__ in, double* __restrict__ out, int nx, int ny,
                                     int nz) {
  const int y = static_cast<int>(blockIdx.x % static_cast<unsigned>(ny));
  const int z = static_cast<int>(blockIdx.x / static_cast<unsigned>(ny));
  for (int x = static_cast<int>(threadIdx.x); x < nx; x += static_cast<int>(blockDim.x))
    out[static_cast<long long>(blockIdx.x) * nx + x] = value_after_step(in, x, y, z, nx, ny, nz);
}

extern "C" __global__ void reference_first(const INPUT* __restrict__ in, double* __restrict__ out, int nx,
                                           int ny, int nz) {
  step(in, out, nx, ny, nz);
}

extern "C" __global__ void reference_next(const double* __restrict__ in, double* __restrict__ out, int nx,
                                          int ny, int nz) {
  step(in, out, nx, ny, nz);
}
