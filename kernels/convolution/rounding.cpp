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

}  // namespace tune::kernels
