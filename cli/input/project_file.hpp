// SPDX-License-Identifier: Apache-2.0
// A project file, tune.toml: options that need not be typed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/options.hpp"

namespace tune::cli {

/// The options of a command in a project file, or those at its top, which are for all commands.
struct ProjectTable {
  std::string command;  ///< empty: at the top
  std::size_t line = 0;
  std::vector<FileOption> options;
};

struct ProjectFile {
  std::filesystem::path path;
  std::vector<ProjectTable> tables;  ///< the top first
};

/// `is_command`: whether a table of this name (`run`, `db export`) has the options of a command; other tables
/// are values, `set = {radius = 4}`. Throws UsageError that names file and line.
ProjectFile read_project_file(const std::filesystem::path& path,
                              const std::function<bool(std::string_view)>& is_command);
/// The same of its text.
ProjectFile read_project_text(const std::string& text, const std::filesystem::path& path,
                              const std::function<bool(std::string_view)>& is_command);

/// Returns tune.toml of the current folder or of the nearest one above it, `../tune.toml`. One that belongs
/// to another user is passed over, with a line that says so: options can name files to write.
std::optional<std::filesystem::path> find_project_file();

}  // namespace tune::cli
