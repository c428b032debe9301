// SPDX-License-Identifier: Apache-2.0
// What compilers that are programs read: the texts of a request as files, and its options.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Writes the source, its headers and `more` files, named from the source's folder, below a folder, so deep
/// in it that names beginning with `../` lie in it too; absolute names are on disk. Returns the folder of the
/// source. Throws Error.
std::filesystem::path write_texts(const std::filesystem::path& folder, const CompileRequest& request,
                                  const std::vector<SourceFile>& more);

/// Names of folders and files are relative to the folder in which the program was called; a compiler runs in
/// another.
std::vector<std::string> with_absolute_folders(const std::vector<std::string>& options);

}  // namespace tune
