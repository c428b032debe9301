// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/core/format.hpp"

namespace tune::kernels {
namespace {

double sum_of_taps(const ConvolutionJob& job, TapAxis axis) {
  const std::vector<double> taps = convolution_taps(job.radius, axis);
  return std::accumulate(taps.begin(), taps.end(), 0.0);
}

}  // namespace

double result_roundoff(const ConvolutionJob& job) {
  const double roundoff = job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
  return roundoff * sum_of_taps(job, TapAxis::rows) * sum_of_taps(job, TapAxis::columns);
}

// Every product and every addition rounds once, and so does the reference, which counts where it is no more
// exact than the kernels. That all roundings point one way is the bound of small radii; of many, independent
// ones exceed 8 sqrt(n) with probability 2 exp(-32) for each pixel (N. J. Higham and T. Mary, A new approach
// to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019), and that relative to sums of |tap
// * pixel| of which none is near the bound. A tap that is missing or in the wrong place moves results by a
// hundred times as much.
Tolerance sums_tolerance(const ConvolutionJob& job) {
  const auto roundings = static_cast<double>(2 * (job.taps() + 1)) + 2;
  const double units = std::min(roundings, 8 * std::sqrt(roundings)) * (job.type == ElementType::f64 ? 2 : 1);
  return {units * result_roundoff(job),
          format("{:.3g} roundings, the lesser of all and 8 times their square root, of sums bounded by "
                 "sum |row tap| sum |column tap| max |in|",
                 units)};
}

// A transform of n numbers adds 6.7 units of roundoff for each of its log2(n) steps, relative to the root
// mean square of its results (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// theorem 24.2); powers of factors that are good to one unit are good to six. No single error is larger
// either: roundings are spread over all pixels and add up like random numbers, which the largest of 10^9
// exceeds six times, and the sum of worst cases by more. The spectrum's rounding, the product and the scale
// add ten for each pass. Numbers are pairs of pixels, larger by sqrt(2).
Tolerance transforms_tolerance(const ConvolutionJob& job, double row_length, double column_length) {
  constexpr double step = 7 + 5, product = 10;
  const double steps = std::log2(row_length) + std::log2(column_length);
  const double units = std::sqrt(2.0) * (2 * step * steps + 2 * product) / 4;
  return {
      units * result_roundoff(job),
      format("{:.3g} roundings of transforms of numbers bounded by sum |row tap| sum |column tap| max |in|",
             units)};
}

}  // namespace tune::kernels
