// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// What products of single precision may be computed in. tf32x3: each operand is split into two numbers of 11
/// bits, of whose products three are summed: nearly the precision of float. tf32: operands are rounded to 11
/// bits.
enum class Arithmetic { strict, tf32x3, tf32 };

/// A product as the kernels see it, all matrices in row-major order: result (m x n) = alpha * left (m x k) *
/// right (k x n) + beta * result. A product in column-major order is that of the transposed matrices: A and B
/// change places, m and n too.
struct GemmJob {
  std::int64_t m = 0, n = 0, k = 0;
  ElementType type = ElementType::f32;
  double alpha = 1, beta = 0;
  Arithmetic arithmetic = Arithmetic::strict;  ///< the loosest that is allowed; strict for doubles
  const char* left = "a";                      ///< the buffer of m x k
  const char* right = "b";                     ///< the buffer of k x n; the result's is `c`

  bool is_column_major() const { return std::string_view(left) == "b"; }
  int element_bytes() const { return static_cast<int>(element_size(type)); }
  double multiply_adds() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Whether the result's old contents are read. A factor of 0 reads nothing, not even NaN.
  bool accumulates() const { return beta != 0; }
};

/// What an instance of `gemm` means. Throws UsageError where tf32 is asked for with doubles.
GemmJob gemm_job(const Instance& instance);

}  // namespace tune::kernels
