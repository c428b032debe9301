// SPDX-License-Identifier: Apache-2.0
// How far values and rounding errors grow over the steps of a stencil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/stencil/model/job.hpp"

namespace tune::kernels {

/// Returns the largest factor by which a step multiplies a wave: the maximum of |sum of weight * exp(i k
/// offset)| over all k. At most the sum of |weight|, and that for weights of one sign. Found by a search on a
/// grid of wave numbers, and from its best points.
double largest_factor(const Stencil& stencil);

/// Bounds for the steps of a job whose input is random and spread evenly over [-1, 1).
///
/// No step multiplies the largest value by more than the sum of |weight|. That is near the truth for a few
/// steps, and far too much for many steps of a stencil whose weights have both signs. The second bound: a
/// step on an array with a boundary is a part of the step on an array without end, so that it multiplies no
/// norm (the root of the sum of squares) by more than `largest_factor`. After s steps a cell is a sum of
/// inputs whose factors have at most the norm largest_factor^s. Inputs are independent, and the mean of
/// exp(t in) is sinh(t) / t <= exp(t^2 / 6): the sum exceeds 8 / sqrt(3) times that norm with a probability
/// of 2 exp(-32) only. The same holds for roundings, which count as independent from cell to cell, as in
/// sum_units. Held cells also add what they lead to in other cells, for stable stencils a mean of them, for
/// which 8 deviations have room.
class Growth {
 public:
  explicit Growth(const StencilJob& job);

  /// Returns a bound of the largest |value| after so many steps. Held cells keep theirs.
  double value_after(std::int64_t steps) const;
  /// Returns a bound of what becomes, after so many steps, of errors of up to `worst` that are independent
  /// and of the standard deviation `spread`.
  double error_after(std::int64_t steps, double worst, double spread) const;
  /// The sum of |weight|.
  double weight() const { return weight_; }
  /// The same for the composed stencil of so many steps and points.
  double weight_of(std::int64_t steps, std::size_t points) const;
  /// The largest factor of a wave after so many steps.
  double factor_after(std::int64_t steps) const;

 private:
  double weight_, factor_;
  bool held_;
};

/// Returns why the values leave the range of the job's type; empty where they stay in it.
std::string leaves_range(const StencilJob& job);

}  // namespace tune::kernels
