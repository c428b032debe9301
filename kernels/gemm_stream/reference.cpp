// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/reference.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "kernels/framework/request.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

struct Set {
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t elements() const { return rows * columns; }
};

std::uint64_t natural(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

Set left_of(const StreamJob& job) {
  return {natural(job.product.m), natural(job.product.k)};
}
Set right_of(const StreamJob& job) {
  return {natural(job.product.k), natural(job.product.n)};
}
Set result_of(const StreamJob& job) {
  return {natural(job.product.m), natural(job.product.n)};
}

/// Compares a matrix with another one that is it moved up by `rows` and left by `columns`, around the edges:
/// calls `use` with a place in it, one in the other, and the number of adjacent elements at both.
template<class Use>
void moved(const Set& set, std::uint64_t rows, std::uint64_t columns, const Use& use) {
  columns %= set.columns;
  for (std::uint64_t row = 0; row < set.rows; ++row) {
    const std::uint64_t from = (row + rows) % set.rows * set.columns, to = row * set.columns;
    use(to, from + columns, set.columns - columns);
    if (columns > 0) use(to + set.columns - columns, from, columns);
  }
}

template<class T>
void copy_moved(const Set& set, std::uint64_t rows, std::uint64_t columns, const T* from, T* to) {
  moved(set, rows, columns, [&](std::uint64_t target, std::uint64_t source, std::uint64_t count) {
    std::memcpy(to + target, from + source, count * sizeof(T));
  });
}

template<class T>
bool is_moved(const Set& set, std::uint64_t rows, std::uint64_t columns, const T* from, const T* to) {
  bool same = true;
  moved(set, rows, columns, [&](std::uint64_t target, std::uint64_t source, std::uint64_t count) {
    same = same && std::memcmp(to + target, from + source, count * sizeof(T)) == 0;
  });
  return same;
}

/// The matrices after the first `own` ones are these, moved along rows or else along columns.
template<class T>
void move_all(HostTensor& tensor, const Set& set, std::uint64_t own, bool rows) {
  const auto all = tensor.as<T>();
  parallel_for(all.size() / set.elements() - own, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin + own; i < end + own; ++i) {
      throw_if_stopped();
      const std::uint64_t places = i / own;
      copy_moved(set, rows ? places : 0, rows ? 0 : places, all.data() + i % own * set.elements(),
                 all.data() + i * set.elements());
    }
  });
}

HostTensor matrices(const StreamJob& job, const Set& set, std::uint64_t own, std::uint64_t start, bool rows) {
  HostTensor tensor(job.product.type, {set.columns, set.rows, natural(job.count)});
  fill_random(tensor, own * set.elements(), Mixer::multiply_twice, start);
  if (job.product.type == ElementType::f64)
    move_all<double>(tensor, set, own, rows);
  else
    move_all<float>(tensor, set, own, rows);
  return tensor;
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The right matrix is converted once, rows of the left one as they are needed.
template<class T>
void multiply(const StreamJob& job, const T* left, const T* right, double* result) {
  using View = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const auto m = job.product.m, n = job.product.n, k = job.product.k;
  Matrix converted(k, n);
  parallel_for(natural(k), 64, [&](std::uint64_t begin, std::uint64_t end) {
    const auto first = static_cast<std::int64_t>(begin), rows = static_cast<std::int64_t>(end - begin);
    converted.middleRows(first, rows) = View(right + first * n, rows, n).template cast<double>();
  });
  parallel_for(natural(m), 32, [&](std::uint64_t begin, std::uint64_t end) {
    constexpr std::int64_t together = 64;  // more would keep a run that ends waiting
    const auto last = static_cast<std::int64_t>(end);
    for (auto first = static_cast<std::int64_t>(begin); first < last; first += together) {
      throw_if_stopped();
      const std::int64_t rows = std::min(together, last - first);
      const Matrix panel = View(left + first * k, rows, k).template cast<double>();
      Eigen::Map<Matrix>(result + first * n, rows, n).noalias() = panel * converted;
    }
  });
}

template<class T>
void multiply_all(const StreamJob& job, const TensorSet& inputs, std::uint64_t own, double* results) {
  const Set left = left_of(job), right = right_of(job), result = result_of(job);
  const T* const a = inputs.find("a")->second.as<T>().data();
  const T* const b = inputs.find("b")->second.as<T>().data();
  const std::uint64_t count = natural(job.count);
  // True for products that follow from an earlier one; bytes, because threads write them at the same time.
  std::vector<char> follows(count);
  parallel_for(count - own, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin + own; i < end + own; ++i) {
      const std::uint64_t base = i % own, places = i / own;
      follows[i] = is_moved(left, places, 0, a + base * left.elements(), a + i * left.elements()) &&
                   is_moved(right, 0, places, b + base * right.elements(), b + i * right.elements());
    }
  });
  for (std::uint64_t i = 0; i < count; ++i)
    if (follows[i] == 0)
      multiply<T>(job, a + i * left.elements(), b + i * right.elements(), results + i * result.elements());
  parallel_for(count - own, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin + own; i < end + own; ++i)
      if (follows[i] != 0)
        copy_moved(result, i / own, i / own, results + i % own * result.elements(),
                   results + i * result.elements());
  });
}

}  // namespace

std::int64_t own_products(const StreamJob& job) {
  constexpr double max_flops = 3e10;
  const double affordable = max_flops / (2 * job.product.multiply_adds());
  // After this many places the matrices repeat.
  const std::int64_t places = std::min(job.product.m, job.product.n);
  const std::int64_t min = std::max<std::int64_t>(2, ceil_div(job.count, places));
  if (affordable >= static_cast<double>(job.count)) return job.count;
  return std::min(job.count, std::max(min, static_cast<std::int64_t>(affordable)));
}

TensorSet stream_inputs(const StreamJob& job, std::uint64_t seed, std::int64_t own) {
  const std::uint64_t start = mixed_bits(Mixer::multiply_twice, seed + 1);
  constexpr std::uint64_t apart = std::uint64_t{1} << 60;  // more than a set has elements
  TensorSet set;
  set.emplace("a", matrices(job, left_of(job), natural(own), start, true));
  set.emplace("b", matrices(job, right_of(job), natural(own), start + apart, false));
  return set;
}

HostTensor stream_reference(const StreamJob& job, const TensorSet& inputs, std::int64_t own) {
  const Set result = result_of(job);
  HostTensor all(ElementType::f64, {result.columns, result.rows, natural(job.count)});
  if (job.product.type == ElementType::f64)
    multiply_all<double>(job, inputs, natural(own), all.as<double>().data());
  else
    multiply_all<float>(job, inputs, natural(own), all.as<double>().data());
  return all;
}

}  // namespace tune::kernels
