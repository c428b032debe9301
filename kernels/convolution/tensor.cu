// SPDX-License-Identifier: Apache-2.0
// A separable convolution by tensor cores, both passes in one kernel: sums with the same taps for all pixels
// are products with a matrix that has the taps along its diagonals.
//
//   16 sums         16 + 2 radius pixels     8 rows        taps(m, k) = row_taps[k - m], else zero;
//   along x (m)  =  along x (k): taps     *  of the
//                                            image         and the same along y, of what comes out
//
// A block marches down a strip, 8 rows a turn. Each warp has columns of its own. Rows of the image come to a
// ring in shared memory by asynchronous copies. What a product of the first pass leaves in the registers of a
// lane, 2 rows of 2 columns, is what the lane has to bring to the second pass, whose terms are rows. So
// nothing lies between the passes but registers.
//
// Floats are multiplied as sums of two numbers of tf32, in three products (common/tensor_core.cuh).

#include "async_copy.cuh"
#include "tensor_core.cuh"
#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef WARPS
#define WARPS 4  // warps of a block, side by side
#endif
#ifndef TILES_X
#define TILES_X 3  // groups of 16 columns of a warp
#endif
#ifndef CHUNK
#define CHUNK 512  // rows of results of a block, a multiple of 8
#endif
#ifndef STAGES
#define STAGES 3  // turns of 8 rows in shared memory, or on their way there
#endif
#ifndef ROUNDED
#define ROUNDED 0  // floats: 1: additions that round add the sums of 8 terms, 0: tensor cores, which cut
#endif
#ifndef VECTOR
#define VECTOR 4  // pixels of an access to the images
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

#include "convolution_taps.cuh"  // generated: radius, row_taps, column_taps

using Real = REAL;
constexpr int warps = WARPS, tiles_x = TILES_X, chunk = CHUNK, stages = STAGES, vector = VECTOR;
constexpr bool rounded_sums = ROUNDED != 0;
constexpr Store store_path = STORE;

#include "row_segment.cuh"

static_assert(vector * sizeof(Real) <= 16, "an access is of 16 bytes at most");
static_assert(chunk % 8 == 0 && stages >= 2, "not a march");

constexpr int turn_rows = 8, threads = warps * 32;
constexpr int tile = 16, strip = tiles_x * tile, block_strip = warps * strip;
// Pixels come from shared memory in pairs: those of a tile begin at an even place.
constexpr int row_skip = radius % 2, window_begin = lead - radius - row_skip;
constexpr int store_width = vector < 2 ? vector : 2;

// Steps, of 8 terms each, of the sums of a tile: 16 along x, 8 along y.
constexpr int row_steps = (16 + 2 * radius + row_skip + 7) / 8;
constexpr int column_steps = (8 + 2 * radius + 7) / 8;

// A row of a block in shared memory. Lanes read pairs from 8 rows at once, from all banks.
constexpr int row_length = (window_begin + block_strip - tile + 8 * row_steps + lanes - 1) / lanes * lanes;
constexpr int row_words = row_length / vector;
constexpr int row_pitch = (row_length + 7) / 16 * 16 + 8;

// A number as the tensor cores take it: floats in two parts.
__device__ __forceinline__ void split(float x, float& high, float& low) {
  split_tf32<true>(x, high, low);
}
__device__ __forceinline__ void split(double x, double& high, double& low) {
  high = x, low = 0;
}
// Floats: low * high, high * low, high * high, which the largest sums come last to; doubles: the last alone.
constexpr int first_term = sizeof(Real) == 4 ? 0 : 2;

// The operands of `sets` products in registers, n numbers of each.
template<int sets, int n>
struct Operands {
  Real high[sets][n], low[sets][n];
  __device__ __forceinline__ void take(int set, int i, Real x) { split(x, high[set][i], low[set][i]); }
};

// Of the taps along x: row m = g + 8 h of the matrix is the sum of column 2 g + h, so that a lane has pairs
// of columns; term k = 2 t + q.
__device__ __forceinline__ void load_row_taps(Operands<row_steps, 4>& matrix) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int step = 0; step < row_steps; ++step)
#pragma unroll
    for (int q = 0; q < 2; ++q)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int k = 8 * step + 2 * t + q - (2 * g + h) - row_skip;
        matrix.take(step, 2 * q + h, k >= 0 && k <= 2 * radius ? row_taps[k + lead - radius] : Real(0));
      }
}

// Of the taps along y: column g of the matrix is the sum of row g; term k = 2 t + q.
__device__ __forceinline__ void load_column_taps(Operands<column_steps, 2>& matrix) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int step = 0; step < column_steps; ++step)
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const int k = 8 * step + 2 * t + q - g;
      matrix.take(step, q, k >= 0 && k <= 2 * radius ? column_taps[k] : Real(0));
    }
}

// sums(i) += a(i) b(i) for those of 0 <= i < n that there are. Products of one sum wait for each other: those
// of different ones follow each other. Of floats, products of small parts come first.
template<int n, class Product>
__device__ __forceinline__ void add_products(Real (&sums)[n][4], const Product& product) {
  constexpr int first_term = sizeof(Real) == 4 ? 0 : 2;  // of doubles there is one term
  constexpr bool apart = rounded_sums && first_term == 0;
  Real part[n][4];
#pragma unroll
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) part[i][e] = apart ? Real(0) : sums[i][e];
#pragma unroll
  for (int term = first_term; term < 3; ++term)
#pragma unroll
    for (int i = 0; i < n; ++i) product(i, term, part[i]);
#pragma unroll
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) sums[i][e] = apart ? sums[i][e] + part[i][e] : part[i][e];
}

// Results of a warp that later rows still concern: of[j][i] of a turn are 8 rows of tile j, begun i turns
// before. of[j][column_steps - 1] are complete with it. Of them, [2 h + q] is column 2 g + h, row 2 t + q.
struct ColumnSums {
  Real of[tiles_x][column_steps][4] = {};

  // The turn's rows of a tile, which the first pass has summed.
  __device__ __forceinline__ void add(int j, const Operands<column_steps, 2>& taps, const Real (&rows)[4]) {
    Operands<1, 4> x;
#pragma unroll
    for (int q = 0; q < 2; ++q)
#pragma unroll
      for (int h = 0; h < 2; ++h) x.take(0, 2 * q + h, rows[2 * h + q]);
    add_products<column_steps>(of[j], [&](int i, int term, Real(&sums)[4]) {
      multiply_add<8>(sums, term == 0 ? x.low[0] : x.high[0], term == 1 ? taps.low[i] : taps.high[i]);
    });
  }
  __device__ __forceinline__ void next_turn() {
#pragma unroll
    for (int j = 0; j < tiles_x; ++j)
#pragma unroll
      for (int i = column_steps - 1; i >= 0; --i)
#pragma unroll
        for (int e = 0; e < 4; ++e) of[j][i][e] = i > 0 ? of[j][i > 0 ? i - 1 : 0][e] : Real(0);
  }
  // The complete results, of the rows from y to end; x is that of the lane's first ones.
  __device__ __forceinline__ void store(Real* out, int x, int y, int nx, int end, long long pitch) const {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      if (y + q >= end) continue;
      Real* row = out + (y + q) * pitch;
#pragma unroll
      for (int j = 0; j < tiles_x; ++j) {
        const Real pair[2] = {of[j][column_steps - 1][q], of[j][column_steps - 1][2 + q]};
        store_pixels<2, store_width, store_path>(row, x + tile * j, nx, pair);
      }
    }
  }
};

// A turn's rows of the warp's pixels through both passes. `rows` points to the lane's first pair of them.
__device__ __forceinline__ void add_rows(const Real* rows, const Operands<row_steps, 4>& row_matrix,
                                         const Operands<column_steps, 2>& column_matrix,
                                         ColumnSums& columns) {
  Real sums[tiles_x][4] = {};
#pragma unroll
  for (int block = 0; block < 2 * tiles_x + row_steps - 2; ++block) {
    Real pair[2];
    load_vector<2, Load::shared>(pair, rows + 8 * block);
    Operands<1, 2> x;
    x.take(0, 0, pair[0]);
    x.take(0, 1, pair[1]);
    add_products<tiles_x>(sums, [&](int i, int term, Real(&sum)[4]) {
      const int step = block - 2 * i;
      if (step < 0 || step >= row_steps) return;
      multiply_add<8>(sum, term == 0 ? row_matrix.low[step] : row_matrix.high[step],
                      term == 1 ? x.low[0] : x.high[0]);
    });
    const int complete = block - (row_steps - 1);
    if (complete >= 0 && complete % 2 == 0) columns.add(complete / 2, column_matrix, sums[complete / 2]);
  }
}

// Rows y to y + turn_rows of the image, to a stage of the ring; those from `end` on are zeros.
__device__ __forceinline__ void copy_rows(Real* stage, const Real* in, int x0, int y, int nx, int end,
                                          long long pitch) {
#pragma unroll
  for (int turn = 0; turn < turn_rows; turn += warps) {
    const int r = turn + threadIdx.x / 32;
    const bool there = y + r >= 0 && y + r < end;
    const Real* row = in + (there ? y + r : 0) * pitch;
#pragma unroll
    for (int i = 0; i < (row_words + 31) / 32; ++i) {
      const int word = threadIdx.x % 32 + 32 * i, x = x0 - lead + word * vector;
      if (word < row_words)
        copy_pixels<vector>(stage + r * row_pitch + word * vector, row, x,
                            there ? pixels_present<vector>(x, nx) : 0);
    }
  }
  commit_async();
}

// Both images begin at pixel (0, 0), pitch is the distance of neighbouring rows [pixels]. Grid: ceil(nx /
// block_strip) * ceil(ny / chunk) blocks along x. Dynamic shared memory: stages * turn_rows * row_pitch
// pixels.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    convolve_tensor(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, long long pitch) {
  constexpr int stage_length = turn_rows * row_pitch;
  Real* ring = reinterpret_cast<Real*>(shared_bytes);
  const int across = (nx + block_strip - 1) / block_strip;
  const int x0 = blockIdx.x % across * block_strip;
  const int begin = blockIdx.x / across * chunk;
  const int end = ny - begin < chunk ? ny : begin + chunk;
  const int first = begin - radius, last = ny - end < radius ? ny : end + radius;
#pragma unroll 1
  for (int s = 0; s < stages - 1; ++s)
    copy_rows(ring + s * stage_length, in, x0, first + s * turn_rows, nx, last, pitch);
  Operands<row_steps, 4> row_matrix;
  Operands<column_steps, 2> column_matrix;
  load_row_taps(row_matrix);
  load_column_taps(column_matrix);
  const int warp_x = threadIdx.x / 32 * strip, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const Real* place = ring + g * row_pitch + warp_x + window_begin + 2 * t;
  ColumnSums columns;
  int stage = 0, target = stages - 1;
  const int turns = (end - begin + turn_rows - 1) / turn_rows + column_steps - 1;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    // The turn's rows have arrived, and all threads have read those of the turn before: their place is for
    // rows to come.
    wait_async<stages - 2>();
    __syncthreads();
    copy_rows(ring + target * stage_length, in, x0, first + (turn + stages - 1) * turn_rows, nx, last, pitch);
    add_rows(place + stage * stage_length, row_matrix, column_matrix, columns);
    const int y = begin + (turn - column_steps + 1) * turn_rows;
    if (y >= begin) columns.store(out, x0 + warp_x + 2 * g, y + 2 * t, nx, end, pitch);
    columns.next_turn();
    stage = stage + 1 == stages ? 0 : stage + 1;
    target = target + 1 == stages ? 0 : target + 1;
  }
}
