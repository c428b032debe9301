// SPDX-License-Identifier: Apache-2.0
// What every configuration is held against at sizes at which a host takes long: one time step of any stencil
// in double precision, nothing but the definition. No configuration runs it, and results do not depend on it.

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

constexpr int cells = 4;  // of a thread at a time, `blockDim.x` apart: a point's offsets and weight serve all

// Dense arrays of nx * ny * nz cells. Grid: ny * nz blocks along x, a row each.
template<class Real>
__device__ __forceinline__ void step(const Real* __restrict__ in, double* __restrict__ out, int nx, int ny,
                                     int nz) {
  const int y = static_cast<int>(blockIdx.x % static_cast<unsigned>(ny));
  const int z = static_cast<int>(blockIdx.x / static_cast<unsigned>(ny));
  const int threads = static_cast<int>(blockDim.x);
  const long long row = static_cast<long long>(blockIdx.x) * nx;
  const bool inner_row = y >= rim_reach_y && y < ny - rim_reach_y && z >= rim_reach_z && z < nz - rim_reach_z;
  const bool sums_up = BOUNDARY == Boundary::zero || inner_row;
  for (int first = static_cast<int>(threadIdx.x); first < nx; first += cells * threads) {
    double sums[cells] = {};
    for (int p = 0; sums_up && p < rim_points; ++p) {
      const int dx = rim_offsets[3 * p], j = y + rim_offsets[3 * p + 1], k = z + rim_offsets[3 * p + 2];
      if (!inner_row && (j < 0 || j >= ny || k < 0 || k >= nz)) continue;
      const Real* from = in + (static_cast<long long>(k) * ny + j) * nx;
      const double weight = rim_weights[p];
#pragma unroll
      for (int c = 0; c < cells; ++c) {
        const int x = first + c * threads + dx;
        if (x >= 0 && x < nx) sums[c] += weight * from[x];
      }
    }
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      const int x = first + c * threads;
      if (x >= nx) break;
      const bool inner = inner_row && x >= rim_reach_x && x < nx - rim_reach_x;
      out[row + x] = BOUNDARY == Boundary::zero || inner ? sums[c] : in[row + x];
    }
  }
}

extern "C" __global__ void reference_first(const INPUT* __restrict__ in, double* __restrict__ out, int nx,
                                           int ny, int nz) {
  step(in, out, nx, ny, nz);
}

extern "C" __global__ void reference_next(const double* __restrict__ in, double* __restrict__ out, int nx,
                                          int ny, int nz) {
  step(in, out, nx, ny, nz);
}
