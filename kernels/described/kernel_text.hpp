// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/expression.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::described {

/// A kernel's file and the files that it includes, if they lie in the folders or, in quotation marks, beside
/// it: all that its binary depends on, except for the toolkit's own headers.
struct KernelText {
  SourceFile source;
  std::vector<SourceFile> headers;
};

/// Texts by their normal paths, which are read before files on disk.
using FilesInMemory = std::map<std::filesystem::path, std::string>;

/// Reads a file, and `others` that the compiler sees behind it. Throws UsageError for a file that cannot be
/// read; the compiler reports missing headers.
KernelText read_kernel_text(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders, const SourceLocation& place,
                            const std::vector<std::filesystem::path>& others = {},
                            const FilesInMemory& memory = {});

/// Adds the folders of headers that are not found otherwise: folders above the file's, up to the root of its
/// repository, and their folders `include`, `common`, `utils` and the like.
std::vector<std::filesystem::path> folders_with_headers(const std::filesystem::path& file,
                                                        std::vector<std::filesystem::path> folders);

/// Returns the text with spaces in place of comments; lines stay where they are.
std::string without_comments(const std::string& text);

/// Replaces whole words that are names of these by their values.
std::string replaced(const std::string& text, const std::map<std::string, std::string>& values);

/// Returns all names and numbers in the text.
std::set<std::string, std::less<>> words_in(std::string_view text);

/// A line that gives a macro another value, whatever it had.
struct Redefinition {
  std::string file;
  int line = 0;
  std::string macro;
  std::string value;
};

/// Returns the first line of the source, or of a header that it includes, that redefines one of these macros
/// (their values; empty: several) whatever the conditions around it are; nothing where all are guarded, or it
/// depends on what only the compiler knows. Names that no line defines, and that do not begin with two
/// underscores, count as undefined.
std::optional<Redefinition> find_redefinition(const KernelText& text,
                                              const std::map<std::string, std::string>& macros);

/// Gives every `#define` of an object-like macro that has a name among these their value. Returns how many
/// lines changed.
std::size_t redefine(std::string& text, const std::map<std::string, std::string>& values);

/// The types that the files declare.
struct DeclaredTypes {
  std::set<std::string, std::less<>> structs;  ///< and classes and unions
  /// What `typedef` and `using` say; empty where they say several things.
  std::map<std::string, std::string> aliases;

  /// Follows aliases: `float*` for `row` after `typedef float* row;`. Returns other names as they are.
  std::string resolved(std::string type) const;
};
DeclaredTypes declared_types(const KernelText& text);

/// The parameters of every declaration of the kernel `entry` (without template arguments), as declared:
/// `const float* in`. Empty where the text declares no such kernel in a way that is understood.
std::vector<std::vector<std::string>> declarations_of(const std::string& text, const std::string& entry);

std::string name_of_parameter(const std::string& declaration);
/// The type without qualifiers, pointers and extents: `float` of `const float* __restrict__ in`.
std::string type_of_parameter(const std::string& declaration);
bool is_pointer(const std::string& declaration);

}  // namespace tune::described
