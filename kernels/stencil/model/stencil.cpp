// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/model/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

bool same_offset(const StencilPoint& a, const StencilPoint& b) {
  return a.dx == b.dx && a.dy == b.dy && a.dz == b.dz;
}

bool before(const StencilPoint& a, const StencilPoint& b) {
  return std::tie(a.dz, a.dy, a.dx) < std::tie(b.dz, b.dy, b.dx);
}

/// Sums of products by offset, over the box of all offsets that `steps` applications can reach: a box of
/// doubles is far smaller than the list of products. Occurring offsets are marked separately, because weights
/// may cancel.
class OffsetSums {
 public:
  OffsetSums(std::array<int, 3> radii, int steps) {
    // 2^27 sums are 1.1 GB, more than any kernel could unroll: a larger number is an error.
    constexpr double max = 0x1.0p27;
    double cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double width = 2.0 * radii[axis] * steps + 1;
      cells *= width;
      if (cells > max)
        throw std::invalid_argument(
            format("{} applications of a stencil that reaches {} x {} x {} are too large", steps, radii[0],
                   radii[1], radii[2]));
      radii_[axis] = radii[axis] * steps;
      width_[axis] = static_cast<std::size_t>(width);
    }
    sums_.resize(static_cast<std::size_t>(cells));
    occurs_.resize(static_cast<std::size_t>(cells));
  }

  void add(const StencilPoint& a, const StencilPoint& b) {
    const std::size_t cell = index(a.dx + b.dx, a.dy + b.dy, a.dz + b.dz);
    sums_[cell] += a.weight * b.weight;
    occurs_[cell] = true;
  }

  /// Returns the points in order and clears the sums.
  std::vector<StencilPoint> take() {
    std::vector<StencilPoint> points;
    for (int dz = -radii_[2]; dz <= radii_[2]; ++dz)
      for (int dy = -radii_[1]; dy <= radii_[1]; ++dy)
        for (int dx = -radii_[0]; dx <= radii_[0]; ++dx)
          if (const std::size_t cell = index(dx, dy, dz); occurs_[cell]) {
            points.push_back({dx, dy, dz, sums_[cell]});
            sums_[cell] = 0;
            occurs_[cell] = false;
          }
    return points;
  }

 private:
  std::size_t index(int dx, int dy, int dz) const {
    const auto at = [&](int offset, std::size_t axis) {
      return static_cast<std::size_t>(offset + radii_[axis]);
    };
    return (at(dz, 2) * width_[1] + at(dy, 1)) * width_[0] + at(dx, 0);
  }

  std::array<int, 3> radii_{};
  std::array<std::size_t, 3> width_{};
  std::vector<double> sums_;
  std::vector<bool> occurs_;
};

}  // namespace

std::array<int, 3> Stencil::radii() const {
  std::array<int, 3> radii{};
  for (const StencilPoint& point : points) {
    radii[0] = std::max(radii[0], std::abs(point.dx));
    radii[1] = std::max(radii[1], std::abs(point.dy));
    radii[2] = std::max(radii[2], std::abs(point.dz));
  }
  return radii;
}

int Stencil::radius() const {
  const std::array<int, 3> along = radii();
  return *std::max_element(along.begin(), along.end());
}

bool Stencil::star() const {
  return std::all_of(points.begin(), points.end(), [](const StencilPoint& point) {
    return (point.dx != 0) + (point.dy != 0) + (point.dz != 0) <= 1;
  });
}

Stencil normalized(Stencil stencil) {
  // A stable sort adds weights of equal offsets in their original order: the same list is always the same
  // stencil.
  std::stable_sort(stencil.points.begin(), stencil.points.end(), before);
  std::vector<StencilPoint> points;
  for (const StencilPoint& point : stencil.points) {
    if (!points.empty() && same_offset(points.back(), point))
      points.back().weight += point.weight;
    else
      points.push_back(point);
  }
  stencil.points = std::move(points);
  return stencil;
}

Stencil composed(const Stencil& stencil, int steps) {
  if (steps < 1) throw std::invalid_argument(format("{} applications of a stencil", steps));
  Stencil result = normalized(stencil);
  if (steps == 1) return result;
  const std::vector<StencilPoint> once = result.points;
  OffsetSums sums(stencil.radii(), steps);
  for (int step = 1; step < steps; ++step) {
    for (const StencilPoint& point : result.points)
      for (const StencilPoint& next : once) sums.add(point, next);
    result.points = sums.take();
  }
  return result;
}

double absolute_weight(const Stencil& stencil) {
  double sum = 0;
  for (const StencilPoint& point : stencil.points) sum += std::abs(point.weight);
  return sum;
}

}  // namespace tune::kernels
