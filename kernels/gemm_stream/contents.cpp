// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/contents.hpp"

#include <algorithm>

#include "kernels/gemm/reference.hpp"
#include "tuner/core/parallel.hpp"

namespace tune::kernels {
namespace {

/// Bits that differ in half of their places for neighbouring numbers: a multiplication spreads a number
/// upwards, a shift downwards, twice.
std::uint64_t scattered(std::uint64_t number) {
  for (int i = 0; i < 2; ++i) {
    number ^= number >> 31;
    number *= 0xd6e8feb86659fd93ULL;
  }
  return number ^ (number >> 32);
}

template<class T>
void fill(HostTensor& tensor, std::uint64_t start) {
  const auto elements = tensor.as<T>();
  parallel_for(elements.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      elements[i] = static_cast<T>(static_cast<double>(scattered(start + i) >> 40) * 0x1.0p-23 - 1.0);
  });
}

HostTensor random_matrices(const StreamJob& job, std::int64_t rows, std::int64_t columns,
                           std::uint64_t start) {
  HostTensor tensor(job.product.type, {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(job.count)});
  if (job.product.type == ElementType::f64)
    fill<double>(tensor, start);
  else
    fill<float>(tensor, start);
  return tensor;
}

/// Matrix `number` of a set, by itself.
HostTensor matrix_of(const HostTensor& set, std::uint64_t number) {
  const Extents& extents = set.extents();
  HostTensor matrix(set.type(), {extents[0], extents[1]});
  const auto to = matrix.bytes();
  std::ranges::copy(set.bytes().subspan(number * to.size(), to.size()), to.begin());
  return matrix;
}

}  // namespace

TensorSet stream_inputs(const StreamJob& job, std::uint64_t seed) {
  const std::uint64_t start = scattered(seed + 1);
  constexpr std::uint64_t apart = std::uint64_t{1} << 60;  // more than a set has elements
  TensorSet set;
  set.emplace("a", random_matrices(job, job.product.m, job.product.k, start));
  set.emplace("b", random_matrices(job, job.product.k, job.product.n, start + apart));
  return set;
}

HostTensor stream_reference(const StreamJob& job, const TensorSet& inputs) {
  HostTensor all(ElementType::f64,
                 {static_cast<std::uint64_t>(job.product.n), static_cast<std::uint64_t>(job.product.m),
                  static_cast<std::uint64_t>(job.count)});
  auto to = all.as<double>().begin();
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(job.count); ++i) {
    TensorSet one;
    for (const char* name : {"a", "b"}) one.emplace(name, matrix_of(inputs.find(name)->second, i));
    HostTensor product = gemm_reference(job.product, one);
    to = std::ranges::copy(product.as<double>(), to).out;
  }
  return all;
}

}  // namespace tune::kernels
