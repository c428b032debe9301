// SPDX-License-Identifier: Apache-2.0
// How far rounding may take the results of the family's algorithms from the reference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/stencil/model/job.hpp"
#include "tuner/tensor/tolerance.hpp"

namespace tune::kernels {

/// All steps one after another, each a sum over the stencil's points.
Tolerance step_tolerance(const StencilJob& job);

/// As many passes as there are whole ones of `fused` steps, each a sum over the `points` of the composed
/// stencil, or the steps one by one near the faces; the steps that are left over one by one.
Tolerance composed_tolerance(const StencilJob& job, std::int64_t fused, std::size_t points);

/// Passes of `fused` steps and of what is left over through Fourier transforms.
struct FftRounding {
  std::array<std::int64_t, 3> extents{};  ///< of the transforms
  std::int64_t fused = 1;
  bool tables = false;     ///< the spectrum is made of tables in double precision
  bool convolved = false;  ///< nothing is transformed along the last axis
};
Tolerance fft_tolerance(const StencilJob& job, const FftRounding& rounding);

}  // namespace tune::kernels
