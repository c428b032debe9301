// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The file among its sources that a problem names if its kernels call `grid_barrier`.
inline constexpr const char* grid_barrier_file = "common/grid_barrier.cuh";

/// Returns the header of a compilation that `#include "grid_barrier.cuh"` finds.
inline SourceFile grid_barrier_header(const KernelSources& sources) {
  return {"grid_barrier.cuh", sources.text(grid_barrier_file)};
}

/// Returns the counter that a plan adds to its buffers: a word of scratch memory that begins as zero. A
/// launch that gets it as an argument is a cooperative one; launches of one plan may share it.
inline BufferSpec grid_barrier_counter(std::string name = "grid_barrier") {
  return {std::move(name), ElementType::u32, Layout::dense({1}), BufferRole::scratch,
          false,           BufferFill::zero};
}

}  // namespace tune::kernels
