// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::described {

/// A node of a source's syntax tree; its kind is the grammar's name for it (`function_definition`, `+=`).
struct SyntaxNode {
  std::string_view kind;
  std::string_view field;  ///< its part in the parent (`left`, `declarator`); empty for none
  std::string_view text;
  int parent = -1;
  int end = 0;            ///< one behind the last node below it
  int line = 1;           ///< of its beginning
  bool is_named = false;  ///< not a bracket, an operator or a keyword
};

/// A source as a tree: its nodes in the order of the text, each before those below it. Kinds and fields live
/// as long as the program, texts as long as the text that was read.
struct Syntax {
  std::vector<SyntaxNode> nodes;

  const SyntaxNode& operator[](int node) const { return nodes[static_cast<std::size_t>(node)]; }
  int size() const { return static_cast<int>(nodes.size()); }
  std::vector<int> children(int node) const;
  /// Those that are neither brackets, operators nor keywords.
  std::vector<int> parts(int node) const;
  /// The first child with this field, or of this kind; -1 where there is none.
  int child_named(int node, std::string_view field) const;
  int child_of_kind(int node, std::string_view kind) const;
  /// The first node below `node`, or itself, of this kind; -1 where there is none.
  int first_below(int node, std::string_view kind) const;
  /// The nearest node above `node` of this kind; -1 where there is none.
  int above(int node, std::string_view kind) const;
};

enum class Language { cuda, python };

/// Returns why this program cannot read sources in the language, and what to do about it; empty if it can.
std::string why_no_parser(Language language = Language::cuda);

/// Reads a source. What the grammar does not know becomes nodes of the kind `ERROR`. Throws UsageError for a
/// text that takes more than three seconds, and Error where there is no parser.
Syntax read_syntax(const std::string& text, Language language = Language::cuda);

}  // namespace tune::described
