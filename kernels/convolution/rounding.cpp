// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/rounding.hpp"

#include <cmath>

#include "tuner/core/format.hpp"

namespace tune::kernels {
namespace {

double norm_of_taps(const ConvolutionJob& job, TapAxis axis) {
  double squares = 0;
  for (const double tap : convolution_taps(job.radius, axis)) squares += tap * tap;
  return std::sqrt(squares);
}

Tolerance of_roundings(const ConvolutionJob& job, double roundings) {
  const double units = 8 * std::sqrt(roundings) * (job.type == ElementType::f64 ? 2 : 1);
  return {
      units * result_roundoff(job),
      format("8 sqrt(n) = {:.3g} roundings of sums, relative to norm(row taps) norm(column taps) max |in|",
             units)};
}

}  // namespace

// Inputs are independent numbers of [-1, 1), so that sums and what is left out of them are as large as a
// random walk: a pass multiplies both by the norm of its taps.
double result_roundoff(const ConvolutionJob& job) {
  const double roundoff = job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
  return roundoff * norm_of_taps(job, TapAxis::rows) * norm_of_taps(job, TapAxis::columns);
}

// Every product and every addition rounds once, and so does the reference, which counts where it is no more
// exact than the kernels. Of n roundings, each relative to a partial sum, their own sum exceeds 8 sqrt(n)
// with probability 2 exp(-32) (N. J. Higham and T. Mary, A new approach to probabilistic rounding error
// analysis, SIAM J. Sci. Comput. 41, 2019). A tap that is missing or in the wrong place moves results by a
// thousand times that.
Tolerance sums_tolerance(const ConvolutionJob& job) {
  return of_roundings(job, static_cast<double>(2 * (job.taps() + 1)) + 2);
}

// The product of two taps is rounded once more.
Tolerance direct_tolerance(const ConvolutionJob& job) {
  return of_roundings(job, static_cast<double>(job.taps() * job.taps()) + 4);
}

// A transform of n numbers adds 6.7 units of roundoff for each of its log2(n) steps, relative to the root
// mean square of its results (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// theorem 24.2), if its factors are good to one unit; powers of them are good to six. No single error is
// larger either: roundings are spread over all pixels and add up like random numbers, the largest of which,
// among 10^9, is six times the mean, and the sum of worst cases is more than that above it. The spectrum's
// rounding, the product and the scale add ten for each pass. Numbers are pairs of pixels, larger by sqrt(2).
Tolerance transforms_tolerance(const ConvolutionJob& job, double row_length, double column_length) {
  constexpr double step = 7 + 5, product = 10;
  const double steps = std::log2(row_length) + std::log2(column_length);
  const double units = std::sqrt(2.0) * (2 * step * steps + 2 * product);
  return {
      units * result_roundoff(job),
      format(
          "{:.3g} roundings of transforms there and back, relative to norm(row taps) norm(column taps) max "
          "|in|",
          units)};
}

}  // namespace tune::kernels
