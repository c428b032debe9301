// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/reference.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::kernels {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template<class T>
using View = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

HostTensor random_matrix(ElementType type, std::int64_t rows, std::int64_t columns, std::uint64_t start) {
  return random_tensor(type, {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
                       Mixer::murmur, start);
}

/// Rows begin .. end-1 of the result. The right matrix is converted a panel at a time: one that stays in a
/// core's cache while all of the rows pass, and little memory beside the tensors.
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
  // Matrices are far apart in the counter's numbers.
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

}  // namespace tune::kernels
