// SPDX-License-Identifier: Apache-2.0
// The tiles of `wgmma` in shared memory: how they get there, and how lanes read their fragments.
//
// The left tile lies as products read it (warpgroup_product.cuh): rows of `block_k` terms, 64 or 128 bytes,
// whose pieces of 16 bytes change places. The right tile has rows of block_n columns, of which a lane reads
// two neighbours, 2 g and 2 g + 1 of its warp's 16, in the rows t and t + 4 of eight (g = lane / 4, t = lane
// % 4): units of 32 bytes change places by the row, so that half a warp hits all banks.
#pragma once

constexpr int left_elements = block_m * block_k, right_elements = block_k * block_n;
constexpr int row_bytes = block_k * 4;

// Offset of an element in a tile.
__device__ __forceinline__ int left_offset(int row, int column) {
  return row * block_k + swizzled_piece<row_bytes>(row, column / 4) * 4 + (column & 3);
}
__device__ __forceinline__ int right_offset(int row, int column) {
  return row * block_n + ((column / 8) ^ (row & 3)) * 8 + (column & 7);
}

// The part of a matrix that a block reads, and what of it exists.
struct Panel {
  const float* first;  // its first element
  long long pitch;     // elements between rows
  int rows, columns;   // that exist; may be more than the tile has
};

// Copies this thread's vectors of a tile of `tile_rows` x `tile_columns` elements; what does not exist
// becomes zeros. whole: all of it exists.
template<int tile_rows, int tile_columns, bool left, bool whole>
__device__ __forceinline__ void copy_tile(float* tile, const Panel& from) {
  constexpr int row_vectors = tile_columns / vector, step = threads / row_vectors, bytes = vector * 4;
  static_assert(threads % row_vectors == 0 && tile_rows % step == 0, "every thread copies as much");
  const int first_row = static_cast<int>(threadIdx.x / row_vectors);
  const int column = static_cast<int>(threadIdx.x % row_vectors * vector);
  const float* const first = from.first + first_row * from.pitch + column;
#pragma unroll
  for (int i = 0; i < tile_rows / step; ++i) {
    const int row = first_row + i * step;
    float* const to = tile + (left ? left_offset(row, column) : right_offset(row, column));
    if constexpr (whole) {
      copy_async<bytes>(to, first + i * step * from.pitch);
    } else {
      const int present = row < from.rows ? min(max(from.columns - column, 0), vector) : 0;
      const float* const source = present > 0 ? first + i * step * from.pitch : from.first;
      copy_async_part<bytes>(to, source, present * 4);
    }
  }
}

// Makes, of what this thread has copied of a left tile, what products read: tf32x3: the small parts, in
// another tile (products see the large parts of the elements as they are); tf32: the same elements, rounded.
__device__ __forceinline__ void prepare_left(float* tile, float* small) {
  constexpr int row_vectors = block_k / vector, step = threads / row_vectors;
  const int first_row = static_cast<int>(threadIdx.x / row_vectors);
  const int column = static_cast<int>(threadIdx.x % row_vectors * vector);
#pragma unroll
  for (int i = 0; i < block_m / step; ++i) {
    const int offset = left_offset(first_row + i * step, column);
    float values[vector];
    load_vector<vector, Load::shared>(values, tile + offset);
#pragma unroll
    for (int e = 0; e < vector; ++e) {
      if constexpr (split) {
        float high;
        split_tf32<false>(values[e], high, values[e]);
      } else {
        values[e] = tf32_operand(values[e]);
      }
    }
    store_vector<vector, Store::plain>((split ? small : tile) + offset, values);
  }
}

// What a lane has of the right tile in a turn: operands of `steps` products, each in two parts or in one.
struct Fragments {
  float high[steps][4];
  float low[split ? steps : 1][4];
};

// Reads the fragments of the turn that begins with the row `first` of the right tile; `place`: the offset of
// what the lane reads in row 0.
__device__ __forceinline__ void load_fragments(Fragments& to, const float* tile, int place, int first) {
#pragma unroll
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int q = 0; q < 2; ++q)
      load_vector<2, Load::shared>(&to.high[s][2 * q], tile + place + (first + 8 * s + 4 * q) * block_n);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if constexpr (split) {
        float high;
        split_tf32<false>(to.high[s][e], high, to.low[s][e]);
      } else if constexpr (rounded) {
        to.high[s][e] = tf32_operand(to.high[s][e]);
      }
    }
  }
}
