// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tune/lookup.hpp>
#include <vector>

#include "kernel_choice.hpp"

namespace heat3d {

/// The first GPU as a lookup asks for it; nothing, and why, where there is none.
std::optional<tune::lookup::Device> first_gpu(std::string* why_none);

/// What time steps on a GPU gave.
struct Run {
  std::vector<float> first;   ///< after one step
  std::vector<float> last;    ///< after all
  double seconds_a_step = 0;  ///< median of nine groups of steps
};

/// Copies the grid there, makes `steps` time steps with the kernel, and times more of them. Throws
/// std::runtime_error for anything that CUDA refuses.
Run run(const std::vector<char>& cubin, const Kernel& kernel, const Grid& grid,
        const std::vector<float>& start, int steps);

}  // namespace heat3d
