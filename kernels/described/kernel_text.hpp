// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernels/described/expression.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::described {

/// A kernel's file and the files that it includes in quotation marks, if they lie beside it or in the
/// folders: all that its binary depends on, except for the toolkit's own headers.
struct KernelText {
  SourceFile source;
  std::vector<SourceFile> headers;
};

/// Throws UsageError for a file that cannot be read; the compiler reports missing headers.
KernelText read_kernel_text(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders, const SourceLocation& place);

/// Replaces whole words that are names of these by their values.
std::string replaced(const std::string& text, const std::map<std::string, std::string>& values);

/// The parameters of the kernel `entry` (without template arguments), as declared: `const float* in`. Empty
/// where the text declares no such kernel in a way that is understood.
std::vector<std::string> kernel_parameters(const std::string& text, const std::string& entry);

std::string name_of_parameter(const std::string& declaration);

}  // namespace tune::described
