// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/described/source/examination.hpp"

namespace tune::described {

/// A line of a first definition that holds a guess.
struct Guess {
  int line = 0;
  std::string name;  ///< of the field: `grid`, an argument, a parameter
  std::string text;  ///< what to look at
};

struct FirstDefinition {
  std::string json;
  std::vector<Guess> guesses = {};
  /// What a definition cannot say, or what is not understood: without it nothing can be checked. Empty: none.
  std::vector<std::string> missing = {};
  std::vector<std::string> kernels = {};  ///< of the file, in its order
};

/// Returns a first definition for a kernel's file: the kernel's name, template parameters and arguments from
/// its declaration, what it reads and writes from its body, the launch from its indices, constant memory, and
/// parameters from macros with a default (`#ifndef NAME`, `#define NAME 16`) and names that nothing declares.
/// A launch in the file itself says grid, block, template arguments and numbers, and its allocations sizes.
/// Every guess is marked with TODO. `file_name`: as the definition is to name the file. `entry`: the kernel's
/// name; empty for the first. `undefined` may be empty: then names that the text does not declare count as
/// undefined. Throws UsageError if there is no such kernel, and Error where this program cannot read kernels.
FirstDefinition first_definition(const std::string& file_name, const KernelText& text,
                                 const std::string& entry, const UndefinedNames& undefined = {});

}  // namespace tune::described
