// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The arithmetic of products of single precision. tf32x3: each operand is split into two numbers of 11 bits,
/// and three of their products are summed: nearly the precision of float. tf32: operands are rounded to 11
/// bits.
enum class Arithmetic { strict, tf32x3, tf32 };

/// A product as the kernels compute it, all matrices in row-major order: result (m x n) = alpha * left (m x
/// k) * right (k x n) + beta * result. A product in column-major order is that of the transposed matrices: A
/// and B change places, and so do m and n.
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
  /// True if the old result is read. A factor of 0 reads nothing, not even NaN.
  bool accumulates() const { return beta != 0; }
};

/// Returns the work of an instance of `gemm`. Throws UsageError for tf32 with doubles.
GemmJob gemm_job(const Instance& instance);

}  // namespace tune::kernels
