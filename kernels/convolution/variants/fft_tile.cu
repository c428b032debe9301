// SPDX-License-Identifier: Apache-2.0
// A separable convolution by Fourier transforms in shared memory: a kernel for the rows, one for the columns,
// a scratch image between. Each block reads pieces of rows (of columns), transforms them, multiplies them by
// the spectrum of the taps, transforms them back and writes what is right of them: all but the ends, to which
// the taps bring pixels from the other end (overlap and save).
//
// Pieces are of one long row: the image's rows one after another, with as many zeros between as the taps
// reach. So no piece is wasted on what is left of a row. Two pieces are a transform's real and imaginary
// parts: the taps are real, and each keeps to itself. Of columns, two neighbours are.

#include "async_copy.cuh"
#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef ROW_LENGTH
#define ROW_LENGTH 1024  // rows: pixels of a piece, a power of two
#endif
#ifndef ROW_PAIRS
#define ROW_PAIRS 4  // rows: pairs of pieces of a block
#endif
#ifndef COLUMN_LENGTH
#define COLUMN_LENGTH 1024  // columns: pixels of a piece, a power of two
#endif
#ifndef COLUMN_PAIRS
#define COLUMN_PAIRS 4  // columns: pairs of columns of a block
#endif
#ifndef VECTOR
#define VECTOR 2  // pixels of a store of the result: 1 or 2
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores of the result
#endif
#ifndef ROW_BLOCKS
#define ROW_BLOCKS 1  // rows: blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef COLUMN_BLOCKS
#define COLUMN_BLOCKS 1  // columns: the same
#endif
// ---- end of defaults ----

#include "convolution_taps.cuh"  // generated: radius, row_taps, column_taps

using Real = REAL;
constexpr int row_length = ROW_LENGTH, column_length = COLUMN_LENGTH;
constexpr int row_pairs = ROW_PAIRS, column_pairs = COLUMN_PAIRS;
constexpr int vector = VECTOR;
constexpr Store store_path = STORE;

#include "fourier.cuh"
#include "row_segment.cuh"

using RowTransforms = BlockTransforms<row_length, row_pairs, false>;
using ColumnTransforms = BlockTransforms<column_length, column_pairs, true>;

// Pixels that a piece begins with before those that are right, and how many these are. Along rows, both are
// whole lines.
constexpr int row_lead = (radius + 31) / 32 * 32, row_kept = (row_length - row_lead - radius) / 32 * 32;
constexpr int column_lead = radius, column_kept = column_length - 2 * radius;
static_assert(row_kept > 0 && column_kept > 0, "pieces are longer than the taps reach");

// The lines of the long row (rows; groups of columns) that a thread has pixels of, in turn. Its pixels are p
// * step behind `position`, of which those from `from` to `to` count. use(line, begin, first, last): the line
// begins `begin` behind the position, and has those of the thread's pixels that lie from `first` to `last`
// behind it. Position 0 is `lead` pixels in front of line 0; lines have `length` pixels, and zeros up to
// `period`.
template<class Use>
__device__ __forceinline__ void for_lines(unsigned position, unsigned lead, unsigned period, int length,
                                          int lines, int from, int to, Use use) {
  const unsigned inside = position < lead ? 0 : position - lead;
  int line = static_cast<int>(inside / period);
  int begin = position < lead ? static_cast<int>(lead - position) : -static_cast<int>(inside % period);
#pragma unroll 1
  for (; begin < to && line < lines; begin += static_cast<int>(period), ++line)
    use(line, begin, begin > from ? begin : from, begin + length < to ? begin + length : to);
}

// Reads one piece of rows as real or imaginary parts.
template<bool imaginary>
__device__ __forceinline__ void read_piece(Complex (&x)[points], const Real* in, unsigned position,
                                           unsigned period, int nx, int ny, long long pitch) {
  constexpr int step = RowTransforms::threads_each;
#pragma unroll
  for (int p = 0; p < points; ++p) (imaginary ? x[p].im : x[p].re) = 0;
  for_lines(position, row_lead, period, nx, ny, 0, row_length, [&](int line, int begin, int first, int last) {
    const Real* from = in + line * pitch - begin;
#pragma unroll
    for (int p = 0; p < points; ++p)
      if (p * step >= first && p * step < last) (imaginary ? x[p].im : x[p].re) = __ldg(from + p * step);
  });
}

// Whole pairs of columns: the second kernel reads a pixel beside the image, whatever it is.
template<bool imaginary>
__device__ __forceinline__ void write_piece(const Complex (&x)[points], Real* out, unsigned position,
                                            int thread, unsigned period, int nx, int ny, long long pitch) {
  constexpr int step = RowTransforms::threads_each;
  const int from = row_lead - thread, to = from + row_kept, whole = (nx + 1) / 2 * 2;
  for_lines(position, row_lead, period, whole, ny, from, to, [&](int line, int begin, int first, int last) {
    Real* target = out + line * pitch - begin;
#pragma unroll
    for (int p = 0; p < points; ++p)
      if (p * step >= first && p * step < last) target[p * step] = imaginary ? x[p].im : x[p].re;
  });
}

// `period`: distance of two rows in the long row; it has less than 2^31 pixels. Grid: a block for row_pairs
// pairs of pieces, each the next row_kept pixels. Dynamic shared memory: RowTransforms::numbers complex
// numbers.
extern "C" __global__ void __launch_bounds__(RowTransforms::threads, ROW_BLOCKS)
    fft_rows(const Real* __restrict__ in, Real* __restrict__ between, const Real* __restrict__ tables, int nx,
             int ny, long long pitch, long long between_pitch, unsigned period) {
  const RowTransforms block(reinterpret_cast<Complex*>(shared_bytes),
                            reinterpret_cast<const Complex*>(tables));
  const unsigned first = (blockIdx.x * row_pairs + block.which) * 2 * row_kept + block.thread;
  Complex x[points];
  read_piece<false>(x, in, first, period, nx, ny, pitch);
  read_piece<true>(x, in, first + row_kept, period, nx, ny, pitch);
  block.convolve(x);
  const unsigned again = anew(first);
  write_piece<false>(x, between, again, block.thread, period, nx, ny, between_pitch);
  write_piece<true>(x, between, again + row_kept, block.thread, period, nx, ny, between_pitch);
}

// The same of columns, whose lines are groups of column_pairs pairs; `lines` counts them.
extern "C" __global__ void __launch_bounds__(ColumnTransforms::threads, COLUMN_BLOCKS)
    fft_columns(const Real* __restrict__ between, Real* __restrict__ out, const Real* __restrict__ tables,
                int nx, int ny, long long between_pitch, long long pitch, unsigned period, int lines) {
  constexpr int step = ColumnTransforms::threads_each;
  const ColumnTransforms block(reinterpret_cast<Complex*>(shared_bytes),
                               reinterpret_cast<const Complex*>(tables));
  const unsigned position = blockIdx.x * column_kept + block.thread;
  Complex x[points] = {};
  for_lines(position, column_lead, period, ny, lines, 0, column_length,
            [&](int line, int begin, int first, int last) {
              const int column = (line * column_pairs + block.which) * 2;
              if (column >= nx) return;
              const Real* from = between - begin * between_pitch + column;
#pragma unroll
              for (int p = 0; p < points; ++p) {
                if (p * step < first || p * step >= last) continue;
                Real pair[2];
                load_vector<2, Load::readonly>(pair, from + p * step * between_pitch);
                x[p] = {pair[0], pair[1]};
              }
            });
  block.convolve(x);
  const int from = column_lead - block.thread;
  for_lines(anew(position), column_lead, period, ny, lines, from, from + column_kept,
            [&](int line, int begin, int first, int last) {
              const int column = (line * column_pairs + block.which) * 2;
              Real* target = out - begin * pitch + column;
#pragma unroll
              for (int p = 0; p < points; ++p) {
                if (p * step < first || p * step >= last) continue;
                Real* to = target + p * step * pitch;
                const Real pair[2] = {x[p].re, x[p].im};
                if (column + 1 < nx) {
                  store_vector<vector, store_path>(to, pair);
                  if constexpr (vector == 1) store_vector<1, store_path>(to + 1, pair + 1);
                } else if (column < nx) {
                  *to = pair[0];
                }
              }
            });
}

// What fft_rows and fft_columns read besides: length factors exp(-2 pi i n / length), then the spectrum of
// the taps, in the order in which threads need it, divided by the length. In double precision, once.
template<class Transforms, int length>
__device__ __forceinline__ void make_tables(Complex* tables, const Real* taps) {
  constexpr double turn = 6.283185307179586476925286766559 / length;
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= length) return;
  tables[n] = {static_cast<Real>(cos(turn * n)), static_cast<Real>(-sin(turn * n))};
  const int place = Transforms::last_place(n % Transforms::threads_each, n / Transforms::threads_each);
  const int frequency = frequency_at<length>(place);
  double re = 0, im = 0;
  for (int k = -radius; k <= radius; ++k) {
    const double angle = turn * (frequency * (k + length) % length);
    re += taps[k + radius] * cos(angle);
    im += taps[k + radius] * sin(angle);
  }
  tables[length + n] = {static_cast<Real>(re / length), static_cast<Real>(im / length)};
}

// Grid: ceil(length / threads) blocks along x, of any number of threads.
extern "C" __global__ void fft_row_tables(Real* tables) {
  make_tables<RowTransforms, row_length>(reinterpret_cast<Complex*>(tables), row_taps + lead - radius);
}
extern "C" __global__ void fft_column_tables(Real* tables) {
  make_tables<ColumnTransforms, column_length>(reinterpret_cast<Complex*>(tables), column_taps);
}
