// SPDX-License-Identifier: Apache-2.0
// What options for the compiler say of macros and folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::described {

/// Adds options to a request; `-D NAME=VALUE` in any spelling is a macro for every compiler, and `-U NAME`
/// undefines it for all. The device decides the architecture: of `-arch=sm_90a` only the letter counts.
void take_options(const std::vector<std::string>& options, CompileRequest& request);

/// Returns the first option about what a compiler writes (`-o`, `-ptx`, `-c`); empty where there is none.
std::string option_of_output(const std::vector<std::string>& options);

/// Returns the folders of headers that the options name (`-I`, `-isystem`), but for those of a toolkit and of
/// the system: their headers are not the kernel's own.
std::vector<std::filesystem::path> folders_in(const std::vector<std::string>& options);

}  // namespace tune::described
