// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/rounding.hpp"

#include <cmath>

#include "tuner/core/format.hpp"

namespace tune::kernels {

// The worst case of k roundings of partial sums of up to k grows as k^2 and would let a missing term pass
// (products are up to 1, 1/4 on average). Elements are independent, uniform in [-1, 1): a partial sum of j
// products has the variance j / 9, and its rounding an error of at most u times its size. Of N results the
// largest sum is some sqrt(2 ln N / 9 k), and the largest error of sums so large sqrt(2 ln N k / 3) roundings
// of it: with N = 10^10 together at most 9 k u, and half of that because a sum gets large only in the end,
// and a rounding is below u of most sizes. (1.6 k u was the largest error of 4096^2 results of 4096 terms on
// a device.) Few terms: the constant covers their worst case but for what cannot happen by chance.
Tolerance gemm_tolerance(const GemmJob& job, Arithmetic used) {
  const double unit = job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
  const auto k = static_cast<double>(job.k);
  double product = unit * (4 * k + 8);
  const char* also = "";
  // Operands of 11 bits: each is wrong by up to 2^-11 of itself, a product (variance 1/9) by a standard
  // deviation of at most 2^-11 sqrt(2 / 9 / 3); eight of those of a sum of k.
  if (used == Arithmetic::tf32) {
    product += 0x1.0p-11 * (2.2 * std::sqrt(k) + 2);
    also = ", of operands rounded to 11 bits";
  }
  // The product of the small parts is left out, and the sums of tensor cores truncate: 2 u instead of u, all
  // to one side.
  if (used == Arithmetic::tf32x3) {
    product = unit * (8 * k + 32);
    also = ", in three parts, truncated";
  }
  return {std::abs(job.alpha) * product + 4 * unit * (std::abs(job.beta) + std::abs(job.alpha)),
          format("what {} roundings of random partial sums can add up to by chance{}", job.k, also)};
}

}  // namespace tune::kernels
