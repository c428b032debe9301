// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tune::emulator {

/// Returns the text with spaces in the place of functions of the host: `main`, and those without a word of
/// CUDA before them that launch kernels, call the runtime or use containers and streams of the standard
/// library. Lines keep their numbers. Takes linear time.
std::string without_host_functions(std::string_view text);

}  // namespace tune::emulator
