// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kernels/stencil/stencil.hpp"

namespace tune::kernels {

/// A built-in stencil.
struct StencilShape {
  std::string_view name;     ///< star
  std::string_view summary;  ///< one line
  bool in_2d = false, in_3d = false;
  int radius = 0;  ///< 0: any from 1 to most_radius; else the only one
};

inline constexpr int most_radius = 32;

/// All built-in stencils: star, box, flux, j2d5pt, j2d9pt, j3d7pt, j3d13pt, j3d27pt, poisson.
std::span<const StencilShape> stencil_shapes();

/// A built-in stencil by name. Where the literature does not fix the weights, every offset has one of its own,
/// far enough from all others that swapped axes or signs show; `symmetric`: mirrored and permuted offsets have
/// equal ones. Throws std::invalid_argument for a name, a radius or dimensions that do not go together.
Stencil make_stencil(std::string_view shape, int radius, int dimensions = 3, bool symmetric = false);

}  // namespace tune::kernels
