// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// A stencil that is not built in, with the value that the setting `shape` takes for it: `heat-1f3a9c2e0b77`.
struct OwnStencil {
  std::string shape;
  Stencil stencil;  ///< of 2 or 3 dimensions
};

/// `steps` time steps of a 3-D stencil on nx x ny x nz cells, x fastest: in each, every cell becomes the sum
/// of weight * cell over the stencil's points; what lies beyond the array is Boundary. Buffers `in` and
/// `out`.
std::unique_ptr<Problem> make_stencil3d();
/// The same in two dimensions, nx x ny.
std::unique_ptr<Problem> make_stencil2d();
/// stencil2d or stencil3d, as the stencil has dimensions, whose setting `shape` is the person's own one.
std::unique_ptr<Problem> make_stencil_problem(OwnStencil own);

/// What an instance of stencil2d or stencil3d means. Throws UsageError where radius and shape do not go
/// together, and for a shape that is not built in and not `own`.
StencilJob stencil_job(const Instance& instance, const std::optional<OwnStencil>& own = std::nullopt);

}  // namespace tune::kernels
