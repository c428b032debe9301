// SPDX-License-Identifier: Apache-2.0
// What the conditions of a kernel's files leave of its lines, and which of these give a macro another value.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernels/described/kernel_text.hpp"

namespace tune::described {

/// A line that gives a macro another value, whatever it had.
struct Redefinition {
  std::string file;
  int line = 0;
  std::string macro;
  std::string value;
  bool is_undef = false;       ///< `#undef`, and the text goes on to use the name
  std::string condition = {};  ///< not empty: the question for __CUDA_ARCH__ that decides whether it counts
};

/// Returns the first line of the source, or of a header that it includes, that redefines one of these macros
/// (their values; empty: several) whatever the conditions around it are, else the first that depends on the
/// kind of device; nothing where all are guarded, or it depends on what else the compiler alone knows. Names
/// that no line defines, and that do not begin with two underscores, count as undefined.
std::optional<Redefinition> find_redefinition(const KernelText& text,
                                              const std::map<std::string, std::string>& macros);

/// Returns the text without the branches of conditions that are certainly left out when these macros are
/// defined, and comments; lines keep their numbers. `maybe`: macros that may be defined too.
KernelText without_inactive(const KernelText& text, const std::map<std::string, std::string>& macros,
                            std::set<std::string, std::less<>> maybe);

}  // namespace tune::described
