// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/described/kernel_text.hpp"

namespace tune::described {

/// What the files of a kernel do with a name.
struct NameInCode {
  bool in_directive = false;  ///< `#ifndef NAME`, `#define NAME 16`, `#if NAME > 1`
  std::string declared_in;    ///< the first file that declares a value of this name; empty: none does
  int line = 0;               ///< of that declaration
  std::string declaration;    ///< its words up to the name: `const int NAME`

  /// True for an argument, a variable or a parameter of a template: a macro of this name would replace it.
  bool is_declared_only() const { return !in_directive && !declared_in.empty(); }
};

/// Returns all names in the files outside of comments. It works by words, without a parser: what it takes for
/// a declaration does not compile with a macro of that name whose value is a number.
std::map<std::string, NameInCode, std::less<>> names_in_code(const KernelText& text);

/// Where a kernel is declared first.
struct KernelPlace {
  std::string name;  ///< without namespaces
  std::string file;
  int line = 0;
};

/// Returns the kernels that the text declares, as far as they are understood, in their order.
std::vector<KernelPlace> kernels_in(const KernelText& text);

/// Returns what to say about a name that none of these kernels has: which one is like it, and where they are.
std::string no_kernel(const std::string& wanted, const std::vector<KernelPlace>& known);

}  // namespace tune::described
