// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/rounding.hpp"

#include <cmath>

#include "tuner/base/format.hpp"

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

// tf32x3: additions that round leave the error of a product of floats. What comes to it are the product of
// the small parts, which is left out, and what these lose themselves (split_tf32): up to 2^-22 + 2 * 2^-23 of
// a product, or less than 2^-20 + 2 * 2^-21 where the large parts are cut. As in gemm_tolerance, eight
// standard deviations of a sum of k.
//
// tf32: tensor cores cut a partial sum every 8 terms, by up to 2^-23 of it, all to one side. That of j terms
// is rarely larger than 2 sqrt(j). Operands that are cut, too, lose ln 2 * 2^-11 of themselves on average,
// and a sum twice that: of the largest of 10^10 sums, 2.3 sqrt(k), 3.2 sqrt(k) * 2^-11. A single product may
// lose twice what rounding changes in it.
Tolerance tensor_core_tolerance(const GemmJob& job, bool split, bool rounded) {
  const auto k = static_cast<double>(job.k);
  if (!split) {
    Tolerance tolerance = gemm_tolerance(job, Arithmetic::tf32);
    double more = 0x1.0p-23 * std::pow(k, 1.5) / 6;
    if (!rounded) more += 0x1.0p-11 * (3.2 * std::sqrt(k) + 2);
    tolerance.absolute += std::abs(job.alpha) * more;
    if (!rounded) tolerance.derivation += ", cut instead";
    return tolerance;
  }
  Tolerance tolerance = gemm_tolerance(job, Arithmetic::strict);
  const double lost = (rounded ? 0x1.0p-21 : 0x1.0p-19) * (2.2 * std::sqrt(k) + 2);
  tolerance.absolute += std::abs(job.alpha) * lost;
  tolerance.derivation += ", of operands in two parts of 11 bits";
  return tolerance;
}

}  // namespace tune::kernels
