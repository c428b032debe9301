// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The work of an instance of matvec: y = A x (n), z = A' y for a given y (t), or z = A' (A x) and y (ata).
struct MatvecJob {
  enum class Op { n, t, ata };

  std::int64_t rows = 0, columns = 0;
  ElementType type = ElementType::f32;
  Op op = Op::ata;

  bool has_n() const { return op != Op::t; }
  bool has_t() const { return op != Op::n; }
  int element_bytes() const { return static_cast<int>(element_size(type)); }
  double elements() const { return static_cast<double>(rows) * static_cast<double>(columns); }
  /// The extents of A, whose rows lie one after another.
  Extents extents() const { return {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)}; }
};

MatvecJob matvec_job(const Instance& instance);

}  // namespace tune::kernels
