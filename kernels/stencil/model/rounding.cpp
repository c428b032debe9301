// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/model/rounding.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

double unit_roundoff(const StencilJob& job) {
  return job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
}

/// What a step multiplies the largest value by at most. Held cells keep theirs.
double growth(const StencilJob& job) {
  return std::max(1.0, absolute_weight(job.stencil));
}

/// Units of roundoff that a sum over so many points adds, relative to sum |w| max |in|: every addition rounds
/// a partial sum; the weights' own rounding and, without fused multiply-adds, that of the products add one
/// unit each over the whole sum, and one is spare for what is of second order. Long sums: the roundings of n
/// additions are beyond k sqrt(n) with a probability of 2 exp(-k^2 / 2) only, 3e-14 for k = 8 (N. J. Higham
/// and T. Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019). What
/// the worst case allows would hide missing terms of large boxes.
double sum_units(std::size_t points) {
  const auto additions = static_cast<double>(points);
  return std::min(additions, 8 * std::sqrt(additions)) + 3;
}

/// Units of a real transform along one axis, relative to the result's root mean square: log2(n) stages add
/// 6.7 each (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 24.2, with
/// weights good to one unit). A length with larger prime factors than 7 is a convolution of at most four
/// times as many elements: transforms forth and back, and that of its factors.
double transform_units(std::int64_t extent) {
  constexpr double stage = 7;
  if (extent == 1) return 0;
  std::int64_t rest = extent;
  for (const int factor : {2, 3, 5, 7})
    while (rest % factor == 0) rest /= factor;
  const auto length = static_cast<double>(extent);
  return rest == 1 ? stage * std::log2(length) : 3 * stage * std::log2(4 * length);
}

}  // namespace

Tolerance step_tolerance(const StencilJob& job) {
  const auto steps = static_cast<double>(job.steps);
  // Each step adds as much, and multiplies what is there by sum |w| at most.
  const double bound = absolute_weight(job.stencil) * std::pow(growth(job), steps - 1);
  return {sum_units(job.stencil.points.size()) * steps * unit_roundoff(job) * bound,
          format("{:.4g} roundings a step, min(points, 8 sqrt(points)) + 3, of sums bounded by "
                 "(sum |weight|)^steps max |in| = {:.3g}",
                 sum_units(job.stencil.points.size()), bound)};
}

Tolerance composed_tolerance(const StencilJob& job, std::int64_t fused, std::size_t points) {
  const double step = sum_units(job.stencil.points.size());
  // A cell is computed in one of two ways; that of its neighbours counts in the next pass. The composed
  // stencil's sum of |weight| is no more than the power of the stencil's.
  const double pass = std::max(sum_units(points), static_cast<double>(fused) * step);
  const double units =
      static_cast<double>(job.steps / fused) * pass + static_cast<double>(job.steps % fused) * step;
  const double bound = std::pow(growth(job), static_cast<double>(job.steps));
  return {units * unit_roundoff(job) * bound,
          format("{:.4g} roundings a pass (those of the composed stencil's sum or of its steps), {:.4g} a "
                 "step, of sums bounded by (sum |weight|)^steps max |in| = {:.3g}",
                 pass, step, bound)};
}

// The bounds of transforms are of the root mean square of all errors. That no single error is larger either
// is not a theorem: roundings are spread over all cells (J. C. Schatzman, Accuracy of the discrete Fourier
// transform and the fast Fourier transform, SIAM J. Sci. Comput. 17, 1996, finds them to grow with the square
// root of log2 n only), so that the largest of 10^9 is about six times their mean, and the sum of worst cases
// is more than that above it.
Tolerance fft_tolerance(const StencilJob& job, const FftRounding& rounding) {
  double transform = 0, squares = 0;
  for (std::size_t axis = 0; axis < (rounding.convolved ? 2 : 3); ++axis)
    transform += transform_units(rounding.extents[axis]);
  for (const StencilPoint& point : job.stencil.points) squares += point.weight * point.weight;
  const double step = sum_units(job.stencil.points.size());
  // The filter's spectrum: its own transform, of mean size |w|_2, or a rounding of each table and two sums;
  // the weights' rounding. A power multiplies them, and the complex products add sqrt(5) units each.
  // Taps are rounded as weights are, and folded once a step: two products and sums for each.
  const auto radius = static_cast<std::size_t>(job.stencil.radii()[2]);
  const double spectrum = rounding.convolved
                              ? 2 * sum_units(2 * radius + 1) + 3
                              : (rounding.tables ? 6 : transform * std::sqrt(squares) / growth(job) + 1) + 3;
  const auto pass = [&](std::int64_t steps) {
    const auto count = static_cast<double>(steps);
    const std::size_t taps = 2 * radius * static_cast<std::size_t>(steps) + 1;
    // The product with the array's spectrum, or the sum of those with the taps, and the scale.
    const double product = rounding.convolved ? 2 * sum_units(taps) : 6;
    return std::max(2 * transform + count * spectrum + product, count * step);
  };
  const std::int64_t rest = job.steps % rounding.fused;
  const double units =
      static_cast<double>(job.steps / rounding.fused) * pass(rounding.fused) + (rest > 0 ? pass(rest) : 0);
  const double bound = std::pow(growth(job), static_cast<double>(job.steps));
  return {units * unit_roundoff(job) * bound,
          format("two transforms of {:.3g} roundings a pass, and {:.3g} a step, of values bounded by "
                 "(sum |weight|)^steps max |in| = {:.3g}",
                 transform, spectrum, bound)};
}

}  // namespace tune::kernels
