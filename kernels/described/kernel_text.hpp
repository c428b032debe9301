// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernels/described/expression.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::described {

/// A kernel's file and what it includes in quotation marks, as far as it is found beside it or in the
/// folders: all that its binary depends on but for the toolkit's own headers.
struct KernelText {
  SourceFile source;
  std::vector<SourceFile> headers;
};

/// Throws UsageError for a file that cannot be read; a header that is not found is left to the compiler.
KernelText read_kernel_text(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders, const SourceLocation& place);

/// `text` with whole words that are names of these replaced by their values.
std::string replaced(const std::string& text, const std::map<std::string, std::string>& values);

/// With commas between them.
std::string joined(const std::vector<std::string>& words);

/// The parameters of the kernel `entry` (without template arguments), as declared: `const float* in`. Empty
/// where the text declares no such kernel in a way that is understood.
std::vector<std::string> kernel_parameters(const std::string& text, const std::string& entry);

/// The name of a declared parameter.
std::string name_of_parameter(const std::string& declaration);

}  // namespace tune::described
