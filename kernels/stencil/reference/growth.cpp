// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/reference/growth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>
#include <vector>

#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Complex = std::complex<double>;
using Wave = std::array<double, 3>;  ///< radians from a cell to the next, along x, y and z

/// exp(i k offset) for offsets from -reach to reach.
std::vector<Complex> powers(double k, int reach) {
  std::vector<Complex> all;
  for (int offset = -reach; offset <= reach; ++offset) all.push_back(std::polar(1.0, k * offset));
  return all;
}

double factor_of(const Stencil& stencil, const Wave& wave) {
  const std::array<int, 3> reach = stencil.radii();
  std::array<std::vector<Complex>, 3> along;
  for (std::size_t axis = 0; axis < 3; ++axis) along[axis] = powers(wave[axis], reach[axis]);
  const auto at = [&](std::size_t axis, int offset) {
    return along[axis][static_cast<std::size_t>(offset + reach[axis])];
  };
  Complex sum = 0;
  for (const StencilPoint& point : stencil.points)
    sum += point.weight * at(0, point.dx) * at(1, point.dy) * at(2, point.dz);
  return std::abs(sum);
}

/// Replaces the slowest of the axes of `values`, that of offsets, by one of `waves` wave numbers, and makes
/// it the fastest: three times give every combination of wave numbers.
std::vector<Complex> transformed(const std::vector<Complex>& values, int reach, std::size_t waves) {
  const std::size_t offsets = static_cast<std::size_t>(2 * reach) + 1, others = values.size() / offsets;
  std::vector<Complex> result(others * waves);
  for (std::size_t w = 0; w < waves; ++w) {
    const double k = 2 * std::numbers::pi * static_cast<double>(w) / static_cast<double>(waves);
    const std::vector<Complex> factors = powers(k, reach);
    for (std::size_t offset = 0; offset < offsets; ++offset)
      for (std::size_t i = 0; i < others; ++i)
        result[i * waves + w] += factors[offset] * values[offset * others + i];
  }
  return result;
}

struct Start {
  double factor = 0;
  Wave wave{};
};

/// The factors of waves on a grid, that of x the fastest.
struct Grid {
  std::array<std::size_t, 3> waves{};
  std::vector<double> factors;

  Start start(std::size_t i) const {
    Start start{factors[i], {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      start.wave[axis] =
          2 * std::numbers::pi * static_cast<double>(i % waves[axis]) / static_cast<double>(waves[axis]);
      i /= waves[axis];
    }
    return start;
  }
};

/// Returns at least as many waves along each axis as the stencil can tell apart.
Grid grid_of(const Stencil& stencil) {
  const std::array<int, 3> reach = stencil.radii();
  Grid grid;
  for (std::size_t axis = 0; axis < 3; ++axis)
    grid.waves[axis] = reach[axis] == 0 ? 1 : static_cast<std::size_t>(std::max(24, 2 * reach[axis] + 2));
  const auto width = [&](std::size_t axis) { return static_cast<std::size_t>(2 * reach[axis] + 1); };
  std::vector<Complex> values(width(0) * width(1) * width(2));
  for (const StencilPoint& point : stencil.points)
    values[(static_cast<std::size_t>(point.dz + reach[2]) * width(1) +
            static_cast<std::size_t>(point.dy + reach[1])) *
               width(0) +
           static_cast<std::size_t>(point.dx + reach[0])] = point.weight;
  for (const std::size_t axis : {2, 1, 0}) values = transformed(values, reach[axis], grid.waves[axis]);
  grid.factors.reserve(values.size());
  for (const Complex& value : values) grid.factors.push_back(std::abs(value));
  return grid;
}

/// Returns the best of a grid.
std::vector<Start> best_of(const Grid& grid) {
  constexpr std::size_t kept = 6;
  std::vector<Start> best;
  for (std::size_t i = 0; i < grid.factors.size(); ++i) {
    const double factor = grid.factors[i];
    if (best.size() == kept && factor <= best.back().factor) continue;
    const auto place = std::ranges::find_if(best, [&](const Start& s) { return s.factor < factor; });
    best.insert(place, grid.start(i));
    if (best.size() > kept) best.pop_back();
  }
  return best;
}

/// Climbs from a point of the grid, along one axis after the other, in steps that become smaller.
double climbed(const Stencil& stencil, Start start) {
  for (double step = std::numbers::pi / 24; step > 1e-7;) {
    bool moved = false;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const double distance : {-step, step}) {
        Start next = start;
        next.wave[axis] += distance;
        next.factor = factor_of(stencil, next.wave);
        if (!(next.factor > start.factor)) continue;
        start = next;
        moved = true;
      }
    if (!moved) step /= 2;
  }
  return start.factor;
}

WaveFactors factors_of(const Stencil& stencil) {
  constexpr double rounding = 1 + 1e-9;
  const double weight = absolute_weight(stencil);
  double sum = 0;
  for (const StencilPoint& point : stencil.points) sum += point.weight;
  WaveFactors factors;
  factors.one_sign = std::abs(sum) >= weight * (1 - 1e-12);
  Grid grid = grid_of(stencil);
  if (factors.one_sign) {
    factors.largest = weight;
  } else {
    for (const Start& start : best_of(grid))
      factors.largest = std::max(factors.largest, climbed(stencil, start) * rounding);
    factors.largest = std::min(factors.largest, weight);
  }
  if (factors.largest == 0) return factors;
  for (double& factor : grid.factors) factor = std::pow(factor / factors.largest, 2);
  for (double& share : factors.share) {
    double mean = 0;
    for (double& square : grid.factors) {
      mean += square;
      square *= square;
    }
    share = std::min(1.0, std::sqrt(mean / static_cast<double>(grid.factors.size())) * rounding);
  }
  return factors;
}

struct Before {
  bool operator()(const StencilPoint& a, const StencilPoint& b) const {
    return std::tie(a.dz, a.dy, a.dx, a.weight) < std::tie(b.dz, b.dy, b.dx, b.weight);
  }
};
struct PointsBefore {
  bool operator()(const std::vector<StencilPoint>& a, const std::vector<StencilPoint>& b) const {
    return std::ranges::lexicographical_compare(a, b, Before{});
  }
};

double power(double base, std::int64_t exponent) {
  return std::pow(base, static_cast<double>(exponent));
}

constexpr double deviations = 8;

/// Returns values_along_axes for one of the axes.
std::vector<double> values_along(const StencilJob& job, int StencilPoint::*offset, std::int64_t extent) {
  std::map<int, double> weights;
  for (const StencilPoint& point : job.stencil.points)
    if (point.weight != 0) weights[point.*offset] += std::abs(point.weight);
  constexpr double small = 1.0 / 64;  // beside that of the inputs; larger ones change no check
  // Roundings below the smallest normal number are as large as those of twice this number.
  const double least =
      2 * (job.type == ElementType::f64 ? std::numeric_limits<double>::min()
                                        : static_cast<double>(std::numeric_limits<float>::min()));
  std::vector<double> values(static_cast<std::size_t>(extent), 1), next(values.size());
  for (std::int64_t step = 0; step < job.steps; ++step) {
    std::ranges::fill(next, 0);
    for (const auto& [moved, weight] : weights)
      for (std::int64_t i = std::max(0, -moved); i < std::min(extent, extent - moved); ++i)
        next[static_cast<std::size_t>(i)] += weight * values[static_cast<std::size_t>(i + moved)];
    for (double& value : next) value = std::max(value, least);
    std::swap(values, next);
  }
  if (std::ranges::min(values) > small) values.clear();
  return values;
}

}  // namespace

const WaveFactors& wave_factors(const Stencil& stencil) {
  static std::mutex mutex;
  static std::map<std::vector<StencilPoint>, WaveFactors, PointsBefore> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(stencil.points);
  if (found != known.end()) return found->second;
  return known.emplace(stencil.points, factors_of(stencil)).first->second;
}

Growth::Growth(const StencilJob& job)
    : weight_(absolute_weight(job.stencil)), held_(job.boundary == Boundary::fixed) {
  factors_.largest = weight_;
  factors_.share.fill(1);
  if (job.steps > 1) factors_ = wave_factors(job.stencil);
}

double Growth::norm_after(std::int64_t steps) const {
  if (steps == 0) return 1;
  const auto number = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(steps)) - 1);
  const double share = factors_.share[std::min(number, factors_.share.size() - 1)];
  return factor_after(steps) * (factors_.one_sign ? share : std::min(1.0, 2 * share));
}

double Growth::value_after(std::int64_t steps) const {
  const double norm = held_ ? power(std::max(1.0, factors_.largest), steps) : norm_after(steps);
  return std::min(power(held_ ? std::max(1.0, weight_) : weight_, steps), deviations / std::sqrt(3.0) * norm);
}

double Growth::error_at_end(std::int64_t before, std::int64_t fused, std::int64_t steps, double worst,
                            double spread) const {
  const std::int64_t after = steps - before - fused;
  const double value = value_after(before);
  return std::min(worst * power(weight_, after) * value,
                  deviations * spread * norm_after(after) * value + value_after(steps - fused));
}

// A sum of absolute values is at most the root of their number times the norm.
double Growth::weight_of(std::int64_t steps, std::size_t points) const {
  return std::min(power(weight_, steps), std::sqrt(static_cast<double>(points)) * factor_after(steps));
}

double Growth::factor_after(std::int64_t steps) const {
  return power(factors_.largest, steps);
}

std::vector<std::vector<double>> values_along_axes(const StencilJob& job) {
  if (job.boundary == Boundary::fixed) return {};
  return {values_along(job, &StencilPoint::dx, job.nx), values_along(job, &StencilPoint::dy, job.ny),
          values_along(job, &StencilPoint::dz, job.nz)};
}

std::string leaves_range(const StencilJob& job) {
  const bool is_double = job.type == ElementType::f64;
  const double largest =
      is_double ? std::numeric_limits<double>::max() : static_cast<double>(std::numeric_limits<float>::max());
  const double smallest =
      is_double ? std::numeric_limits<double>::min() : static_cast<double>(std::numeric_limits<float>::min());
  const Growth growth(job);
  const auto inside = [&](std::int64_t steps) {
    const double value = growth.value_after(steps);
    return value <= largest && value >= smallest;
  };
  if (inside(job.steps)) return {};
  std::int64_t fits = 0, beyond = job.steps;
  while (beyond - fits > 1) {
    const std::int64_t middle = fits + (beyond - fits) / 2;
    (inside(middle) ? fits : beyond) = middle;
  }
  const char* const type = is_double ? "double" : "float";
  return growth.value_after(job.steps) < smallest
             ? format(
                   "a step of this stencil multiplies values by at most {:.4g}, and after {} steps all are "
                   "below the smallest {}",
                   growth.factor_after(1), beyond, type)
             : format(
                   "a step of this stencil multiplies values by up to {:.4g}, and {} steps may lead beyond "
                   "the largest {}",
                   growth.factor_after(1), beyond, type);
}

}  // namespace tune::kernels
