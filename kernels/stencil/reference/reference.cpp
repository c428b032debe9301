// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/boundary_shell.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/reference/growth.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/base/units.hpp"

namespace tune::kernels {
namespace {

struct Term {
  std::int64_t offset;  ///< in cells
  int dx;
  double weight;
};

/// Returns the points in rows of the array: the zeros beyond it add nothing.
std::vector<Term> terms_of(const StencilJob& job, std::int64_t y, std::int64_t z) {
  std::vector<Term> terms;
  for (const StencilPoint& point : job.stencil.points) {
    if (y + point.dy < 0 || y + point.dy >= job.ny || z + point.dz < 0 || z + point.dz >= job.nz) continue;
    terms.push_back({(point.dz * job.ny + point.dy) * job.nx + point.dx, point.dx, point.weight});
  }
  return terms;
}

/// Sums `count` neighbouring cells, point after point: the sums stay in registers, and compilers turn a loop
/// of known length into vector instructions at -O2.
template<int count, class Real>
void sum_cells(const std::vector<Term>& terms, const Real* from, double* to) {
  double sums[count] = {};
  for (const Term& term : terms) {
    const Real* neighbours = from + term.offset;
    for (int i = 0; i < count; ++i) sums[i] += term.weight * static_cast<double>(neighbours[i]);
  }
  std::copy(sums, sums + count, to);
}

/// Sums a cell some of whose neighbours may lie outside of its row.
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

/// Computes one step from `in` to `out`, both nx * ny * nz cells.
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
                   throw_if_stopped();
                   const Real* from = in + row * job.nx;
                   double* to = out + row * job.nx;
                   const std::int64_t y = row % job.ny, z = row / job.ny;
                   std::copy(from, from + job.nx, to);
                   if (any_x && computed(y, fixed_y, job.ny) && computed(z, fixed_z, job.nz))
                     sum_row(job, terms_of(job, y, z), from, to);
                 }
               });
}

constexpr std::uint32_t threads = 128;  // measured: 1.0 s for 4913 points at 512^3 on an H200, 1.8 s with 256

StencilJob in_doubles(StencilJob job) {
  job.type = ElementType::f64;
  return job;
}

CompileRequest request_of(const StencilJob& job, const KernelSources& sources) {
  CompileRequest request =
      stencil_files().request("reference.cu", sources, {{"rim_points.cuh", shell_header(job)}});
  request.defines = {
      {"REAL", "double"}, {"INPUT", std::string(to_string(job.type))}, {"BOUNDARY", boundary_macro(job)}};
  request.entries = {"reference_first"};
  if (job.steps > 1) request.entries.emplace_back("reference_next");
  return request;
}

double unit_roundoff(const StencilJob& job) {
  return job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
}

/// Returns the units of roundoff that a sum over this many points adds, relative to sum |w| max |in|. Every
/// addition rounds a partial sum; the weights' own rounding and, without fused multiply-adds, that of the
/// products add one unit each over the whole sum, and one is for second-order terms. Long sums: the roundings
/// of n additions exceed k sqrt(n) with a probability of 2 exp(-k^2 / 2) only, 3e-14 for k = 8 (N. J. Higham
/// and T. Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019). The
/// bound of the worst case would hide missing terms of large boxes.
double sum_units(std::size_t points) {
  const auto additions = static_cast<double>(points);
  return std::min(additions, 8 * std::sqrt(additions)) + 3;
}

/// Returns the standard deviation of these units among cells: `n` roundings add up like random numbers.
double spread_units(std::size_t points) {
  return std::sqrt(static_cast<double>(points)) + 3;
}

/// Returns the units that one step after `before` others adds to the result of `steps`.
double step_units(const StencilJob& job, const Growth& growth, std::int64_t before) {
  const std::size_t points = job.stencil.points.size();
  return growth.weight() * growth.error_at_end(before, 1, job.steps, sum_units(points), spread_units(points));
}

/// Returns the share of its bound by which roundings may change a value: `units` in all, each of a value that
/// this bound has room for.
double share_of_units(const StencilJob& job, double units) {
  return std::expm1(units * unit_roundoff(job));
}

Tolerance of_units(const StencilJob& job, double units, std::string derivation) {
  const bool is_double = job.type == ElementType::f64;
  // Below the smallest normal number, roundings do not become smaller with the values.
  const double least = is_double ? std::numeric_limits<double>::denorm_min()
                                 : static_cast<double>(std::numeric_limits<float>::denorm_min());
  const double roundings = sum_units(job.stencil.points.size()) * static_cast<double>(job.steps);
  return {.absolute = units * unit_roundoff(job) + roundings * least,
          .derivation = std::move(derivation),
          .cause = format("errors grow over {}", counted(static_cast<std::uint64_t>(job.steps), "step")),
          .cure = is_double ? "take fewer steps" : "take fewer steps or type=double"};
}

/// Returns the units of a real transform along one axis, relative to the result's root mean square: log2(n)
/// stages add 6.7 each (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 24.2,
/// with weights good to one unit). A length with prime factors above 7 is a convolution of at most four times
/// as many elements: transforms forth and back, and that of its factors.
double transform_units(std::int64_t extent) {
  constexpr double stage = 7;
  if (extent == 1) return 0;
  std::int64_t rest = extent;
  for (const int factor : {2, 3, 5, 7})
    while (rest % factor == 0) rest /= factor;
  const auto length = static_cast<double>(extent);
  return rest == 1 ? stage * std::log2(length) : 3 * stage * std::log2(4 * length);
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

bool takes_long(const StencilJob& job) {
  constexpr double many = 4e9;  // multiply-adds: about a second of two cores, a tenth of sixteen
  constexpr int max_offset = 127;
  const double cost =
      job.cells() * static_cast<double>(job.stencil.points.size()) * static_cast<double>(job.steps);
  return cost > many && job.stencil.radius() <= max_offset &&
         shell_constant_bytes(in_doubles(job)) <= constant_memory &&
         job.ny * job.nz <= std::numeric_limits<std::int32_t>::max();
}

Result<LaunchPlan> plan_stencil_reference(const StencilJob& job, const KernelSources& sources) {
  const Layout layout = Layout::dense(job.extents());
  LaunchPlan plan;
  plan.compile = request_of(job, sources);
  plan.buffers = {{"in", job.type, layout, BufferRole::input},
                  {"out", ElementType::f64, layout, BufferRole::output}};
  if (job.steps > 1) plan.buffers.push_back({"other", ElementType::f64, layout, BufferRole::scratch});
  std::string source = "in";
  for (std::int64_t step = 0; step < job.steps; ++step) {
    const std::string target = target_of(step, job.steps);
    plan.launches.emplace_back(make_launch(
        step == 0 ? "reference_first" : "reference_next", job.ny * job.nz, block_of(threads),
        {BufferArgument{source}, BufferArgument{target}, int32(job.nx), int32(job.ny), int32(job.nz)}));
    source = target;
  }
  return plan;
}

Tolerance step_tolerance(const StencilJob& job) {
  const Growth growth(job);
  double units = 0;
  for (std::int64_t step = 0; step < job.steps; ++step) units += step_units(job, growth, step);
  const double of_step = sum_units(job.stencil.points.size());
  Tolerance tolerance =
      of_units(job, units,
               format("{:.4g} roundings a step, min(points, 8 sqrt(points)) + 3, of values up to {:.3g}",
                      of_step, growth.value_after(job.steps)));
  tolerance.values_along = values_along_axes(job);
  tolerance.share_of_values = share_of_units(job, static_cast<double>(job.steps) * of_step);
  return tolerance;
}

Tolerance composed_tolerance(const StencilJob& job, std::int64_t fused, std::size_t points) {
  const Growth growth(job);
  const double of_step = sum_units(job.stencil.points.size());
  double units = 0, local = 0;
  std::int64_t step = 0;
  // A cell is computed in one of two ways; that of its neighbours counts in the next pass.
  for (; step + fused <= job.steps; step += fused) {
    double rim = 0;
    for (std::int64_t i = 0; i < fused; ++i) rim += step_units(job, growth, step + i);
    const double sum = growth.weight_of(fused, points) *
                       growth.error_at_end(step, fused, job.steps, sum_units(points), spread_units(points));
    units += std::max(rim, sum);
    local += std::max(static_cast<double>(fused) * of_step, sum_units(points));
  }
  for (; step < job.steps; ++step) {
    units += step_units(job, growth, step);
    local += of_step;
  }
  Tolerance tolerance =
      of_units(job, units,
               format("{:.4g} roundings a pass (those of the composed stencil's sum or of its steps), {:.4g} "
                      "a step, of values up to {:.3g}",
                      sum_units(points), of_step, growth.value_after(job.steps)));
  tolerance.share_of_values = share_of_units(job, local);
  return tolerance;
}

// The bounds of transforms are of the root mean square of all errors. No theorem bounds single errors by it,
// but roundings are spread over all cells (J. C. Schatzman, Accuracy of the discrete Fourier transform and
// the fast Fourier transform, SIAM J. Sci. Comput. 17, 1996, finds that they grow only with the square root
// of log2 n): the largest of 10^9 is about six times their mean, and the sum of worst cases exceeds the mean
// by more. A step multiplies the root mean square by at most the largest factor of a wave.
Tolerance fft_tolerance(const StencilJob& job, const FftRounding& rounding) {
  const Growth growth(job);
  double transform = 0, squares = 0;
  for (std::size_t axis = 0; axis < (rounding.convolved ? 2 : 3); ++axis)
    transform += transform_units(rounding.extents[axis]);
  for (const StencilPoint& point : job.stencil.points) squares += point.weight * point.weight;
  // The errors of the filter's spectrum: its own transform, of mean size |w|_2, or a rounding of each table
  // and two sums; and the weights' rounding. A power multiplies them, and the complex products add sqrt(5)
  // units each. Taps are rounded as weights are, and folded once a step: two products and sums for each.
  const auto radius = static_cast<std::size_t>(job.stencil.radii()[2]);
  const double weight = growth.weight();
  const double spectrum =
      rounding.convolved
          ? (2 * sum_units(2 * radius + 1) + 3) * weight
          : (rounding.tables ? 6 * weight : transform * std::sqrt(squares) + weight) + 3 * weight;
  const auto pass = [&](std::int64_t before, std::int64_t steps) {
    const std::size_t taps = 2 * radius * static_cast<std::size_t>(steps) + 1;
    const double factor = growth.factor_after(steps);
    // The product with the array's spectrum, or the sum of the products with the taps, and the scale.
    const double product =
        rounding.convolved ? 2 * sum_units(taps) * growth.weight_of(steps, taps) : 6 * factor;
    const double units = 2 * transform * factor +
                         static_cast<double>(steps) * spectrum * growth.factor_after(steps - 1) + product;
    double rim = 0;
    for (std::int64_t i = 0; i < steps; ++i) rim += step_units(job, growth, before + i);
    return std::max(growth.factor_after(job.steps - before - steps) * units * growth.value_after(before),
                    rim);
  };
  double units = 0;
  for (std::int64_t step = 0; step < job.steps; step += rounding.fused)
    units += pass(step, std::min(rounding.fused, job.steps - step));
  Tolerance tolerance =
      of_units(job, units,
               format("two transforms of {:.3g} roundings a pass, and {:.3g} a step, of values up to {:.3g}",
                      transform, spectrum, growth.value_after(job.steps)));
  tolerance.cure = "take another variant or fewer steps";
  return tolerance;
}

}  // namespace tune::kernels
