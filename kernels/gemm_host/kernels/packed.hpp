// SPDX-License-Identifier: Apache-2.0
// Blocks of A and B are copied in the order in which they are read. Sums of a tile of C stay in registers.
#pragma once

typedef Real Vector __attribute__((vector_size(vector_width / 8)));

constexpr Size lanes = vector_width / 8 / sizeof(Real), columns = vectors * lanes;
#define INLINE inline __attribute__((always_inline))
#define INLINE_LAMBDA __attribute__((always_inline))

template<Size number>
struct Number {
  static constexpr Size value = number;
};

/// Calls `use` with each number below `end`, as a type: indices of registers are constants.
template<Size end, Size begin = 0, class Use>
INLINE void repeat(const Use& use) {
  if constexpr (begin < end) {
    use(Number<begin>());
    repeat<end, begin + 1>(use);
  }
}

/// Memory that calls share, freed with the library.
struct Memory {
  Real* data = nullptr;
  Size size = 0;

  Real* of(Size elements) {
    if (elements > size) {
      std::free(data);
      constexpr Size alignment = 4096;
      const Size bytes = (elements * Size(sizeof(Real)) + alignment - 1) / alignment * alignment;
      data = static_cast<Real*>(std::aligned_alloc(alignment, bytes));
      if (data == nullptr) std::abort();
      size = elements;
    }
    return data;
  }
  ~Memory() { std::free(data); }
};

/// Copies `height` rows of A from `p` on: one after another `rows` elements of each column, zeros below the
/// last.
inline void copy_rows(const Real* a, Size stride, Size height, Size depth, Real* to) {
  for (Size p = 0; p < depth; ++p)
    for (Size r = 0; r < rows; ++r) to[p * rows + r] = r < height ? a[r * stride + p] : Real(0);
}

/// Copies `width` columns of B: one after another `columns` elements of each row, zeros behind the last.
inline void copy_columns(const Real* b, Size stride, Size width, Size depth, Real* to) {
  for (Size p = 0; p < depth; ++p) {
    if (width == columns) {
      std::memcpy(to + p * columns, b + p * stride, columns * sizeof(Real));
      continue;
    }
    for (Size x = 0; x < columns; ++x) to[p * columns + x] = x < width ? b[p * stride + x] : Real(0);
  }
}

/// Adds the product of a sliver of A and one of B to a tile of C, or stores it there.
template<bool adds>
INLINE void multiply_tile(Size depth, const Real* __restrict a, const Real* __restrict b, Real* __restrict c,
                          Size stride, Size height, Size width) {
  Vector sum[rows][vectors] = {};
  for (Size p = 0; p < depth; ++p) {
    Vector right[vectors];
    repeat<vectors>([&](auto v)
                        INLINE_LAMBDA { right[v.value] = reinterpret_cast<const Vector*>(b)[v.value]; });
    repeat<rows>([&](auto r) INLINE_LAMBDA {
      const Real left = a[r.value];
      repeat<vectors>([&](auto v) INLINE_LAMBDA { sum[r.value][v.value] += left * right[v.value]; });
    });
    a += rows;
    b += columns;
  }
  if (height == rows && width == columns) {
    repeat<rows>([&](auto r) INLINE_LAMBDA {
      repeat<vectors>([&](auto v) INLINE_LAMBDA {
        // Rows of C may begin anywhere.
        Real* const to = c + r.value * stride + v.value * lanes;
        Vector value = sum[r.value][v.value], old;
        if constexpr (adds) {
          std::memcpy(&old, to, sizeof old);
          value += old;
        }
        std::memcpy(to, &value, sizeof value);
      });
    });
    return;
  }
  Vector edge[rows][vectors];
  repeat<rows>([&](auto r) INLINE_LAMBDA {
    repeat<vectors>([&](auto v) INLINE_LAMBDA { edge[r.value][v.value] = sum[r.value][v.value]; });
  });
  const Real* const from = reinterpret_cast<const Real*>(edge);
  for (Size r = 0; r < height; ++r)
    for (Size x = 0; x < width; ++x) {
      const Real value = from[r * columns + x];
      c[r * stride + x] = adds ? c[r * stride + x] + value : value;
    }
}

/// Multiplies a block of A with a sliver of B.
inline void multiply_sliver(Size depth, const Real* a, const Real* b, Real* c, Size stride, Size height,
                            Size width, bool adds) {
  for (Size r = 0; r < height; r += rows) {
    const Size tile = smaller(rows, height - r);
    if (adds)
      multiply_tile<true>(depth, a + r * depth, b, c + r * stride, stride, tile, width);
    else
      multiply_tile<false>(depth, a + r * depth, b, c + r * stride, stride, tile, width);
  }
}

inline void multiply(Size m, Size n, Size k, const Real* a, const Real* b, Real* c) {
  static Memory memory;
  constexpr Size of_a = (block_m + rows - 1) / rows * rows * block_k;
  constexpr Size of_b = (block_n + columns - 1) / columns * columns * block_k;
  const Size threads = omp_get_max_threads();
  Real* const copies = memory.of(threads * of_a + of_b);
  Real* const right = copies + threads * of_a;
#pragma omp parallel
  for (Size j0 = 0; j0 < n; j0 += block_n) {
    const Size width = smaller(block_n, n - j0);
    for (Size p0 = 0; p0 < k; p0 += block_k) {
      const Size depth = smaller(block_k, k - p0);
#pragma omp for schedule(static)
      for (Size x = 0; x < width; x += columns)
        copy_columns(b + p0 * n + j0 + x, n, smaller(columns, width - x), depth, right + x * depth);
#ifdef SHARED_J
      for (Size i0 = 0; i0 < m; i0 += block_m) {
        const Size height = smaller(block_m, m - i0);
#pragma omp for schedule(static)
        for (Size r = 0; r < height; r += rows)
          copy_rows(a + (i0 + r) * k + p0, k, smaller(rows, height - r), depth, copies + r * depth);
        SHARE
        for (Size x = 0; x < width; x += columns)
          multiply_sliver(depth, copies, right + x * depth, c + i0 * n + j0 + x, n, height,
                          smaller(columns, width - x), p0 > 0);
      }
#else
      Real* const left = copies + omp_get_thread_num() * of_a;
      SHARE
      for (Size i0 = 0; i0 < m; i0 += block_m) {
        const Size height = smaller(block_m, m - i0);
        for (Size r = 0; r < height; r += rows)
          copy_rows(a + (i0 + r) * k + p0, k, smaller(rows, height - r), depth, left + r * depth);
        for (Size x = 0; x < width; x += columns)
          multiply_sliver(depth, left, right + x * depth, c + i0 * n + j0 + x, n, height,
                          smaller(columns, width - x), p0 > 0);
      }
#endif
    }
  }
}
