// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// Returns numbers spread evenly over [-1, 1), the same for the same seed, extents and type.
HostTensor stencil_input(const StencilJob& job, std::uint64_t seed);

/// Computes all time steps in double precision, on all cores. `input` holds float or double.
HostTensor stencil_reference(const StencilJob& job, const HostTensor& input);

/// True if `stencil_reference` takes a second or more on a few cores, and a device can compute it: the
/// stencil's points fit its constant memory, and a row of blocks the rows.
bool takes_long(const StencilJob& job);

/// Plans the same on a device: `in` of the job's type, `out` of doubles, dense. Each step is the plain sum
/// over the points in double precision.
Result<LaunchPlan> plan_stencil_reference(const StencilJob& job, const KernelSources& sources);

// Bounds on the rounding errors of the family's algorithms.

/// For steps one after another, each a sum over the stencil's points.
Tolerance step_tolerance(const StencilJob& job);

/// For passes of `fused` steps, each a sum over the `points` of the composed stencil or, near the faces,
/// steps one by one; the remaining steps are computed one by one.
Tolerance composed_tolerance(const StencilJob& job, std::int64_t fused, std::size_t points);

/// Passes of `fused` steps, and of the remaining ones, by Fourier transforms.
struct FftRounding {
  std::array<std::int64_t, 3> extents{};  ///< of the transforms
  std::int64_t fused = 1;
  bool tables = false;     ///< the spectrum is made of tables in double precision
  bool convolved = false;  ///< nothing is transformed along the last axis
};
Tolerance fft_tolerance(const StencilJob& job, const FftRounding& rounding);

}  // namespace tune::kernels
