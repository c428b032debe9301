// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

namespace tune::kernels {

/// A point of a stencil: an offset in cells and the weight of the value there.
struct StencilPoint {
  int dx = 0, dy = 0, dz = 0;
  double weight = 0;

  friend bool operator==(const StencilPoint&, const StencilPoint&) = default;
};

/// A weighted sum over neighbours: out(x, y, z) = sum of weight * in(x + dx, y + dy, z + dz).
struct Stencil {
  int dimensions = 3;                ///< 2 or 3; with 2 every dz is 0
  std::vector<StencilPoint> points;  ///< sorted by (dz, dy, dx), every offset once

  std::array<int, 3> radii() const;
  /// Returns the largest offset along any axis.
  int radius() const;
  bool star() const;

  friend bool operator==(const Stencil&, const Stencil&) = default;
};

/// Sorts the points and adds up those of equal offsets; points of weight 0 stay.
Stencil normalized(Stencil stencil);

/// Returns `steps` applications as one stencil (on an array without boundary): its points' offsets are sums
/// of `steps` offsets, their weights sums of products. Throws std::invalid_argument for `steps` below 1 or a
/// result that reaches over more than 2^27 offsets.
Stencil composed(const Stencil& stencil, int steps);

double absolute_weight(const Stencil& stencil);

}  // namespace tune::kernels
