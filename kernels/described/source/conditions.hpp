// SPDX-License-Identifier: Apache-2.0
// The preprocessor's branches of a kernel's file, as far as its macros decide them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/kernel_text.hpp"

namespace tune::described {

using MacroValues = std::map<std::string, std::string, std::less<>>;

/// What a file's directives say when these macros have these values.
struct Branches {
  /// The text with spaces in place of comments, directives and branches that are not taken; behind it the
  /// texts of the headers, likewise.
  std::string text;
  MacroValues macros;                ///< without parameters; as they are at the end of the file
  MacroValues functions;             ///< macros with parameters: `(x, y) __ldg(x + y)`
  std::vector<std::string> asked;    ///< names in conditions that nothing defines, in their order
  std::vector<std::string> unrolls;  ///< words behind `#pragma unroll`
};

/// A macro that a file defines only where nobody else does: `#ifndef X`, `#define X 16`.
struct GuardedMacro {
  std::string name, value;
  int line = 0;
};

std::vector<GuardedMacro> guarded_macros(const KernelText& text);

/// Follows the conditions of a text. `known`: macros that are defined before. Compilers' own names
/// (`__CUDA_ARCH__`) have the values of a device of compute capability 8.0.
Branches follow_conditions(const KernelText& text, const MacroValues& known);

/// Returns the text with all branches, without comments and directives, and with the texts of the headers.
std::string every_branch(const KernelText& text);

/// What the conditions of a whole text, taken or not, compare a name with.
struct Comparisons {
  std::set<std::int64_t> equal;  ///< `X == 2`
  bool is_flag = false;          ///< `#if X`, `!X`, `X && Y`
  bool above_zero = false;       ///< `X > 0`, `X != 0`
};
std::map<std::string, Comparisons, std::less<>> comparisons_in(const KernelText& text);

/// The lines between an `#if` and its `#endif`.
struct ConditionalLines {
  std::vector<std::string> names;              ///< in its conditions
  int first = 0, last = 0;                     ///< 0: of a header
  std::set<std::string, std::less<>> defined;  ///< macros that are defined or undefined there
  std::set<std::string, std::less<>> words;    ///< of lines that are no directives
};
std::vector<ConditionalLines> conditional_lines(const KernelText& text);

/// The value of a condition, with names that nothing defines as 0, which `undefined` is told. Nothing where
/// it cannot be read. Whole numbers of 64 bits.
std::optional<std::int64_t> value_of_condition(std::string_view condition, const MacroValues& macros,
                                               const std::function<void(std::string_view)>& undefined = {});

/// The text with values in place of macros without parameters, in brackets where they are more than a word,
/// as often as needed; the names in `kept` stay.
std::string expanded(std::string_view text, const MacroValues& macros, const MacroValues& kept = {});

}  // namespace tune::described
