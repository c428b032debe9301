// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/core/problem.hpp"

namespace tune::kernels {

/// One time step of a 3-D stencil on nx x ny x nz cells, x fastest. Cells at least `radius` away from every
/// face: out = sum of weight * in over the stencil's points; all others: out = in. Buffers `in` and `out`.
std::unique_ptr<Problem> make_stencil3d();

}  // namespace tune::kernels
