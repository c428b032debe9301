// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Where the real or the complex numbers of a transform lie in their buffer, in elements: a complex number is
/// two.
struct FourierSide {
  std::string buffer;
  std::uint64_t row = 0;  ///< of the fastest dimension, without what may follow it
  Extents pitches;        ///< from a row to the next one along each slower dimension
  std::uint64_t offset = 0;
  std::uint64_t end = 0;         ///< behind the last one, from the start of the allocation
  std::uint64_t allocation = 0;  ///< of the buffer

  bool fits() const { return end <= allocation; }
};

/// A transform with the layouts of its buffers. Slower dimensions of one cell are left out: nothing is
/// transformed along them, and they count no transforms.
struct FourierShape {
  FourierDirection direction = FourierDirection::forward;
  ElementType type = ElementType::f32;  ///< f32 or f64
  Extents extents;                      ///< of the real numbers, the fastest dimension first
  std::size_t axes = 1;                 ///< it is along so many of them; behind them there is at most one
  FourierSide real;
  FourierSide complex;

  bool forward() const { return direction == FourierDirection::forward; }
  bool in_place() const { return real.buffer == complex.buffer; }
  const FourierSide& input() const { return forward() ? real : complex; }
  const FourierSide& output() const { return forward() ? complex : real; }
  /// Complex numbers of a row.
  std::uint64_t values() const { return extents.front() / 2 + 1; }
  /// Transforms that it consists of, each of the next element of the dimension behind its axes.
  std::uint64_t batch() const { return axes < extents.size() ? extents[axes] : 1; }
  std::uint64_t rows() const;
  /// Elements from the first row of a side to the row of that number.
  std::uint64_t row_begin(const FourierSide& side, std::uint64_t row) const;
};

/// Throws Error where the transform is none that cuFFT carries out, or changes an input of the plan: one to
/// three dimensions of at least one cell, along all or all but one of them; buffers of the same f32 or f64
/// and of as many dimensions, rows that do not overlap, planes a whole number of rows apart; both begin at a
/// multiple of two elements, and complex rows do, as cuFFT reads and writes complex numbers whole. Whether a
/// side lies within its allocation is told, not checked.
FourierShape fourier_shape(const LaunchPlan& plan, const FourierTransform& transform);

}  // namespace tune
