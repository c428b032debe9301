// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/stencil.hpp"

#include <cmath>
#include <stdexcept>

#include "tuner/core/format.hpp"

namespace tune::kernels {
namespace {

bool belongs(bool star, int dx, int dy, int dz) {
  return !star || (dx != 0) + (dy != 0) + (dz != 0) <= 1;
}

}  // namespace

Stencil make_stencil(std::string_view shape, int radius) {
  if (radius < 1 || (shape != "star" && shape != "box"))
    throw std::invalid_argument(format("no stencil of shape '{}' and radius {}", shape, radius));
  Stencil stencil{radius, {}};
  for (int dz = -radius; dz <= radius; ++dz)
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx)
        if (belongs(shape == "star", dx, dy, dz)) stencil.points.push_back({dx, dy, dz, 0});
  // Multiples of the golden ratio, modulo one, never repeat and keep neighbours in the list far apart.
  constexpr double golden = 0.6180339887498949;
  double sum = 0;
  for (std::size_t i = 0; i < stencil.points.size(); ++i) {
    const double turns = golden * static_cast<double>(i);
    stencil.points[i].weight = 0.5 + (turns - std::floor(turns));
    sum += stencil.points[i].weight;
  }
  for (StencilPoint& point : stencil.points) point.weight /= sum;
  return stencil;
}

double absolute_weight(const Stencil& stencil) {
  double sum = 0;
  for (const StencilPoint& point : stencil.points) sum += std::abs(point.weight);
  return sum;
}

std::string weights_header(const Stencil& stencil) {
  std::string text = format(
      "// Weights of the stencil's points, sorted by (dz, dy, dx).\n#pragma once\n"
      "constexpr __constant__ REAL stencil_weights[{}] = {{\n",
      stencil.points.size());
  for (const StencilPoint& point : stencil.points)
    text += format("static_cast<REAL>({:.17g}),\n", point.weight);
  return text + "};\n";
}

}  // namespace tune::kernels
