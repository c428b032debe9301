// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// A stencil that is not built in, with its value of the setting `shape`: `heat-1f3a9c2e0b77`.
struct OwnStencil {
  std::string shape;
  Stencil stencil;  ///< of 2 or 3 dimensions
};

/// `steps` time steps of a 3-D stencil on nx x ny x nz cells, x fastest: in each, every cell becomes the sum
/// of weight * cell over the stencil's points; Boundary decides about cells at the faces. Buffers `in` and
/// `out`.
std::unique_ptr<Problem> make_stencil3d();
/// The same in two dimensions, nx x ny.
std::unique_ptr<Problem> make_stencil2d();
/// Returns stencil2d or stencil3d, by the stencil's dimensions. Its setting `shape` is the user's own one.
std::unique_ptr<Problem> make_stencil_problem(OwnStencil own);

/// Returns the work of an instance of stencil2d or stencil3d. Throws UsageError if radius and shape do not go
/// together, and for a shape that is neither built in nor `own`.
StencilJob stencil_job(const Instance& instance, const std::optional<OwnStencil>& own = std::nullopt);

}  // namespace tune::kernels
