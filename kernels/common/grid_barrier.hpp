// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The file that a problem names among its sources whose kernels call `grid_barrier`.
inline constexpr const char* grid_barrier_file = "common/grid_barrier.cuh";

/// What a plan adds to the headers of its compilation: `#include "grid_barrier.cuh"`.
SourceFile grid_barrier_header(const KernelSources& sources);
/// What a plan adds to its buffers: the counter, a word of scratch memory that begins as zero. A launch that
/// gets it as an argument is a cooperative one; launches of one plan may share it.
BufferSpec grid_barrier_counter(std::string name = "grid_barrier");

}  // namespace tune::kernels
