// SPDX-License-Identifier: Apache-2.0
// Any stencil, any number of time steps at once, beside Fourier transforms: a periodic convolution is a
// product of spectra, and so many steps are a power of the stencil's own. These kernels are what lies between
// the transforms; cells near the faces are the rim's, as everything periodic is wrong for them.
//
// The last axis may do without: spectra of planes (of rows in two dimensions) are convolved along it, each
// mode with weights of its own, its `taps`. That is a pass over the memory like the product, and two passes
// of the transforms less.
//
// Spectra of real numbers have nx / 2 + 1 complex numbers a row, rows and planes without gaps between them.
// All kernels take any one-dimensional grid: threads go on by strides of the whole grid.

#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a cell: float or double
#endif
#ifndef SPECTRUM
#define SPECTRUM Spectrum::array  // array or tables
#endif
#ifndef TAP_REACH
#define TAP_REACH 1  // taps on either side of a mode's own: the stencil's reach along z times the fused steps
#endif
#ifndef CHUNK
#define CHUNK 64  // planes of z that a thread convolves
#endif
// ---- end of defaults ----

#include "rim.cuh"

namespace {

// Where the spectrum of one step comes from. array: one element for each mode; tables: that of a star, the
// sum of one of each axis.
enum class Spectrum { array, tables };
constexpr Spectrum spectrum = SPECTRUM;

constexpr int lanes = 16 / sizeof(REAL);  // elements of one access

struct Complex {
  REAL re, im;
};

__device__ __forceinline__ Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// base^exponent by repeated squaring; exponent >= 1, equal for all threads.
__device__ __forceinline__ Complex power(Complex base, int exponent) {
  Complex result = {1, 0};
  for (;;) {
    if (exponent & 1) result = result * base;
    exponent >>= 1;
    if (exponent == 0) return result;
    base = base * base;
  }
}

// Coordinates in rows and planes without gaps. Moving on needs no division.
struct Place {
  unsigned x, y, z;

  __device__ __forceinline__ Place(long long index, unsigned row, unsigned rows)
      : x(static_cast<unsigned>(index % row)),
        y(static_cast<unsigned>(index / row % rows)),
        z(static_cast<unsigned>(index / row / rows)) {}

  __device__ __forceinline__ void carry(unsigned row, unsigned rows) {
    if (x >= row) {
      x -= row;
      ++y;
    }
    if (y >= rows) {
      y -= rows;
      ++z;
    }
  }
  // By as many elements as lie between the first one and `step`.
  __device__ __forceinline__ void move(const Place& step, unsigned row, unsigned rows) {
    x += step.x;
    y += step.y;
    z += step.z;
    carry(row, rows);
  }
  __device__ __forceinline__ void next(unsigned row, unsigned rows) {
    ++x;
    carry(row, rows);
  }
};

__device__ __forceinline__ long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long all_threads() {
  return static_cast<long long>(gridDim.x) * blockDim.x;
}

// One access, or, where less is `left` of the array, so many elements and zeros.
template<Load path>
__device__ __forceinline__ void load_some(REAL* to, const REAL* from, long long left) {
  if (left >= lanes) {
    load_vector<lanes, path>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < lanes; ++i) to[i] = i < left ? from[i] : REAL(0);
  }
}
__device__ __forceinline__ void store_some(REAL* to, const REAL* from, long long left) {
  if (left >= lanes) {
    store_vector<lanes, Store::plain>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < lanes; ++i)
      if (i < left) to[i] = from[i];
  }
}

// Whether a point at offset d of cell i falls on cell 0 of n that repeat for ever.
__device__ __forceinline__ bool falls_on_zero(unsigned i, int d, int n) {
  return (static_cast<long long>(i) + d) % n == 0;
}
__device__ __forceinline__ bool near_zero(unsigned i, int n, int reach) {
  return static_cast<long long>(i) <= reach || static_cast<long long>(i) >= n - static_cast<long long>(reach);
}

// Element k of the spectrum along one axis of n cells: the points of a star on that axis; x has the cell's
// own point. In double precision: the tables are small, and all steps amplify what is wrong with them.
__device__ Complex axis_spectrum(int axis, long long k, int n) {
  double re = 0, im = 0;
  for (int p = 0; p < rim_points; ++p) {
    const int dx = rim_offsets[3 * p], dy = rim_offsets[3 * p + 1], dz = rim_offsets[3 * p + 2];
    const int on = dz != 0 ? 2 : (dy != 0 ? 1 : 0);
    if (on != axis) continue;
    double sine, cosine;
    sincospi(2 * static_cast<double>(k * (dx + dy + dz) % n) / n, &sine, &cosine);
    re += rim_weights[p] * cosine;
    im += rim_weights[p] * sine;
  }
  return {static_cast<REAL>(re), static_cast<REAL>(im)};
}

// Those of mode `at` and, in one access, the next one: see `lanes`.
__device__ __forceinline__ void load_filter(REAL* to, const REAL* filter, long long at, long long count,
                                            Place mode, unsigned row, unsigned rows, long long planes) {
  if constexpr (spectrum == Spectrum::array) {
    load_some<Load::readonly>(to, filter + 2 * at, 2 * (count - at));
  } else {
    const REAL* along_y = filter + 2 * static_cast<long long>(row);
    const REAL* along_z = along_y + 2 * static_cast<long long>(rows);
#pragma unroll
    for (int i = 0; i < lanes; i += 2) {
      REAL x[2], y[2], z[2];
      load_vector<2, Load::readonly>(x, filter + 2 * static_cast<long long>(mode.x));
      load_vector<2, Load::readonly>(y, along_y + 2 * static_cast<long long>(mode.y));
      // The one behind the last mode has no place in the tables.
      load_vector<2, Load::readonly>(z, along_z + 2 * (mode.z < planes ? mode.z : planes - 1));
#pragma unroll
      for (int part = 0; part < 2; ++part) to[i + part] = x[part] + y[part] + z[part];
      mode.next(row, rows);
    }
  }
}

}  // namespace

// The stencil as what a cell is convolved with, in rows of `pitch` and planes of `plane` elements: what
// out = sum of weight * in(x + d) means for the only cell that is 1.
extern "C" __global__ void fft_filter(REAL* __restrict__ filter, int nx, int ny, int nz, long long pitch,
                                      long long plane) {
  const long long cells = static_cast<long long>(nx) * ny * nz;
  for (long long i = thread_index(); i < cells; i += all_threads()) {
    const Place cell(i, nx, ny);
    REAL sum = 0;
    // Far from cell 0 there is nothing to look for.
    if (near_zero(cell.x, nx, rim_reach_x) && near_zero(cell.y, ny, rim_reach_y) &&
        near_zero(cell.z, nz, rim_reach_z))
      for (int p = 0; p < rim_points; ++p)
        if (falls_on_zero(cell.x, rim_offsets[3 * p], nx) &&
            falls_on_zero(cell.y, rim_offsets[3 * p + 1], ny) &&
            falls_on_zero(cell.z, rim_offsets[3 * p + 2], nz))
          sum += rim_weights[p];
    filter[cell.z * plane + cell.y * pitch + cell.x] = sum;
  }
}

// The spectra of a star along x (nx / 2 + 1 complex numbers), y (ny) and z (nz), one behind the other.
extern "C" __global__ void fft_tables(REAL* __restrict__ tables, int nx, int ny, int nz) {
  const long long row = nx / 2 + 1, count = row + ny + nz;
  for (long long i = thread_index(); i < count; i += all_threads()) {
    Complex value;
    if (i < row) {
      value = axis_spectrum(0, i, nx);
    } else if (i < row + ny) {
      value = axis_spectrum(1, i - row, ny);
    } else {
      value = axis_spectrum(2, i - row - ny, nz);
    }
    tables[2 * i] = value.re;
    tables[2 * i + 1] = value.im;
  }
}

// The array, as it lies, to one whose elements beside it are 0: `count` elements in all, planes of whole rows
// of `pitch`.
extern "C" __global__ void fft_clear_around(const REAL* __restrict__ in, REAL* __restrict__ out, int nx,
                                            int ny, int nz, long long pitch, long long plane,
                                            long long count) {
  const unsigned row = static_cast<unsigned>(pitch), rows = static_cast<unsigned>(plane / pitch);
  const unsigned end_x = nx, end_y = ny, end_z = nz;
  const long long stride = all_threads() * lanes;
  const Place step(stride, row, rows);
  Place first(thread_index() * lanes, row, rows);
  for (long long at = thread_index() * lanes; at < count; at += stride, first.move(step, row, rows)) {
    REAL values[lanes];
    load_some<Load::readonly>(values, in + at, count - at);
    Place cell = first;
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      if (cell.x >= end_x || cell.y >= end_y || cell.z >= end_z) values[i] = 0;
      cell.next(row, rows);
    }
    store_some(out + at, values, count - at);
  }
}

// Multiplies the spectrum of an array of nx * ny * nz cells by that of `steps` steps, and by `scale`.
extern "C" __global__ void fft_multiply(REAL* __restrict__ modes, const REAL* __restrict__ filter, int nx,
                                        int ny, int nz, int steps, REAL scale) {
  constexpr int at_once = lanes / 2;
  const unsigned row = nx / 2 + 1, rows = ny;
  const long long count = static_cast<long long>(row) * ny * nz, stride = all_threads() * at_once;
  const Place step(stride, row, rows);
  Place mode(thread_index() * at_once, row, rows);
  for (long long at = thread_index() * at_once; at < count; at += stride, mode.move(step, row, rows)) {
    REAL values[lanes], factors[lanes];
    load_some<Load::ordinary>(values, modes + 2 * at, 2 * (count - at));
    load_filter(factors, filter, at, count, mode, row, rows, nz);
#pragma unroll
    for (int i = 0; i < lanes; i += 2) {
      const Complex product =
          Complex{values[i], values[i + 1]} * power(Complex{factors[i], factors[i + 1]}, steps);
      values[i] = product.re * scale;
      values[i + 1] = product.im * scale;
    }
    store_some(modes + 2 * at, values, 2 * (count - at));
  }
}

// The taps of one step: for each plane distance dz = -rim_reach_z .. rim_reach_z the spectrum of the
// stencil's points there, of planes of (nx / 2 + 1) * ny modes.
extern "C" __global__ void fft_taps(REAL* __restrict__ taps, int nx, int ny) {
  const long long row = nx / 2 + 1, modes = row * ny, count = modes * (2 * rim_reach_z + 1);
  for (long long i = thread_index(); i < count; i += all_threads()) {
    const int dz = static_cast<int>(i / modes) - rim_reach_z;
    const long long kx = i % row, ky = i % modes / row;
    double re = 0, im = 0;
    for (int p = 0; p < rim_points; ++p) {
      if (rim_offsets[3 * p + 2] != dz) continue;
      double sine, cosine;
      sincospi(2 * (static_cast<double>(kx * rim_offsets[3 * p] % nx) / nx +
                    static_cast<double>(ky * rim_offsets[3 * p + 1] % ny) / ny),
               &sine, &cosine);
      re += rim_weights[p] * cosine;
      im += rim_weights[p] * sine;
    }
    taps[2 * i] = static_cast<REAL>(re);
    taps[2 * i + 1] = static_cast<REAL>(im);
  }
}

// The taps of one step more: `before` has those of `steps` steps, `one` those of one.
extern "C" __global__ void fft_fold_taps(const REAL* __restrict__ one, const REAL* __restrict__ before,
                                         REAL* __restrict__ after, int nx, int ny, int steps) {
  constexpr int width = 2 * rim_reach_z + 1;
  const long long modes = static_cast<long long>(nx / 2 + 1) * ny;
  const int known = 2 * rim_reach_z * steps + 1;
  const long long count = modes * (known + width - 1);
  for (long long i = thread_index(); i < count; i += all_threads()) {
    const int tap = static_cast<int>(i / modes);
    const long long mode = i % modes;
    Complex sum = {0, 0};
    for (int k = 0; k < width; ++k) {
      if (tap - k < 0 || tap - k >= known) continue;
      const long long a = 2 * (k * modes + mode), b = 2 * ((tap - k) * modes + mode);
      const Complex product = Complex{one[a], one[a + 1]} * Complex{before[b], before[b + 1]};
      sum = {sum.re + product.re, sum.im + product.im};
    }
    after[2 * i] = sum.re;
    after[2 * i + 1] = sum.im;
  }
}

// A mode of all planes on its way along z: the pending outputs are in registers, each plane adds to all.
struct ModeMarch {
  static constexpr int reach = TAP_REACH, width = 2 * reach + 1;
  Complex taps[width];
  Complex sums[width];  // sums[k]: plane p - reach + k

  __device__ __forceinline__ ModeMarch(const REAL* from, long long modes, REAL scale) {
#pragma unroll
    for (int k = 0; k < width; ++k) {
      REAL tap[2];
      load_vector<2, Load::readonly>(tap, from + 2 * k * modes);
      taps[k] = {tap[0] * scale, tap[1] * scale};
      sums[k] = {0, 0};
    }
  }
  // Adds plane p; gives what plane p - reach has come to.
  __device__ __forceinline__ Complex add(Complex value) {
#pragma unroll
    for (int k = 0; k < width; ++k) {
      const Complex product = taps[width - 1 - k] * value;
      sums[k] = {sums[k].re + product.re, sums[k].im + product.im};
    }
    const Complex done = sums[0];
#pragma unroll
    for (int k = 0; k + 1 < width; ++k) sums[k] = sums[k + 1];
    sums[width - 1] = {0, 0};
    return done;
  }
};

// out = taps * in along z, for all modes of nz planes, times `scale`. Planes beyond the array are zeros.
// Grid: ceil(modes / block) * ceil(nz / CHUNK) blocks along x, those of a chunk side by side.
extern "C" __global__ void fft_convolve(const REAL* __restrict__ in, REAL* __restrict__ out,
                                        const REAL* __restrict__ taps, int nx, int ny, int nz, REAL scale) {
  constexpr int ahead = 4;  // planes whose loads are on their way together
  const long long modes = static_cast<long long>(nx / 2 + 1) * ny;
  const unsigned blocks = static_cast<unsigned>((modes + blockDim.x - 1) / blockDim.x);
  const long long mode = static_cast<long long>(blockIdx.x % blocks) * blockDim.x + threadIdx.x;
  if (mode >= modes) return;
  const int begin = static_cast<int>(blockIdx.x / blocks) * CHUNK;
  const int end = nz - begin < CHUNK ? nz : begin + CHUNK;
  ModeMarch march(taps + 2 * mode, modes, scale);
  for (int p = begin - march.reach; p < end + march.reach; p += ahead) {
    REAL values[ahead][2];
#pragma unroll
    for (int u = 0; u < ahead; ++u) {
      values[u][0] = values[u][1] = 0;
      if (p + u >= 0 && p + u < nz)
        load_vector<2, Load::readonly>(values[u], in + 2 * ((p + u) * modes + mode));
    }
#pragma unroll
    for (int u = 0; u < ahead; ++u) {
      const Complex done = march.add({values[u][0], values[u][1]});
      const REAL result[2] = {done.re, done.im};
      const int z = p + u - march.reach;
      if (z >= begin && z < end) store_vector<2, Store::plain>(out + 2 * (z * modes + mode), result);
    }
  }
}
