// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/reference/reference.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::kernels {
namespace {

/// A point of the stencil in this array.
struct Term {
  std::int64_t offset;  ///< in cells
  int dx;
  double weight;
};

/// The points of the rows that exist: rows of zeros beyond the array add nothing.
std::vector<Term> terms_of(const StencilJob& job, std::int64_t y, std::int64_t z) {
  std::vector<Term> terms;
  for (const StencilPoint& point : job.stencil.points) {
    if (y + point.dy < 0 || y + point.dy >= job.ny || z + point.dz < 0 || z + point.dz >= job.nz) continue;
    terms.push_back({(point.dz * job.ny + point.dy) * job.nx + point.dx, point.dx, point.weight});
  }
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

/// A cell some of whose neighbours may lie outside of its row.
template<class Real>
double sum_at_edge(const std::vector<Term>& terms, const Real* row, std::int64_t x, std::int64_t nx) {
  double sum = 0;
  for (const Term& term : terms)
    if (x + term.dx >= 0 && x + term.dx < nx) sum += term.weight * static_cast<double>(row[x + term.offset]);
  return sum;
}

template<class Real>
void sum_row(const StencilJob& job, const std::vector<Term>& terms, const Real* row, double* sums) {
  constexpr int block = 16;
  const std::int64_t radius = job.stencil.radii()[0], fixed_cells = job.fixed_cells()[0];
  const std::int64_t whole_begin = std::min(radius, job.nx),
                     whole_end = std::max(whole_begin, job.nx - radius);
  std::int64_t x = fixed_cells;
  for (; x < std::min(whole_begin, job.nx - fixed_cells); ++x) sums[x] = sum_at_edge(terms, row, x, job.nx);
  for (; x + block <= whole_end; x += block) sum_cells<block>(terms, row + x, sums + x);
  for (; x < whole_end; ++x) sum_cells<1>(terms, row + x, sums + x);
  for (; x < job.nx - fixed_cells; ++x) sums[x] = sum_at_edge(terms, row, x, job.nx);
}

/// One step from `in` to `out`, both nx * ny * nz cells.
template<class Real>
void step(const StencilJob& job, const Real* in, double* out) {
  const auto [fixed_x, fixed_y, fixed_z] = job.fixed_cells();
  const auto computed = [](std::int64_t i, int fixed_cells, std::int64_t extent) {
    return i >= fixed_cells && i < extent - fixed_cells;
  };
  const bool any_x = job.nx > 2 * fixed_x;
  parallel_for(static_cast<std::uint64_t>(job.ny * job.nz), 16,
               [&, fixed_y = fixed_y, fixed_z = fixed_z](std::uint64_t begin, std::uint64_t end) {
                 for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end);
                      ++row) {
                   const Real* from = in + row * job.nx;
                   double* to = out + row * job.nx;
                   const std::int64_t y = row % job.ny, z = row / job.ny;
                   std::copy(from, from + job.nx, to);
                   if (any_x && computed(y, fixed_y, job.ny) && computed(z, fixed_z, job.nz))
                     sum_row(job, terms_of(job, y, z), from, to);
                 }
               });
}

}  // namespace

HostTensor stencil_input(const StencilJob& job, std::uint64_t seed) {
  return random_tensor(job.type, job.extents(), Mixer::murmur, seed * 0x9e3779b97f4a7c15ULL);
}

HostTensor stencil_reference(const StencilJob& job, const HostTensor& input) {
  HostTensor now(ElementType::f64, job.extents());
  if (job.type == ElementType::f64)
    step<double>(job, input.as<double>().data(), now.as<double>().data());
  else
    step<float>(job, input.as<float>().data(), now.as<double>().data());
  if (job.steps == 1) return now;
  HostTensor next(ElementType::f64, job.extents());
  for (std::int64_t i = 1; i < job.steps; ++i) {
    step<double>(job, now.as<double>().data(), next.as<double>().data());
    std::swap(now, next);
  }
  return now;
}

}  // namespace tune::kernels
