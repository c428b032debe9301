// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/reference.hpp"

#include <algorithm>
#include <vector>

#include "tuner/core/parallel.hpp"

namespace tune::kernels {
namespace {

/// A number in [-1, 1) with 24 bits, exact in float, from a mixed counter (the finalizer of MurmurHash3).
double number_at(std::uint64_t counter) {
  counter ^= counter >> 33;
  counter *= 0xff51afd7ed558ccdULL;
  counter ^= counter >> 33;
  counter *= 0xc4ceb9fe1a85ec53ULL;
  counter ^= counter >> 33;
  return static_cast<double>(counter >> 40) * 0x1.0p-23 - 1.0;
}

template<class Real>
void fill(HostTensor& tensor, std::uint64_t seed) {
  const auto cells = tensor.as<Real>();
  const std::uint64_t start = seed * 0x9e3779b97f4a7c15ULL;
  parallel_for(cells.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) cells[i] = static_cast<Real>(number_at(start + i));
  });
}

/// A point of the stencil in this array.
struct Term {
  std::int64_t offset;  ///< in cells
  double weight;
};

std::vector<Term> terms_of(const StencilSize& size, const Stencil& stencil) {
  std::vector<Term> terms;
  for (const StencilPoint& point : stencil.points)
    terms.push_back({(point.dz * size.ny + point.dy) * size.nx + point.dx, point.weight});
  return terms;
}

/// `count` neighbouring cells, point after point: their sums stay in registers, and a loop of known length is
/// what compilers turn into vector instructions at -O2.
template<int count, class Real>
void sum_cells(const std::vector<Term>& terms, const Real* from, double* to) {
  double sums[count] = {};
  for (const Term& term : terms) {
    const Real* neighbours = from + term.offset;
    for (int i = 0; i < count; ++i) sums[i] += term.weight * static_cast<double>(neighbours[i]);
  }
  std::copy(sums, sums + count, to);
}

template<class Real>
void sum_row(const std::vector<Term>& terms, const Real* row, double* sums, std::int64_t begin,
             std::int64_t end) {
  constexpr int block = 16;
  std::int64_t x = begin;
  for (; x + block <= end; x += block) sum_cells<block>(terms, row + x, sums + x);
  for (; x < end; ++x) sum_cells<1>(terms, row + x, sums + x);
}

template<class Real>
void step(const StencilSize& size, const Stencil& stencil, const HostTensor& input, HostTensor& output) {
  const Real* in = input.as<Real>().data();
  double* out = output.as<double>().data();
  const std::int64_t radius = stencil.radius();
  const std::vector<Term> terms = terms_of(size, stencil);
  const auto inner = [&](std::int64_t i, std::int64_t extent) { return i >= radius && i < extent - radius; };
  parallel_for(
      static_cast<std::uint64_t>(size.ny * size.nz), 16, [&](std::uint64_t begin, std::uint64_t end) {
        for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row) {
          const Real* from = in + row * size.nx;
          double* to = out + row * size.nx;
          std::copy(from, from + size.nx, to);
          if (inner(row % size.ny, size.ny) && inner(row / size.ny, size.nz))
            sum_row(terms, from, to, radius, size.nx - radius);
        }
      });
}

}  // namespace

HostTensor stencil_input(const StencilSize& size, std::uint64_t seed) {
  HostTensor tensor(size.type, size.extents());
  if (size.type == ElementType::f64)
    fill<double>(tensor, seed);
  else
    fill<float>(tensor, seed);
  return tensor;
}

HostTensor stencil_reference(const StencilSize& size, const Stencil& stencil, const HostTensor& input) {
  HostTensor output(ElementType::f64, size.extents());
  if (size.type == ElementType::f64)
    step<double>(size, stencil, input, output);
  else
    step<float>(size, stencil, input, output);
  return output;
}

}  // namespace tune::kernels
