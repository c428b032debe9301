// SPDX-License-Identifier: Apache-2.0
// A separable convolution by one block, as exercises begin with: its threads take every pixel of the image in
// turn, first the sums along rows, to a scratch image, then those along columns. A device has many more
// multiprocessors than the one that works here: what this variant shows is how much that costs.

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef THREADS
#define THREADS 1024  // threads of the block
#endif
// ---- end of defaults ----

#include "convolution_taps.cuh"  // generated: radius, row_taps, column_taps

using Real = REAL;
constexpr int threads = THREADS;
constexpr int lanes = 16 / sizeof(Real);
constexpr int row_skip = (lanes - radius % lanes) % lanes;  // zeros in front of row_taps

// The taps that meet pixels 0 .. extent - 1 around `middle`, of pixels `stride` apart.
__device__ __forceinline__ Real sum_around(const Real* at, long long stride, const Real* taps, int middle,
                                           int extent) {
  const int begin = middle < radius ? -middle : -radius;
  const int end = extent - middle <= radius ? extent - middle : radius + 1;
  Real sum = 0;
  for (int k = begin; k < end; ++k) sum += taps[k + radius] * at[k * stride];
  return sum;
}

// One block. All images begin at pixel (0, 0); the scratch image has no gaps between its rows.
extern "C" __global__ void __launch_bounds__(threads)
    convolve_in_block(const Real* in, Real* between, Real* out, int nx, int ny, long long pitch) {
  const long long pixels = static_cast<long long>(nx) * ny;
  for (long long n = threadIdx.x; n < pixels; n += threads) {
    const int x = static_cast<int>(n % nx);
    between[n] = sum_around(in + n / nx * pitch + x, 1, row_taps + row_skip, x, nx);
  }
  __syncthreads();
  for (long long n = threadIdx.x; n < pixels; n += threads) {
    const int y = static_cast<int>(n / nx);
    out[y * pitch + n % nx] = sum_around(between + n, nx, column_taps, y, ny);
  }
}
