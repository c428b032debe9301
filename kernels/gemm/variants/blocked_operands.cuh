// SPDX-License-Identifier: Apache-2.0
// Which elements of the operands a thread of `register` or `async` brings to shared memory. Rows and columns
// beyond the result are those of its last ones: what they add up to is not stored. Terms beyond k count as 0.
#pragma once

#include "blocked_tile.cuh"

// `width` neighbouring elements are brought at a time: along k of the left operand, along n of the right one.
// Item i of a thread is number threadIdx.x + i * threads of the slab's.
template<int width>
struct LeftItems {
  static constexpr int row_items = slab / width;
  static constexpr int all = block_m * row_items;
  static constexpr int count = (all + threads - 1) / threads;
  // Single elements on their way to a transposed place: lanes take eight terms of four rows, which lie in
  // different banks.
  static constexpr bool scattered = width == 1 && transposed && slab % 8 == 0;

  static __device__ __forceinline__ bool exists(int i) {
    return all % threads == 0 || static_cast<int>(threadIdx.x) + i * threads < all;
  }
  static __device__ __forceinline__ int row(int i) {
    const int item = static_cast<int>(threadIdx.x) + i * threads;
    return scattered ? item / 8 % block_m : item / row_items;
  }
  static __device__ __forceinline__ int term(int i) {
    const int item = static_cast<int>(threadIdx.x) + i * threads;
    return scattered ? item % 8 + item / (8 * block_m) * 8 : item % row_items * width;
  }
};

template<int width>
struct RightItems {
  static constexpr int row_items = block_n / width;
  static constexpr int all = slab * row_items;
  static constexpr int count = (all + threads - 1) / threads;

  static __device__ __forceinline__ bool exists(int i) {
    return all % threads == 0 || static_cast<int>(threadIdx.x) + i * threads < all;
  }
  static __device__ __forceinline__ int term(int i) {
    return (static_cast<int>(threadIdx.x) + i * threads) / row_items;
  }
  static __device__ __forceinline__ int column(int i) {
    return (static_cast<int>(threadIdx.x) + i * threads) % row_items * width;
  }
};

// Addresses of both operands: that of the block's first element of the current slab, and the items' distances
// from it, which the plan has seen to fit 32 bits.
template<int left_width, int right_width>
struct Operands {
  const Real* left;
  const Real* right;
  long long right_step;  // from a slab of the right operand to the next one
  unsigned left_offset[LeftItems<left_width>::count];
  unsigned right_offset[RightItems<right_width>::count];

  __device__ __forceinline__ Operands(const Real* left_matrix, const Real* right_matrix,
                                      const TilePlace& tile, int first_slab, int m, int n, long long left_row,
                                      long long right_row)
      : left(left_matrix + tile.row * left_row + static_cast<long long>(first_slab) * slab),
        right(right_matrix + static_cast<long long>(first_slab) * slab * right_row + tile.column),
        right_step(slab * right_row) {
    using Left = LeftItems<left_width>;
    using Right = RightItems<right_width>;
    const int last_column = (n - 1 - tile.column) / right_width * right_width;
#pragma unroll
    for (int i = 0; i < Left::count; ++i)
      left_offset[i] =
          static_cast<unsigned>(min(Left::row(i), m - 1 - tile.row)) * static_cast<unsigned>(left_row) +
          static_cast<unsigned>(Left::term(i));
#pragma unroll
    for (int i = 0; i < Right::count; ++i)
      right_offset[i] = static_cast<unsigned>(Right::term(i)) * static_cast<unsigned>(right_row) +
                        static_cast<unsigned>(min(Right::column(i), last_column));
  }

  // Where there is no whole slab to bring: all items become the first one.
  __device__ __forceinline__ void stay() {
#pragma unroll
    for (unsigned& offset : left_offset) offset = 0;
#pragma unroll
    for (unsigned& offset : right_offset) offset = 0;
  }

  // To the slab that is so many further.
  __device__ __forceinline__ void advance(int slabs) {
    left += static_cast<long long>(slabs) * slab;
    right += slabs * right_step;
  }
};
