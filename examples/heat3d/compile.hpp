// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernel_choice.hpp"

namespace heat3d {

/// The cubin of the kernel for `sm_90`, by NVRTC from the files that are installed with tune. Throws
/// std::runtime_error with the compiler's log.
std::vector<char> compile(const Kernel& kernel, const std::string& architecture);

/// `NVRTC 13.0 sm_90`, as tune's database has it.
std::string compiler_name(const std::string& architecture);

}  // namespace heat3d
