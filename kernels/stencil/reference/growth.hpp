// SPDX-License-Identifier: Apache-2.0
// How far values and rounding errors grow over the steps of a stencil.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stencil/model/job.hpp"

namespace tune::kernels {

/// What steps do to waves exp(i k offset): a step multiplies one by the sum of weight * exp(i k offset).
struct WaveFactors {
  double largest = 0;     ///< the largest |factor|; found by a search on a grid of k and from its best points
  bool one_sign = false;  ///< of all weights: `largest` is then the sum of |weight|
  /// The root mean square of (|factor| / largest)^s over the grid, for s = 1, 2, 4, 8, ...: smaller in
  /// between. `largest`^s times this is the norm (the root of the sum of squares) of the weights of s steps
  /// composed.
  std::array<double, 21> share{};
};

/// Computed once for each stencil.
const WaveFactors& wave_factors(const Stencil& stencil);

/// Bounds for the steps of a job whose input is random and spread evenly over [-1, 1).
///
/// No step multiplies the largest value by more than the sum of |weight|. That is near the truth for a few
/// steps, and far too much for many. The second bound: after s steps a cell is a sum of inputs, or of the
/// roundings of an earlier step, whose factors are those of the composed stencil. These have a norm, which
/// only falls for a stable stencil. On an array with a boundary, factors of weights of one sign are not
/// larger than without one; with both signs they have at most the norm `largest`^s, because a step is then a
/// part of the one without a boundary, and count as no more than twice the composed ones: a wave and its
/// reflection. Inputs are independent, and the mean of exp(t in) is sinh(t) / t <= exp(t^2 / 6): the sum
/// exceeds 8 / sqrt(3) times its norm with a probability of 2 exp(-32) only. The same holds for roundings,
/// which count as independent from cell to cell, but not from step to step: results may stand still. Held
/// cells also add what they lead to in other cells, for stable stencils a mean of them, for which 8
/// deviations have room.
class Growth {
 public:
  explicit Growth(const StencilJob& job);

  /// Returns a bound of the largest |value| after so many steps. Held cells keep theirs.
  double value_after(std::int64_t steps) const;
  /// Returns a bound of what becomes at the end of all `steps` of the errors that `fused` steps make after
  /// `before` others: up to `worst` of the values and of the standard deviation `spread`. Beside them it has
  /// one that is the same in every cell, that of the weights, which follows the values.
  double error_at_end(std::int64_t before, std::int64_t fused, std::int64_t steps, double worst,
                      double spread) const;
  /// The sum of |weight|.
  double weight() const { return weight_; }
  /// The same for the composed stencil of so many steps and points.
  double weight_of(std::int64_t steps, std::size_t points) const;
  /// The largest factor of a wave after so many steps.
  double factor_after(std::int64_t steps) const;

 private:
  double norm_after(std::int64_t steps) const;

  double weight_;
  WaveFactors factors_;
  bool held_;
};

/// Returns bounds of |value| after all steps, for each place along x, y and z. Around an array with a
/// boundary of zeros, transport empties the places at which zeros come in, and the bound follows: at a place
/// values are at most the sum of those at the places that a step adds up, each times the sum of its |weights|
/// there. It is no less than what has as large roundings as every smaller number of the type. An axis along
/// which no place is emptied has none, as with held cells, which keep their value.
std::vector<std::vector<double>> values_along_axes(const StencilJob& job);

/// Returns why the values leave the range of the job's type; empty where they stay in it.
std::string leaves_range(const StencilJob& job);

}  // namespace tune::kernels
