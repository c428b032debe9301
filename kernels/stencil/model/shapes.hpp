// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

struct StencilShape {
  std::string_view name;     ///< star
  std::string_view summary;  ///< one line
  bool in_2d = false, in_3d = false;
  int radius = 0;  ///< 0: any from 1 to max_radius; else the only one
};

inline constexpr int max_radius = 32;

/// All built-in stencils, in this order. The sum of the weights' absolute values is one up to rounding, so
/// that no number of steps overflows. Where the weights come from:
/// - star, box: positive, fractions of multiples of the golden ratio over the sorted points.
/// - flux: a conservative scheme, out = in + sum over axes of F(i + 1/2) - F(i - 1/2) with
///   F(i + 1/2) = sum of f(k) (in[i + k] - in[i + 1 - k]) for k from 1 to r,
///   f(k) = c (r + 1 - k) (r + 2 - k) / (r (r + 1)). A neighbour k cells away has the weight f(k) - f(k + 1)
///   > 0, the centre 1 - 2 (sum of c) = 1/2. c is 37, 41, 43 (2-D: 37, 41) for x, y, z, divided by four times
///   their sum: primes above max_radius, so that no two axes share a weight.
/// - j2d5pt, j2d9pt (a star of radius 2), j3d27pt (a box of radius 1): the numbers of the benchmarks of AN5D
///   (Matsumura et al., CGO 2020); j3d7pt, j3d13pt (a star of radius 2): those of StencilGen (Rawat et al.,
///   Proc. IEEE 2018). All divided by the sum of their absolute values, where the papers have other divisors:
///   with theirs, 100 steps underflow or overflow a float.
/// - poisson: half a step towards the solution of Poisson's equation without sources in the 19-point
///   Mehrstellen discretization, whose Laplacian is (-24, 2, 1) / (6 h^2) for centre, faces and edges (Spotz
///   and Carey 1996): 1/2, 1/24 and 1/48.
std::span<const StencilShape> stencil_shapes();

/// Returns a built-in stencil. If the literature does not fix the weights, every offset has its own, so
/// different from all others that swapped axes or signs show (flux: swapped axes). `symmetric`: mirrored and
/// permuted offsets have equal weights: one for each such class (star, box), one c for all axes (flux), or
/// the classes' means. Throws std::invalid_argument if name, radius and dimensions do not go together.
Stencil make_stencil(std::string_view shape, int radius, int dimensions = 3, bool symmetric = false);

}  // namespace tune::kernels
