// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/reference.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template<class T>
using View = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

HostTensor random_matrix(ElementType type, std::int64_t rows, std::int64_t columns, std::uint64_t start) {
  return random_tensor(type, {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
                       Mixer::murmur, start);
}

/// Computes rows begin .. end-1 of the result. The right matrix is converted panel by panel: a panel stays in
/// a core's cache while all rows pass, and takes little memory.
template<class T>
void multiply_rows(const GemmJob& job, const View<T>& left, const View<T>& right, std::int64_t begin,
                   std::int64_t end, double* result) {
  constexpr std::int64_t panel_k = 512, panel_n = 512, panel_m = 256;
  Matrix left_panel, right_panel;
  for (std::int64_t k = 0; k < job.k; k += panel_k) {
    const std::int64_t depth = std::min(panel_k, job.k - k);
    for (std::int64_t n = 0; n < job.n; n += panel_n) {
      const std::int64_t columns = std::min(panel_n, job.n - n);
      right_panel = right.block(k, n, depth, columns).template cast<double>();
      for (std::int64_t m = begin; m < end; m += panel_m) {
        throw_if_stopped();
        const std::int64_t rows = std::min(panel_m, end - m);
        left_panel = left.block(m, k, rows, depth).template cast<double>();
        Eigen::Map<Matrix> sums(result, job.m, job.n);
        sums.block(m, n, rows, columns).noalias() += job.alpha * left_panel * right_panel;
      }
    }
  }
}

template<class T>
void multiply(const GemmJob& job, const TensorSet& inputs, double* result) {
  const View<T> left(inputs.find(job.left)->second.as<T>().data(), job.m, job.k);
  const View<T> right(inputs.find(job.right)->second.as<T>().data(), job.k, job.n);
  const T* old = job.accumulates() ? inputs.find("c")->second.as<T>().data() : nullptr;
  parallel_for(static_cast<std::uint64_t>(job.m), 16, [&](std::uint64_t first, std::uint64_t last) {
    const auto begin = static_cast<std::int64_t>(first), end = static_cast<std::int64_t>(last);
    for (std::int64_t i = begin * job.n; i < end * job.n; ++i)
      result[i] = old != nullptr ? job.beta * static_cast<double>(old[i]) : 0;
    multiply_rows<T>(job, left, right, begin, end, result);
  });
}

}  // namespace

TensorSet gemm_inputs(const GemmJob& job, std::uint64_t seed) {
  // Distance between the matrices in the counter's numbers.
  const std::uint64_t start = seed * 0x9e3779b97f4a7c15ULL;
  constexpr std::uint64_t apart = 1ULL << 40;
  TensorSet set;
  set.emplace(job.left, random_matrix(job.type, job.m, job.k, start));
  set.emplace(job.right, random_matrix(job.type, job.k, job.n, start + apart));
  if (job.accumulates()) set.emplace("c", random_matrix(job.type, job.m, job.n, start + 2 * apart));
  return set;
}

HostTensor gemm_reference(const GemmJob& job, const TensorSet& inputs) {
  HostTensor result(ElementType::f64, {static_cast<std::uint64_t>(job.n), static_cast<std::uint64_t>(job.m)});
  if (job.type == ElementType::f64)
    multiply<double>(job, inputs, result.as<double>().data());
  else
    multiply<float>(job, inputs, result.as<double>().data());
  return result;
}

// The worst case of k roundings of partial sums of up to k grows as k^2 and would let a missing term pass
// (products are up to 1, 1/4 on average). Elements are independent and uniform in [-1, 1): a partial sum of j
// products has the variance j / 9, and its rounding an error of at most u times its size. Of N results the
// largest sum is about sqrt(2 ln N / 9 k), and the largest error of sums of this size sqrt(2 ln N k / 3)
// roundings of it: with N = 10^10 together at most 9 k u. Half of that suffices, because a sum is large only
// at its end, and a rounding is below u of most sizes. (1.6 k u was the largest error of 4096^2 results of
// 4096 terms on a device.) The constant covers the worst case of few terms, except for what cannot happen by
// chance.
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
  // The product of the small parts is left out. The sums of tensor cores truncate: 2 u instead of u, always
  // to one side.
  if (used == Arithmetic::tf32x3) {
    product = unit * (8 * k + 32);
    also = ", in three parts, truncated";
  }
  return {
      std::abs(job.alpha) * product + 4 * unit * (std::abs(job.beta) + std::abs(job.alpha)),
      format("the largest sum of {} roundings of random partial sums that occurs by chance{}", job.k, also)};
}

// tf32x3: additions that round leave the error of a product of floats. To it come the product of the small
// parts, which is left out, and the bits that these lose themselves (split_tf32): up to 2^-22 + 2 * 2^-23 of
// a product, or less than 2^-20 + 2 * 2^-21 where the large parts are truncated. As in gemm_tolerance, eight
// standard deviations of a sum of k count.
//
// tf32: tensor cores truncate a partial sum every 8 terms, by up to 2^-23 of it, always to one side. That of
// j terms is rarely larger than 2 sqrt(j). Truncated operands also lose ln 2 * 2^-11 of themselves on
// average, and a sum twice that: of the largest of 10^10 sums, 2.3 sqrt(k), 3.2 sqrt(k) * 2^-11. A single
// product may lose twice what rounding changes in it.
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
