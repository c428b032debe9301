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
  /// The word before the name of a kernel where it is declared.
  std::string_view mark = "__global__";
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

/// Joins lines that end in a backslash, and keeps their number.
std::string joined_lines(std::string text);

/// Replaces whole words that are names of these by their values.
std::string replaced(const std::string& text, const std::map<std::string, std::string>& values);

/// Returns all names and numbers in the text.
std::set<std::string, std::less<>> words_in(std::string_view text);

/// Gives every object-like macro (`#define N 32`) and every constant (`constexpr int N = 32;`, an enumerator)
/// that has a name among these their value. Returns how many changed.
std::size_t redefine(std::string& text, const std::map<std::string, std::string>& values);

/// A declaration of a kernel.
struct KernelDeclaration {
  std::vector<std::string> parameters;  ///< as declared: `const float* in`
  std::vector<std::string> templates;   ///< names of the template's parameters
  std::vector<std::string> otherwise;   ///< their defaults; empty where there is none
};
/// Returns every declaration of the kernel `entry`, whose namespaces and template arguments do not count.
/// Empty where the text declares no such kernel in a way that is understood. `mark`: as KernelText.
std::vector<KernelDeclaration> declarations_of(const std::string& text, const std::string& entry,
                                               std::string_view mark = "__global__");
std::vector<KernelDeclaration> declarations_of(const KernelText& text, const std::string& entry);

/// Returns the template arguments of an entry: `float` and `4` of `scale<float, 4>`.
std::vector<std::string> template_arguments(const std::string& entry);

/// Splits the text between an opening bracket and its closing one at the commas of this level.
std::vector<std::string> split_arguments(const std::string& text, std::size_t at);

std::string name_of_parameter(const std::string& declaration);
/// The type without qualifiers, pointers and extents: `float` of `const float* __restrict__ in`.
std::string type_of_parameter(const std::string& declaration);
bool is_pointer(const std::string& declaration);

}  // namespace tune::described
