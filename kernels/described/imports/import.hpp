// SPDX-License-Identifier: Apache-2.0
// Definitions from files of other tuners: each reader fills in a draft.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/kernel_text.hpp"
#include "kernels/described/source/draft.hpp"
#include "kernels/described/source/examination.hpp"

namespace tune::described {

struct ImportRequest {
  std::filesystem::path path;  ///< of the file, as the user named it
  std::string text;            ///< of the file
  std::string kernel = {};     ///< the one to import, by name or by the line of its call; empty: the only one
  std::string own_kernel = {};  ///< the name of the file for a kernel that stands in a text of the script
  /// How the definition names a file, from its path.
  std::function<std::string(const std::filesystem::path&)> name_of = {};
  /// Reads a file that the script reads; its path as the script has it.
  python::ReadFile read = {};
  /// The compiler that says which names a kernel lacks; nothing where there is none.
  std::function<UndefinedNames(const KernelText&)> compiler = {};
};

struct Import {
  Draft draft;
  std::optional<SourceFile> kernel = std::nullopt;  ///< a file to write beside the definition
  std::vector<std::string> notes = {};              ///< what is left out or was chosen
};

/// Follows a script of Kernel Tuner to a call of tune_kernel. Throws UsageError for a script without such a
/// call, with several of them if none is chosen, or with a kernel in another language.
Import import_kernel_tuner(const ImportRequest& request);

/// Reads a kernel's file with a benchmark of nvbench. Throws UsageError for a file without one, or without a
/// kernel.
Import import_nvbench(const ImportRequest& request);

/// Reads a definition in T1 (`request.path`) and writes what it means. Throws UsageError for one that cannot
/// run.
Import import_t1(const ImportRequest& request);

}  // namespace tune::described
