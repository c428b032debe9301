// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil3d/reference.hpp"

#include <algorithm>

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

/// Point after point over a whole row: the row of sums stays in L1 and the loop is a vector multiply-add.
template<class Real>
void sum_row(const Stencil& stencil, const StencilSize& size, const Real* row, double* sums) {
  const std::int64_t begin = stencil.radius, end = size.nx - stencil.radius;
  std::fill(sums + begin, sums + end, 0.0);
  for (const StencilPoint& point : stencil.points) {
    const Real* from = row + ((point.dz * size.ny + point.dy) * size.nx + point.dx);
    const double weight = point.weight;
    for (std::int64_t x = begin; x < end; ++x) sums[x] += weight * static_cast<double>(from[x]);
  }
}

template<class Real>
void step(const StencilSize& size, const Stencil& stencil, const HostTensor& input, HostTensor& output) {
  const Real* in = input.as<Real>().data();
  double* out = output.as<double>().data();
  const std::int64_t radius = stencil.radius;
  const auto inner = [&](std::int64_t i, std::int64_t extent) { return i >= radius && i < extent - radius; };
  parallel_for(
      static_cast<std::uint64_t>(size.ny * size.nz), 16, [&](std::uint64_t begin, std::uint64_t end) {
        for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row) {
          const Real* from = in + row * size.nx;
          double* to = out + row * size.nx;
          std::copy(from, from + size.nx, to);
          if (inner(row % size.ny, size.ny) && inner(row / size.ny, size.nz) && size.nx > 2 * radius)
            sum_row(stencil, size, from, to);
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
