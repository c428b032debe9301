// SPDX-License-Identifier: Apache-2.0
// What the files of a kernel declare: names for types, structs and their fields, variables of the device.
// It works by words, without a parser: what is not understood is left to the compiler.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/kernel_text.hpp"

namespace tune::described {

/// An object-like macro of the files, or a function-like one.
struct DeclaredMacro {
  std::string text;         ///< empty where several lines give it different ones
  bool is_plain = true;     ///< object-like, with one text
  bool has_commas = false;  ///< it may stand for several arguments
  /// Of a function-like macro with one text.
  std::optional<std::vector<std::string>> parameters = std::nullopt;
  std::string function = {};  ///< its text
};

/// `template<class T> using V = T*;`
struct AliasTemplate {
  std::vector<std::string> parameters;
  std::string type;  ///< empty where the files say several things
};

/// A `__constant__` or `__device__` variable.
struct DeclaredVariable {
  std::string name;      ///< with its namespaces, but for unnamed ones: `filters::weights`
  std::string declared;  ///< as written: `float weights[9]`
  std::string file;
  int line = 0;
};

/// A field of a struct.
struct DeclaredField {
  std::string declared;    ///< `float x[3]`
  std::string attributes;  ///< as written before it: `alignas(16)`
  bool operator==(const DeclaredField&) const = default;
};

/// A struct, class or union.
struct DeclaredStruct {
  std::optional<std::vector<DeclaredField>> fields;  ///< nothing where these are not understood
  std::string attributes;                            ///< as written: `__align__(16)`
  std::string file;
  int line = 0;
};

struct DeclaredTypes {
  std::map<std::string, DeclaredStruct, std::less<>> structs;
  bool packs = false;  ///< `#pragma pack`: no layout is known
  std::set<std::string, std::less<>> enums;
  /// What `typedef` and `using` say; empty where they say several things.
  std::map<std::string, std::string, std::less<>> aliases;
  std::map<std::string, AliasTemplate, std::less<>> alias_templates;
  std::map<std::string, DeclaredMacro, std::less<>> macros;
  std::vector<DeclaredVariable> variables;

  /// Follows aliases: `float*` for `row` after `typedef float* row;`. Returns other names as they are,
  /// without their namespaces.
  std::string resolved(std::string type) const;
  /// Puts the texts of macros in place of their names, with the arguments of function-like ones.
  std::string expanded(std::string text) const;
  /// True for text with a macro that may stand for several arguments, and for text with directives.
  bool hides_arguments(std::string_view text) const;
  /// Returns the variables that have this name, with or without their namespaces. If one has exactly this
  /// name, no other.
  std::vector<const DeclaredVariable*> variables_named(std::string_view name) const;
};

DeclaredTypes declared_types(const KernelText& text);

}  // namespace tune::described
