// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/model/job.hpp"

#include <stdexcept>
#include <vector>

#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

/// Returns the weights of the points on one axis, from -reach to reach.
std::vector<double> along(const Stencil& stencil, int StencilPoint::*axis, int radius) {
  std::vector<double> weights(static_cast<std::size_t>(2 * radius + 1), 0.0);
  for (const StencilPoint& point : stencil.points) {
    const int offset = point.*axis;
    const bool own = point.dx == 0 && point.dy == 0 && point.dz == 0;
    if (own || offset != 0) weights[static_cast<std::size_t>(offset + radius)] = point.weight;
  }
  return weights;
}

/// Returns all weights of the box that the stencil reaches, in the order (dz, dy, dx); 0 if it has no point
/// there.
std::vector<double> in_box(const Stencil& stencil) {
  const auto [rx, ry, rz] = stencil.radii();
  const auto position = [rx = rx, ry = ry, rz = rz](const StencilPoint& point) {
    return static_cast<std::size_t>(((point.dz + rz) * (2 * ry + 1) + point.dy + ry) * (2 * rx + 1) +
                                    point.dx + rx);
  };
  std::vector<double> weights(static_cast<std::size_t>((2 * rx + 1) * (2 * ry + 1) * (2 * rz + 1)), 0.0);
  for (const StencilPoint& point : stencil.points) weights[position(point)] = point.weight;
  return weights;
}

std::string array_of(const char* name, const std::vector<double>& weights, std::size_t row) {
  std::string text = format("constexpr __constant__ REAL {}[{}] = {{", name, weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    text += format("{}REAL({:.17g}),", i % row == 0 ? "\n    " : " ", weights[i]);
  text.pop_back();
  return text + "};\n";
}

std::string star_text(const Stencil& stencil) {
  const auto [rx, ry, rz] = stencil.radii();
  std::string text;
  text += array_of("weights_x", along(stencil, &StencilPoint::dx, rx), 4);
  text += array_of("weights_y", along(stencil, &StencilPoint::dy, ry), 4);
  text += array_of("weights_z", along(stencil, &StencilPoint::dz, rz), 4);
  text += R"(
// Weight of a point of the star.
__device__ constexpr REAL weight(int dx, int dy, int dz) {
  return dz != 0 ? weights_z[dz + reach_z] : dy != 0 ? weights_y[dy + reach_y] : weights_x[dx + reach_x];
}

// Whether the stencil has a point there.
__device__ constexpr bool has_point(int dx, int dy, int dz) {
  return (dx != 0) + (dy != 0) + (dz != 0) <= 1 && weight(dx, dy, dz) != REAL(0);
}
)";
  return text;
}

std::string general_text(const Stencil& stencil) {
  const auto [rx, ry, rz] = stencil.radii();
  std::string text = array_of("weights", in_box(stencil), static_cast<std::size_t>(2 * rx + 1));
  text += R"(
// Weight of a point; 0 where the stencil has none.
__device__ constexpr REAL weight(int dx, int dy, int dz) {
  return weights[((dz + reach_z) * (2 * reach_y + 1) + dy + reach_y) * (2 * reach_x + 1) + dx + reach_x];
}

// Whether the stencil has a point there.
__device__ constexpr bool has_point(int dx, int dy, int dz) {
  return weight(dx, dy, dz) != REAL(0);
}
)";
  return text;
}

}  // namespace

Stencil in_kernel_axes(const Stencil& stencil) {
  if (stencil.dimensions == 3) return stencil;
  Stencil turned{3, {}};
  for (const StencilPoint& point : stencil.points)
    turned.points.push_back({point.dx, 0, point.dy, point.weight});
  return normalized(std::move(turned));
}

std::string points_header(const Stencil& stencil) {
  if (stencil.points.empty()) throw std::invalid_argument("a stencil without points");
  const auto [rx, ry, rz] = stencil.radii();
  std::string text = format(
      "// The stencil's {} points. Offsets along x, y, z count in cells.\n#pragma once\n\n"
      "constexpr int reach_x = {}, reach_y = {}, reach_z = {};  // largest offsets\n"
      "constexpr int points = {};\n"
      "constexpr bool star = {};  // all points lie on the axes\n\n",
      stencil.points.size(), rx, ry, rz, stencil.points.size(), stencil.star());
  return text + (stencil.star() ? star_text(stencil) : general_text(stencil));
}

std::int64_t constant_bytes(const StencilJob& job) {
  const auto [rx, ry, rz] = job.stencil.radii();
  const std::int64_t weights =
      job.stencil.star() ? 2 * (rx + ry + rz) + 3
                         : std::int64_t{2 * rx + 1} * std::int64_t{2 * ry + 1} * std::int64_t{2 * rz + 1};
  return weights * job.element_bytes();
}

}  // namespace tune::kernels
