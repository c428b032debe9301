// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/imports/script_names.hpp"
#include "kernels/described/source/draft.hpp"
#include "kernels/described/source/examination.hpp"

namespace tune::described {

/// What a kernel's own file says, where another file says the rest.
struct KernelBase {
  Draft draft = {};
  KernelFacts facts = {};
  MacroValues macros = {};
  std::vector<std::string> extents = {};  ///< the names of the sizes along the axes
  bool is_whole = false;                  ///< it needs whole blocks
  std::string why_not = {};               ///< why the file cannot be read; empty if it can
};

/// `macros`: what the other file defines.
KernelBase read_kernel_base(const std::string& file_name, KernelText text, const std::string& entry,
                            const std::vector<std::pair<std::string, std::string>>& macros,
                            const std::function<UndefinedNames(const KernelText&)>& compiler);

/// Macros of the file that are numbers of the script: they follow its sizes. The first name of each pair is
/// the macro's, the second that of the size.
std::vector<std::pair<std::string, std::string>> macros_of_sizes(const KernelBase& kernel,
                                                                 const std::vector<ScriptSize>& sizes);

}  // namespace tune::described
