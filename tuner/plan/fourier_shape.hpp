// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Where the real or the complex numbers of a transform lie in their buffer, in elements; a complex number is
/// two elements.
struct FourierSide {
  std::string buffer;
  std::uint64_t row = 0;  ///< of the fastest dimension, without padding
  Extents pitches;        ///< from a row to the next one along each slower dimension
  std::uint64_t offset = 0;
  std::uint64_t end = 0;         ///< behind the last one, from the start of the allocation
  std::uint64_t allocation = 0;  ///< of the buffer

  bool fits() const { return end <= allocation; }
};

/// A transform with the layouts of its buffers, without slower dimensions of one cell.
struct FourierShape {
  FourierDirection direction = FourierDirection::forward;
  ElementType type = ElementType::f32;  ///< f32 or f64
  Extents extents;                      ///< of the real numbers, the fastest dimension first
  std::size_t axes = 1;                 ///< runs along so many of them; at most one more follows
  FourierSide real;
  FourierSide complex;

  bool forward() const { return direction == FourierDirection::forward; }
  bool in_place() const { return real.buffer == complex.buffer; }
  const FourierSide& input() const { return forward() ? real : complex; }
  const FourierSide& output() const { return forward() ? complex : real; }
  /// Complex numbers of a row.
  std::uint64_t values() const { return extents.front() / 2 + 1; }
  /// The number of transforms, one for each element of the dimension behind its axes.
  std::uint64_t batch() const { return axes < extents.size() ? extents[axes] : 1; }
  std::uint64_t rows() const;
  /// Returns the elements from the first row of a side to row `row`.
  std::uint64_t row_begin(const FourierSide& side, std::uint64_t row) const;
};

/// Throws Error where cuFFT cannot carry the transform out, or it changes an input of the plan. A transform
/// has one to three dimensions of at least one cell and runs along all or all but one of them; its buffers
/// have the same type, f32 or f64, as many dimensions, rows that do not overlap and planes a whole number of
/// rows apart; both begin at a multiple of two elements, as complex rows do, because cuFFT reads and writes
/// complex numbers whole. FourierSide::fits tells whether a side lies within its allocation.
FourierShape fourier_shape(const LaunchPlan& plan, const FourierTransform& transform);

}  // namespace tune
