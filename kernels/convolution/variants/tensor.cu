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
#ifndef MATRICES
#define MATRICES Matrices::registers  // where the matrices of the taps lie: registers or shared
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

#include "tap_matrices.cuh"

using RowMatrix = TapMatrix<RowTaps, matrices>;
using ColumnMatrix = TapMatrix<ColumnTaps, matrices>;

// Adds the product of a step's taps and x to sums. Of floats term 0 and 1 are of a small part and a large
// one, term 2 of both large ones.
template<int n>
__device__ __forceinline__ void add_term(int term, Real (&sums)[4], const Operands<1, 4>& taps,
                                         const Operands<n, 2>& x, int i) {
  multiply_add<8>(sums, term == 0 ? taps.low[0] : taps.high[0], term == 1 ? x.low[i] : x.high[i]);
}
template<int n>
__device__ __forceinline__ void add_term(int term, Real (&sums)[4], const Operands<1, 2>& taps,
                                         const Operands<n, 4>& x, int i) {
  multiply_add<8>(sums, term == 1 ? x.low[i] : x.high[i], term == 0 ? taps.low[0] : taps.high[0]);
}

// sum(i) += products of all terms, for 0 <= i < n. Products of one sum wait for each other: those of
// different ones follow each other.
template<int n, class Sum, class Product>
__device__ __forceinline__ void add_products(const Sum& sum, const Product& product) {
  constexpr int first_term = parts == 2 ? 0 : 2;
  constexpr bool apart = rounded_sums && parts == 2;
  Real part[n][4];
#pragma unroll
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) part[i][e] = apart ? Real(0) : sum(i)[e];
#pragma unroll
  for (int term = first_term; term < 3; ++term)
#pragma unroll
    for (int i = 0; i < n; ++i) product(term, i, part[i]);
#pragma unroll
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) sum(i)[e] = apart ? sum(i)[e] + part[i][e] : part[i][e];
}

// Results of a warp that later rows still concern: of[j][i] of a turn are 8 rows of tile j, begun i turns
// before. of[j][column_steps - 1] are complete with it. Of them, [2 h + q] is column 2 g + h, row 2 t + q.
struct ColumnSums {
  Real of[tiles_x][column_steps][4] = {};

  // The turn's rows of n tiles from `first` on, which the first pass has summed.
  template<int n>
  __device__ __forceinline__ void add(int first, const ColumnMatrix& matrix, const Real (*rows)[4]) {
    Operands<n, 4> x;
#pragma unroll
    for (int j = 0; j < n; ++j)
#pragma unroll
      for (int q = 0; q < 2; ++q)
#pragma unroll
        for (int h = 0; h < 2; ++h) x.take(j, 2 * q + h, rows[j][2 * h + q]);
    if constexpr (n == 1) {
      add_products<column_steps>([&](int i) -> Real(&)[4] { return of[first][i]; },
                                 [&](int term, int i, Real(&sums)[4]) {
                                   Operands<1, 2> taps;
                                   matrix.get(i, taps);
                                   add_term(term, sums, taps, x, 0);
                                 });
    } else {
#pragma unroll
      for (int i = 0; i < column_steps; ++i) {
        Operands<1, 2> taps;
        matrix.get(i, taps);
        add_products<n>([&](int j) -> Real(&)[4] { return of[first + j][i]; },
                        [&](int term, int j, Real(&sums)[4]) { add_term(term, sums, taps, x, j); });
      }
    }
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

template<int n>
__device__ __forceinline__ void load_pair(Operands<n, 2>& x, int set, const Real* from) {
  Real pair[2];
  load_vector<2, Load::shared>(pair, from);
  x.take(set, 0, pair[0]);
  x.take(set, 1, pair[1]);
}

// A turn's rows of the warp's pixels through both passes. `rows` points to the lane's first pair of them.
__device__ __forceinline__ void add_rows(const Real* rows, const RowMatrix& row_matrix,
                                         const ColumnMatrix& column_matrix, ColumnSums& columns) {
  constexpr int blocks = 2 * tiles_x + row_steps - 2;  // of 8 columns
  Real sums[tiles_x][4] = {};
  const auto sum = [&](int j) -> Real(&)[4] { return sums[j]; };
  if constexpr (matrices == Matrices::shared) {  // each step's taps once, for all tiles
    Operands<blocks, 2> x;
#pragma unroll
    for (int block = 0; block < blocks; ++block) load_pair(x, block, rows + 8 * block);
#pragma unroll
    for (int step = 0; step < row_steps; ++step) {
      Operands<1, 4> taps;
      row_matrix.get(step, taps);
      add_products<tiles_x>(
          sum, [&](int term, int j, Real(&to)[4]) { add_term(term, to, taps, x, step + 2 * j); });
    }
    columns.add<tiles_x>(0, column_matrix, sums);
  } else {  // each block once, for all steps
#pragma unroll
    for (int block = 0; block < blocks; ++block) {
      Operands<1, 2> x;
      load_pair(x, 0, rows + 8 * block);
      add_products<tiles_x>(sum, [&](int term, int j, Real(&to)[4]) {
        const int step = block - 2 * j;
        if (step < 0 || step >= row_steps) return;
        Operands<1, 4> taps;
        row_matrix.get(step, taps);
        add_term(term, to, taps, x, 0);
      });
      const int complete = block - (row_steps - 1);
      if (complete >= 0 && complete % 2 == 0)
        columns.add<1>(complete / 2, column_matrix, sums + complete / 2);
    }
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
// pixels, and the matrices of taps where they lie there.
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
  Real* const taps = ring + stages * stage_length;
  const RowMatrix row_matrix(taps);
  const ColumnMatrix column_matrix(taps + RowMatrix::shared_length);
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
