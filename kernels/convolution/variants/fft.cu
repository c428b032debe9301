// SPDX-License-Identifier: Apache-2.0
// A separable convolution by transforms of the whole image, which a library carries out: these kernels are
// what lies between them. The image is copied to a larger one, with zeros behind its rows and columns as far
// as the taps reach, as transforms are periodic. The spectrum of the taps is a product of one along x and one
// along y.

#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef VECTOR
#define VECTOR 4  // pixels of an access to the image
#endif
// ---- end of defaults ----

#include "convolution_taps.cuh"  // generated: radius, row_taps, column_taps

using Real = REAL;
constexpr int vector = VECTOR;
constexpr int lanes = 16 / sizeof(Real);
constexpr int row_skip = (lanes - radius % lanes) % lanes;  // zeros in front of row_taps
constexpr int each = 4;                                     // accesses of a thread

// Grid: ceil(nx / (block * each * vector)) * ny blocks along x.
extern "C" __global__ void fft_copy(const Real* __restrict__ in, Real* __restrict__ to, int nx,
                                    long long pitch, int to_pitch) {
  const int block = blockDim.x * each * vector, across = (nx + block - 1) / block;
  const long long y = blockIdx.x / across;
  const int begin = blockIdx.x % across * block + threadIdx.x * vector;
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int x = begin + i * blockDim.x * vector;
    Real values[vector];
    if (x + vector <= nx) {
      load_vector<vector, Load::readonly>(values, in + y * pitch + x);
      store_vector<vector, Store::plain>(to + y * to_pitch + x, values);
    } else {
      for (int v = 0; x + v < nx; ++v) to[y * to_pitch + x + v] = in[y * pitch + x + v];
    }
  }
}

// modes[kx, ky] *= spectrum_x[kx] * spectrum_y[ky]; rows have `values` complex numbers, without gaps. tables:
// that of x, then that of y. Grid: ceil(values / (block * each)) * rows blocks along x.
extern "C" __global__ void fft_multiply(Real* __restrict__ modes, const Real* __restrict__ tables,
                                        int values) {
  const int block = blockDim.x * each, across = (values + block - 1) / block;
  const long long row = blockIdx.x / across;
  const int begin = blockIdx.x % across * block + threadIdx.x;
  Real along_y[2];
  load_vector<2, Load::readonly>(along_y, tables + 2 * (values + row));
  Real mode[each][2];
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int k = begin + i * blockDim.x;
    if (k < values) load_vector<2, Load::ordinary>(mode[i], modes + 2 * (row * values + k));
  }
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int k = begin + i * blockDim.x;
    if (k >= values) continue;
    Real along_x[2];
    load_vector<2, Load::readonly>(along_x, tables + 2 * k);
    const Real re = along_x[0] * along_y[0] - along_x[1] * along_y[1];
    const Real im = along_x[0] * along_y[1] + along_x[1] * along_y[0];
    const Real product[2] = {mode[i][0] * re - mode[i][1] * im, mode[i][0] * im + mode[i][1] * re};
    store_vector<2, Store::plain>(modes + 2 * (row * values + k), product);
  }
}

// One number of the spectrum of an axis of n pixels, divided by n; in double precision, once.
__device__ __forceinline__ void make_number(Real* to, const Real* taps, int frequency, int n) {
  double re = 0, im = 0;
  for (int k = -radius; k <= radius; ++k) {
    const long long turns = static_cast<long long>(frequency) * (k + radius) % n;
    const double angle = 6.283185307179586476925286766559 * static_cast<double>(turns) / n;
    re += taps[k + radius] * cos(angle);
    im += taps[k + radius] * sin(angle);
  }
  // Taps were counted from the first one, not from the middle.
  const double angle = 6.283185307179586476925286766559 *
                       static_cast<double>(static_cast<long long>(frequency) * radius % n) / n;
  const double cosine = cos(angle), sine = sin(angle);
  to[0] = static_cast<Real>((re * cosine + im * sine) / n);
  to[1] = static_cast<Real>((im * cosine - re * sine) / n);
}

// Grid: a thread for each of the nx / 2 + 1 numbers along x and the ny along y.
extern "C" __global__ void fft_tables(Real* tables, int nx, int ny) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, values = nx / 2 + 1;
  if (n < values)
    make_number(tables + 2 * n, row_taps + row_skip, n, nx);
  else if (n < values + ny)
    make_number(tables + 2 * n, column_taps, n - values, ny);
}
