// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Plans passes of `fused` time steps each and one of the remaining steps: transform, multiply by a power of
/// the stencil's spectrum, transform back; then the cells near the faces step by step (rim.cuh), because the
/// transform treats the array as periodic. `last_axis=convolve`: spectra of planes (of rows in two
/// dimensions) instead, and sums over them along z.
Result<LaunchPlan> plan_fft(const StencilJob& job, const Configuration& configuration,
                            const KernelSources& sources);

/// Limit on the taps of a mode that is convolved along the last axis: they and as many sums are in registers.
inline constexpr std::int64_t max_taps = 33;

/// True if the points for the shell fit constant memory; the transforms take any stencil.
bool fft_applies(const StencilJob& job);

/// Returns nx, ny, nz, each rounded up to a product of 2, 3, 5 and 7: extents of fast transforms.
std::array<std::int64_t, 3> smooth_extents(const StencilJob& job);

}  // namespace tune::kernels
