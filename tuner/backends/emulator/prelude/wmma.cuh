// SPDX-License-Identifier: Apache-2.0
// Products of matrices by a warp (nvcuda::wmma). Which lane has which element is not specified; here lane l
// has l, l + 32, ... of a matrix, row by row.
#pragma once

#include "collectives.cuh"
#include "half.cuh"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

template<class T>
struct tune_element {
  using type = T;
};
template<>
struct tune_element<precision::tf32> {
  using type = float;
};

template<class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(m * n * k == 16 * 16 * 16 || m * n * k == 16 * 16 * 8 || m * n * k == 8 * 8 * 4,
                "tune_cannot_emulate: the emulator has no wmma::fragment of these extents");

 public:
  using element_type = T;
  using storage_element_type = typename tune_element<T>::type;
  static constexpr int rows = __is_same(Use, matrix_b) ? k : m, columns = __is_same(Use, matrix_a) ? k : n;
  static constexpr int num_elements = rows * columns / 32, num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

TUNE_COLLECTIVE int tune_lane() {
  return static_cast<int>(tune_emulator::thread_of_block() % 32);
}
// All lanes come here; that orders no memory.
TUNE_COLLECTIVE void tune_together(const char* file, int line) {
  tune_warp(tune_emulator::WarpOperation::wmma, 0xffffffffu, 0, 0, 32, file, line);
}
template<class Fragment>
TUNE_COLLECTIVE unsigned tune_offset(int element, unsigned pitch, bool by_rows) {
  const int i = element * 32 + tune_lane(), row = i / Fragment::columns, column = i % Fragment::columns;
  return static_cast<unsigned>(by_rows ? row : column) * pitch +
         static_cast<unsigned>(by_rows ? column : row);
}

template<class Use, int m, int n, int k, class T, class Layout, class From>
TUNE_COLLECTIVE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to, const From* from, unsigned pitch,
                                      TUNE_PLACE) {
  using Fragment = fragment<Use, m, n, k, T, Layout>;
  tune_together(tune_file, tune_line);
  for (int i = 0; i < Fragment::num_elements; ++i)
    to.x[i] = from[tune_offset<Fragment>(i, pitch, __is_same(Layout, row_major))];
}
template<int m, int n, int k, class T, class From>
TUNE_COLLECTIVE void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const From* from, unsigned pitch,
                                      layout_t layout, TUNE_PLACE) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  tune_together(tune_file, tune_line);
  for (int i = 0; i < Fragment::num_elements; ++i)
    to.x[i] = from[tune_offset<Fragment>(i, pitch, layout == mem_row_major)];
}
template<int m, int n, int k, class T, class To>
TUNE_COLLECTIVE void store_matrix_sync(To* to, const fragment<accumulator, m, n, k, T>& from, unsigned pitch,
                                       layout_t layout, TUNE_PLACE) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  tune_together(tune_file, tune_line);
  for (int i = 0; i < Fragment::num_elements; ++i)
    to[tune_offset<Fragment>(i, pitch, layout == mem_row_major)] = from.x[i];
}
template<class Use, int m, int n, int k, class T, class Layout, class Value>
TUNE_COLLECTIVE void fill_fragment(fragment<Use, m, n, k, T, Layout>& to, const Value& value) {
  for (auto& element : to.x) element = value;
}

// The value that the product takes: tf32 has 10 bits behind the first.
template<class Fragment>
TUNE_COLLECTIVE double tune_operand(typename Fragment::storage_element_type value) {
  if constexpr (__is_same(typename Fragment::element_type, precision::tf32))
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) & 0xffffe000u);
  else if constexpr (sizeof(value) == 8)
    return value;
  else
    return static_cast<double>(static_cast<float>(value));
}
// Sums are in double precision and rounded once; a device has an order and a precision of its own.
template<int m, int n, int k, class A, class B, class C, class D, class LayoutA, class LayoutB>
TUNE_COLLECTIVE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                              const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                              const fragment<matrix_b, m, n, k, B, LayoutB>& b,
                              const fragment<accumulator, m, n, k, C>& c, bool = false, TUNE_PLACE) {
  using MatrixA = fragment<matrix_a, m, n, k, A, LayoutA>;
  using MatrixB = fragment<matrix_b, m, n, k, B, LayoutB>;
  using MatrixD = fragment<accumulator, m, n, k, D>;
  tune_together(tune_file, tune_line);
  // The lanes' stacks are one memory: each reads what the others have.
  const MatrixA* of_a[32];
  const MatrixB* of_b[32];
  for (int lane = 0; lane < 32; ++lane) {
    of_a[lane] = tune_emulator::shuffled(tune_emulator::WarpOperation::shuffle_from, 0xffffffffu, &a, lane,
                                         32, tune_file, tune_line);
    of_b[lane] = tune_emulator::shuffled(tune_emulator::WarpOperation::shuffle_from, 0xffffffffu, &b, lane,
                                         32, tune_file, tune_line);
  }
  MatrixD sums;
  for (int i = 0; i < MatrixD::num_elements; ++i) {
    const int at = i * 32 + tune_lane(), row = at / n, column = at % n;
    double sum = static_cast<double>(c.x[i]);
    for (int inner = 0; inner < k; ++inner) {
      const int in_a = row * k + inner, in_b = inner * n + column;
      sum += tune_operand<MatrixA>(of_a[in_a % 32]->x[in_a / 32]) *
             tune_operand<MatrixB>(of_b[in_b % 32]->x[in_b / 32]);
    }
    sums.x[i] = static_cast<typename MatrixD::storage_element_type>(sum);
  }
  tune_together(tune_file, tune_line);
  for (int i = 0; i < MatrixD::num_elements; ++i) d.x[i] = sums.x[i];
}

// To the nearest of 10 bits behind the first.
inline float __float_to_tf32(float value) {
  return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, value) + 0x1000u) & 0xffffe000u);
}

}  // namespace wmma
}  // namespace nvcuda
