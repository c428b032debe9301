// SPDX-License-Identifier: Apache-2.0
// What `tune new` and `tune import` share: they write a definition, check it and list what is left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/options.hpp"
#include "kernels/described/source/draft.hpp"
#include "kernels/described/source/examination.hpp"

namespace tune::cli {

/// Asks NVRTC where it can be loaded. A log ends after a hundred errors: names that are found are defined,
/// and the rest is asked for again, until the text compiles.
described::UndefinedNames ask_compiler(const described::KernelText& text);

/// A file or folder as a definition in `folder` names it.
std::string name_from(const std::filesystem::path& folder, const std::filesystem::path& kernel);

/// Returns a file's text. Throws UsageError where it cannot be read.
std::string read_source(const std::string& name);

/// The file to write: `wanted`, else beside the source with the ending .json. Throws UsageError where it
/// exists.
std::filesystem::path definition_beside(const std::filesystem::path& source, const std::string& wanted);
void refuse_existing(const std::filesystem::path& path);

struct NewFiles {
  std::filesystem::path definition;
  std::optional<SourceFile> kernel = std::nullopt;  ///< to write beside it, with its path
  std::vector<std::string> notes = {};              ///< lines to show
  std::string timeout = "5s";                       ///< of a configuration in the check
  Format format = Format::text;
};

/// Writes the files, runs some configurations on the emulator, and lists what is left to look at. What the
/// check finds is no failure. An array that the kernel does not write as a whole gets contents, and the check
/// runs again.
void write_definition(described::FirstDefinition definition, const NewFiles& files, bool no_check);

}  // namespace tune::cli
