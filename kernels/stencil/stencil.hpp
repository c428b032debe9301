// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tune::kernels {

/// One point of a stencil: an offset in cells and what the value there is multiplied by.
struct StencilPoint {
  int dx = 0, dy = 0, dz = 0;
  double weight = 0;
};

/// A weighted sum over neighbours.
struct Stencil {
  int radius = 0;                    ///< largest offset along any axis
  std::vector<StencilPoint> points;  ///< sorted by (dz, dy, dx), the order in which kernels index the weights
};

/// The shapes by name: `star` (6 r + 1 points on the axes) and `box` ((2 r + 1)^3 points). Every offset has a
/// weight of its own, far enough from all others that swapped axes or signs show; all are positive and sum to
/// one. Throws std::invalid_argument for another name or a radius below 1.
Stencil make_stencil(std::string_view shape, int radius);

/// Sum of the weights' absolute values.
double absolute_weight(const Stencil& stencil);

/// Text of `stencil_weights.cuh`: the weights as a constant array of type REAL. An index that the compiler
/// knows becomes an immediate, another one reads constant memory (at most 39 KB: double, box of radius 8).
std::string weights_header(const Stencil& stencil);

}  // namespace tune::kernels
