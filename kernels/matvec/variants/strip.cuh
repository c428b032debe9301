// SPDX-License-Identifier: Apache-2.0
// The part of a matrix that a block multiplies: a strip of rows, of which it has a tile of columns. Threads
// are block_x along the columns and block_y along the rows; a thread has `pieces` vectors of `lanes` columns
// in every row that it meets, and `rows_each` rows of every batch. What a thread loads, it alone uses.
#pragma once

#include "async_copy.cuh"
#include "vectors.cuh"

constexpr int threads = block_x * block_y;
constexpr int cells = lanes * pieces;              // columns of a thread
constexpr int stride = block_x * lanes;            // from a piece of a thread to its next one
constexpr int tile = block_x * cells;              // columns of a block
constexpr int batch = block_y * rows_each;         // rows of a block at a time
constexpr int team = block_x < 32 ? block_x : 32;  // neighbouring lanes of a warp that share a row
static_assert(threads % 32 == 0 && threads <= 1024, "a block is of whole warps");
static_assert(block_x % 32 == 0 || 32 % block_x == 0, "a warp is in one row, or has whole rows");

// The thread's number in its block.
__device__ __forceinline__ int thread_number() {
  return static_cast<int>(threadIdx.y) * block_x + static_cast<int>(threadIdx.x);
}

struct Strip {
  const Real* from;  // the thread's first column of the strip's first row
  long long pitch;   // elements from a row to the next
  int rows;          // of the strip
  int left;    // columns from the thread's first one to the end of the row; none or fewer: nothing to do
  bool whole;  // all columns of the tile exist
  bool alone;  // there is no other tile
};

__device__ __forceinline__ int batches_of(const Strip& strip) {
  return (strip.rows + batch - 1) / batch;
}

// Strip number `group` of `strip_rows` rows, tile number `slice` of its columns.
__device__ __forceinline__ Strip strip_at(const Real* a, long long pitch, int rows, int columns, int group,
                                          int slice, int strip_rows) {
  const long long first_row = static_cast<long long>(group) * strip_rows;
  const long long first_column = static_cast<long long>(slice) * tile;
  const long long below = rows - first_row, beside = columns - first_column;
  Strip strip;
  strip.pitch = pitch;
  strip.rows = static_cast<int>(below < strip_rows ? below : strip_rows);
  strip.left = static_cast<int>(beside < tile ? beside : tile) - static_cast<int>(threadIdx.x) * lanes;
  strip.whole = beside >= tile;
  strip.alone = columns <= tile;
  strip.from = a + first_row * pitch + first_column + threadIdx.x * lanes;
  return strip;
}

// One vector of the matrix.
__device__ __forceinline__ void load_cells(Real* to, const Real* from) {
  if constexpr (load_path == Path::readonly) {
    load_vector<lanes, Load::readonly>(to, from);
  } else {
    constexpr int step = word_lanes<Real, lanes>;
#pragma unroll
    for (int w = 0; w < lanes; w += step) {
      Pack<Real, lanes> pack;
      pack.word = __ldcs(reinterpret_cast<const decltype(pack.word)*>(from + w));
#pragma unroll
      for (int i = 0; i < step; ++i) to[w + i] = pack.lane[i];
    }
  }
}

// The thread's columns of one row; zeros from column `left` on, which are not read.
template<bool guarded>
__device__ __forceinline__ void load_row(Real* to, const Real* from, int left) {
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
    if (!guarded || left - p * stride >= lanes) {
      load_cells(to + p * lanes, from + p * stride);
    } else {
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        to[p * lanes + i] = p * stride + i < left ? from[p * stride + i] : Real(0);
    }
  }
}

// The same into shared memory, where the pieces lie as far apart as in the row.
template<bool guarded>
__device__ __forceinline__ void copy_row(Real* to, const Real* from, int left) {
  constexpr int step = word_lanes<Real, lanes>, bytes = step * static_cast<int>(sizeof(Real));
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
#pragma unroll
    for (int w = 0; w < lanes; w += step) {
      const int offset = p * stride + w;
      if constexpr (guarded) {
        const int there = left - offset < 0 ? 0 : left - offset < step ? left - offset : step;
        // Nothing is read where nothing is there: any aligned address does.
        copy_async_part<bytes>(to + offset, there > 0 ? from + offset : from - threadIdx.x * lanes,
                               there * static_cast<int>(sizeof(Real)));
      } else {
        copy_async<bytes>(to + offset, from + offset);
      }
    }
  }
}

// The thread's first row of a batch, counted in the strip.
__device__ __forceinline__ int row_of(int number) {
  return number * batch + static_cast<int>(threadIdx.y) * rows_each;
}

// The thread's cells of a batch; zeros for rows and columns that do not exist.
__device__ __forceinline__ void load_batch(Real (&to)[rows_each][cells], const Strip& strip, int number) {
  const int row = row_of(number);
  const Real* from = strip.from + row * strip.pitch;
  if (strip.whole && row + rows_each <= strip.rows) {
#pragma unroll
    for (int r = 0; r < rows_each; ++r) load_row<false>(to[r], from + r * strip.pitch, strip.left);
  } else {
#pragma unroll
    for (int r = 0; r < rows_each; ++r)
      load_row<true>(to[r], from + r * strip.pitch, row + r < strip.rows ? strip.left : 0);
  }
}

// The same into the thread's cells of a stage: `to` is its first one. Rows are `tile` apart.
__device__ __forceinline__ void copy_batch(Real* to, const Strip& strip, int number) {
  const int row = row_of(number);
  const Real* from = strip.from + row * strip.pitch;
  if (strip.whole && row + rows_each <= strip.rows) {
#pragma unroll
    for (int r = 0; r < rows_each; ++r) copy_row<false>(to + r * tile, from + r * strip.pitch, strip.left);
  } else {
#pragma unroll
    for (int r = 0; r < rows_each; ++r) {
      // A row that does not exist: nothing of the strip's first one.
      const bool exists = row + r < strip.rows;
      copy_row<true>(to + r * tile, exists ? from + r * strip.pitch : strip.from, exists ? strip.left : 0);
    }
  }
}

// The thread's first cell of a stage's first row.
__device__ __forceinline__ int own_cell() {
  return static_cast<int>(threadIdx.y) * rows_each * tile + static_cast<int>(threadIdx.x) * lanes;
}
