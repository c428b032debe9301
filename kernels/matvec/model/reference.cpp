// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/reference.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

/// Computes y = A x. The sum of a row is that of eight chains, which compilers turn into vector instructions.
template<class Real, class Sum>
void multiply(const MatvecJob& job, const Real* a, const Real* x, double* y) {
  constexpr std::int64_t chains = 8;
  const std::int64_t columns = job.columns;
  const auto grain = static_cast<std::uint64_t>(std::max<std::int64_t>(1, 65536 / columns));
  parallel_for(static_cast<std::uint64_t>(job.rows), grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      throw_if_stopped();
      const Real* from = a + row * static_cast<std::uint64_t>(columns);
      Sum sums[chains] = {};
      std::int64_t i = 0;
      for (; i + chains <= columns; i += chains)
        for (std::int64_t k = 0; k < chains; ++k) sums[k] += static_cast<Sum>(from[i + k]) * x[i + k];
      Sum sum = 0;
      for (; i < columns; ++i) sum += static_cast<Sum>(from[i]) * x[i];
      for (const Sum& chain : sums) sum += chain;
      y[row] = static_cast<double>(sum);
    }
  });
}

/// Computes z = A' y; each part of the rows has its own sums.
template<class Real, class Sum>
void multiply_transposed(const MatvecJob& job, const Real* a, const double* y, double* z) {
  const auto columns = static_cast<std::uint64_t>(job.columns);
  std::vector<Sum> all(columns);
  std::mutex mutex;
  const auto rows = static_cast<std::uint64_t>(job.rows);
  const std::uint64_t grain =
      std::max<std::uint64_t>(std::max<std::uint64_t>(1, 65536 / columns), rows / (4 * host_threads()));
  parallel_for(rows, grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<Sum> sums(columns);
    for (std::uint64_t row = begin; row < end; ++row) {
      throw_if_stopped();
      const Real* from = a + row * columns;
      const Sum factor = y[row];
      for (std::uint64_t i = 0; i < columns; ++i) sums[i] += static_cast<Sum>(from[i]) * factor;
    }
    const std::lock_guard lock(mutex);
    for (std::uint64_t i = 0; i < columns; ++i) all[i] += sums[i];
  });
  std::transform(all.begin(), all.end(), z, [](const Sum& sum) { return static_cast<double>(sum); });
}

template<class Real>
TensorSet reference_of(const MatvecJob& job, const TensorSet& inputs) {
  using Sum = std::conditional_t<std::is_same_v<Real, double>, long double, double>;
  const Real* a = inputs.find("a")->second.as<Real>().data();
  HostTensor y(ElementType::f64, {static_cast<std::uint64_t>(job.rows)});
  const auto factors = y.as<double>();
  TensorSet set;
  if (job.has_n()) {
    multiply<Real, Sum>(job, a, inputs.find("x")->second.as<Real>().data(), factors.data());
  } else {
    std::ranges::copy(inputs.find("y")->second.as<Real>(), factors.begin());
  }
  if (job.has_t()) {
    HostTensor z(ElementType::f64, {static_cast<std::uint64_t>(job.columns)});
    multiply_transposed<Real, Sum>(job, a, factors.data(), z.as<double>().data());
    set.emplace("z", std::move(z));
  }
  if (job.has_n()) set.emplace("y", std::move(y));
  return set;
}

}  // namespace

TensorSet matvec_inputs(const MatvecJob& job, std::uint64_t seed) {
  const auto rows = static_cast<std::uint64_t>(job.rows), columns = static_cast<std::uint64_t>(job.columns);
  const std::uint64_t start = seed * 0xd1342543de82ef95ULL;
  TensorSet set;
  set.emplace("a", random_tensor(job.type, job.extents(), Mixer::splitmix_scaled, start));
  const std::uint64_t vector = start + rows * columns;
  if (job.has_n())
    set.emplace("x", random_tensor(job.type, {columns}, Mixer::splitmix_scaled, vector));
  else
    set.emplace("y", random_tensor(job.type, {rows}, Mixer::splitmix_scaled, vector));
  return set;
}

TensorSet matvec_reference(const MatvecJob& job, const TensorSet& inputs) {
  return job.type == ElementType::f64 ? reference_of<double>(job, inputs) : reference_of<float>(job, inputs);
}

// A sum of n products of independent numbers, uniform in [-1, 1), walks randomly: after i of them it is
// sqrt(i) / 3 on average, and each addition rounds it by about 0.4 units of roundoff of that. The roundings
// walk as well: 0.1 n units altogether, as standard deviation. The worst order, one chain, has that; ten
// standard deviations are n units. A missing term changes a sum by 0.2 on average, 50 times as much at 2^16
// floats. z = A' y of y = A x has terms that are sqrt(columns) times larger, and the terms' own errors, which
// walk. Part of the sum does not walk but grows: that of a(i, j)^2 x(j), up to rows / 3. A chain of it rounds
// 0.06 rows^1.5 units, as standard deviation; ten of these exceed a term if a matrix has far more rows than
// columns: then only the small sizes of checks show a missing row.
Tolerance matvec_tolerance(const MatvecJob& job) {
  const double unit = job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
  const auto rows = static_cast<double>(job.rows), columns = static_cast<double>(job.columns);
  const double spare = 8;
  Tolerance tolerance;
  tolerance.derivation = "a unit of roundoff for each term: ten standard deviations of a chain of sums";
  tolerance.absolute = unit * ((job.op == MatvecJob::Op::t ? rows : columns) + spare);
  if (job.op == MatvecJob::Op::ata) {
    const double growing = 0.6 * rows * std::sqrt(rows);
    const double walking = (rows + spare) * std::sqrt(columns) + (columns + spare) * std::sqrt(rows);
    const double z = unit * (growing + walking);
    tolerance.buffers.emplace("y", Bounds{.absolute = tolerance.absolute});
    tolerance.buffers.emplace("z", Bounds{.absolute = z});
    tolerance.absolute = z;
  }
  return tolerance;
}

}  // namespace tune::kernels
