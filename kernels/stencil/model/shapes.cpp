// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/model/shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr StencilShape shapes[] = {
    {"star", "all points on the axes within the radius", true, true, 0},
    {"box", "all points within the radius along every axis", true, true, 0},
    {"flux", "conservative: differences of fluxes through the faces of a cell", true, true, 0},
    {"j2d5pt", "5 points, AN5D's weights", true, false, 1},
    {"j2d9pt", "star of radius 2, AN5D's weights", true, false, 2},
    {"j3d7pt", "7 points, StencilGen's weights", false, true, 1},
    {"j3d13pt", "star of radius 2, StencilGen's weights", false, true, 2},
    {"j3d27pt", "box of radius 1, AN5D's weights", false, true, 1},
    {"poisson", "19 points: centre, faces and edges of the Mehrstellen Laplacian", false, true, 1},
};

/// Mirrored and permuted offsets have the same key.
using OffsetClass = std::array<int, 3>;

OffsetClass class_of(const StencilPoint& point) {
  OffsetClass key{std::abs(point.dx), std::abs(point.dy), std::abs(point.dz)};
  std::sort(key.begin(), key.end());
  return key;
}

/// Multiples of the golden ratio, modulo one, never repeat and keep neighbours in the list far apart.
double golden_weight(std::size_t i) {
  constexpr double golden = 0.6180339887498949;
  const double turns = golden * static_cast<double>(i);
  return 0.5 + (turns - std::floor(turns));
}

void scale_to_one(Stencil& stencil) {
  const double sum = absolute_weight(stencil);
  for (StencilPoint& point : stencil.points) point.weight /= sum;
}

Stencil star_or_box(bool star, int radius, int dimensions, bool symmetric) {
  Stencil stencil{dimensions, {}};
  const int along_z = dimensions == 3 ? radius : 0;
  for (int dz = -along_z; dz <= along_z; ++dz)
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx)
        if (!star || (dx != 0) + (dy != 0) + (dz != 0) <= 1) stencil.points.push_back({dx, dy, dz, 0});
  std::map<OffsetClass, std::size_t> classes;
  if (symmetric) {
    for (const StencilPoint& point : stencil.points) classes.emplace(class_of(point), 0);
    std::size_t number = 0;
    for (auto& [key, at] : classes) at = number++;
  }
  for (std::size_t i = 0; i < stencil.points.size(); ++i) {
    StencilPoint& point = stencil.points[i];
    point.weight = golden_weight(symmetric ? classes.at(class_of(point)) : i);
  }
  scale_to_one(stencil);
  return stencil;
}

Stencil flux(int radius, int dimensions, bool symmetric) {
  constexpr double factors[] = {37, 41, 43};
  const double sum = dimensions == 3 ? 37 + 41 + 43 : 37 + 41;
  Stencil stencil{dimensions, {{0, 0, 0, 1}}};
  const double r = radius;
  for (int axis = 0; axis < dimensions; ++axis) {
    const double c = symmetric ? 0.25 / dimensions : factors[axis] / (4 * sum);
    const auto add = [&](int offset, double weight) {
      StencilPoint point{0, 0, 0, weight};
      (axis == 0 ? point.dx : axis == 1 ? point.dy : point.dz) = offset;
      stencil.points.push_back(point);
    };
    // f(k) (in[i + k] - in[i + 1 - k]) enters cell i through its upper face and leaves it through its lower
    // one.
    for (int k = 1; k <= radius; ++k) {
      const double f = c * (r + 1 - k) * (r + 2 - k) / (r * (r + 1));
      add(k, f);
      add(1 - k, -f);
      add(k - 1, -f);
      add(-k, f);
    }
  }
  return normalized(std::move(stencil));
}

Stencil j2d5pt() {
  return {2, {{0, 0, 0, 15}, {0, -1, 0, 5.1}, {-1, 0, 0, 12.1}, {1, 0, 0, 12.2}, {0, 1, 0, 5.2}}};
}

Stencil j2d9pt() {
  return {2,
          {{0, 0, 0, 15},
           {0, -2, 0, 7.1},
           {0, -1, 0, 5.1},
           {-2, 0, 0, 9.2},
           {-1, 0, 0, 12.1},
           {1, 0, 0, 12.2},
           {2, 0, 0, 9.1},
           {0, 1, 0, 5.2},
           {0, 2, 0, 7.2}}};
}

Stencil j3d7pt() {
  return {3,
          {{0, 0, 0, -1.67},
           {1, 0, 0, 0.161},
           {-1, 0, 0, 0.162},
           {0, 1, 0, 0.163},
           {0, -1, 0, 0.164},
           {0, 0, 1, 0.165},
           {0, 0, -1, 0.166}}};
}

Stencil j3d13pt() {
  Stencil stencil{3, {{0, 0, 0, -0.996}}};
  for (const int k : {-2, -1, 1, 2}) {
    stencil.points.push_back({k, 0, 0, 0.083});
    stencil.points.push_back({0, k, 0, 0.083});
    stencil.points.push_back({0, 0, k, 0.083});
  }
  return stencil;
}

Stencil j3d27pt() {
  // Weights of the plane below the cell, in thousandths; each plane above adds ten.
  constexpr int plane[3][3] = {{500, 700, 900}, {1200, 1500, 1201}, {901, 701, 501}};
  Stencil stencil{3, {}};
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        stencil.points.push_back({dx, dy, dz, (plane[dy + 1][dx + 1] + 10 * (dz + 1)) / 1000.0});
  return stencil;
}

Stencil poisson() {
  constexpr double weights[] = {24, 2, 1};
  Stencil stencil{3, {}};
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (const int along = (dx != 0) + (dy != 0) + (dz != 0); along < 3)
          stencil.points.push_back({dx, dy, dz, weights[along] / 48});
  return stencil;
}

Stencil named(std::string_view name) {
  if (name == "j2d5pt") return j2d5pt();
  if (name == "j2d9pt") return j2d9pt();
  if (name == "j3d7pt") return j3d7pt();
  if (name == "j3d13pt") return j3d13pt();
  if (name == "j3d27pt") return j3d27pt();
  return poisson();
}

void use_means(Stencil& stencil) {
  std::map<OffsetClass, std::pair<double, double>> sums;  // of weights, and how many
  for (const StencilPoint& point : stencil.points) {
    auto& [sum, count] = sums[class_of(point)];
    sum += point.weight;
    count += 1;
  }
  for (StencilPoint& point : stencil.points) {
    const auto& [sum, count] = sums[class_of(point)];
    point.weight = sum / count;
  }
}

}  // namespace

std::span<const StencilShape> stencil_shapes() {
  return shapes;
}

Stencil make_stencil(std::string_view shape, int radius, int dimensions, bool symmetric) {
  const auto* const found = std::find_if(std::begin(shapes), std::end(shapes),
                                         [&](const StencilShape& s) { return s.name == shape; });
  const bool fits = found != std::end(shapes) &&
                    ((dimensions == 2 && found->in_2d) || (dimensions == 3 && found->in_3d)) &&
                    (found->radius == 0 ? radius >= 1 && radius <= max_radius : radius == found->radius);
  if (!fits)
    throw std::invalid_argument(
        format("no stencil of shape '{}' and radius {} in {} dimensions", shape, radius, dimensions));
  if (shape == "star" || shape == "box") return star_or_box(shape == "star", radius, dimensions, symmetric);
  if (shape == "flux") return flux(radius, dimensions, symmetric);
  Stencil stencil = normalized(named(shape));
  scale_to_one(stencil);
  if (symmetric) use_means(stencil);
  return stencil;
}

}  // namespace tune::kernels
