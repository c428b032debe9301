// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/syntax.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "kernels/described/source/readable_text.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

#ifdef TUNE_TREE_SITTER
#include <tree_sitter/api.h>

extern "C" const TSLanguage* tree_sitter_cuda();
extern "C" const TSLanguage* tree_sitter_python();
#endif

namespace tune::described {

std::vector<int> Syntax::children(int node) const {
  std::vector<int> all;
  for (int child = node + 1; child < (*this)[node].end; child = (*this)[child].end) all.push_back(child);
  return all;
}

std::vector<int> Syntax::parts(int node) const {
  std::vector<int> all;
  for (int child = node + 1; child < (*this)[node].end; child = (*this)[child].end)
    if ((*this)[child].is_named) all.push_back(child);
  return all;
}

int Syntax::child_named(int node, std::string_view field) const {
  for (int child = node + 1; child < (*this)[node].end; child = (*this)[child].end)
    if ((*this)[child].field == field) return child;
  return -1;
}

int Syntax::child_of_kind(int node, std::string_view kind) const {
  for (int child = node + 1; child < (*this)[node].end; child = (*this)[child].end)
    if ((*this)[child].kind == kind) return child;
  return -1;
}

int Syntax::first_below(int node, std::string_view kind) const {
  for (int below = node; below < (*this)[node].end; ++below)
    if ((*this)[below].kind == kind) return below;
  return -1;
}

int Syntax::above(int node, std::string_view kind) const {
  for (int at = (*this)[node].parent; at >= 0; at = (*this)[at].parent)
    if ((*this)[at].kind == kind) return at;
  return -1;
}

#ifdef TUNE_TREE_SITTER

namespace {

constexpr std::uint64_t longest_microseconds = 3'000'000;

struct CursorOwner {
  explicit CursorOwner(TSNode root) : cursor(ts_tree_cursor_new(root)) {}
  CursorOwner(const CursorOwner&) = delete;
  CursorOwner& operator=(const CursorOwner&) = delete;
  ~CursorOwner() { ts_tree_cursor_delete(&cursor); }
  TSTreeCursor cursor;
};

/// Without recursion: a text may have a hundred thousand brackets in each other. `turned`: where the tree has
/// `>` for the `<` of the text.
Syntax flattened(const TSTree* tree, std::string_view text, const std::vector<std::size_t>& turned) {
  Syntax syntax;
  CursorOwner owner(ts_tree_root_node(tree));
  TSTreeCursor* const cursor = &owner.cursor;
  int parent = -1;
  while (true) {
    const TSNode node = ts_tree_cursor_current_node(cursor);
    const char* const field = ts_tree_cursor_current_field_name(cursor);
    const std::size_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
    const int number = syntax.size();
    std::string_view kind = ts_node_type(node);
    if (kind == ">" && std::ranges::binary_search(turned, begin)) kind = "<";
    syntax.nodes.push_back({kind, field == nullptr ? std::string_view() : field,
                            text.substr(begin, end - begin), parent, number + 1,
                            static_cast<int>(ts_node_start_point(node).row) + 1, ts_node_is_named(node)});
    if (ts_tree_cursor_goto_first_child(cursor)) {
      parent = number;
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(cursor)) {
      if (!ts_tree_cursor_goto_parent(cursor)) return syntax;
      syntax.nodes[static_cast<std::size_t>(parent)].end = syntax.size();
      parent = syntax[parent].parent;
    }
  }
}

const TSLanguage* grammar_of(Language language) {
  return language == Language::cuda ? tree_sitter_cuda() : tree_sitter_python();
}

}  // namespace

std::string why_no_parser(Language language) {
  const TSLanguage* const grammar = grammar_of(language);
  const std::string_view name = language == Language::cuda ? "CUDA" : "Python";
  if (grammar == nullptr)
    return format(
        "this program was built without the grammar of {}: install npm, remove the folder kernels/described/source/grammar "
        "of the build, and build again",
        name);
  const std::unique_ptr<TSParser, void (*)(TSParser*)> parser(ts_parser_new(), ts_parser_delete);
  return ts_parser_set_language(parser.get(), grammar)
             ? std::string()
             : format(
                   "the tree-sitter library of this system is too old or too new for the grammar of {}: build with "
                   "another one (0.20 to 0.25)",
                   name);
}

Syntax read_syntax(const std::string& text, Language language) {
  if (const std::string reason = why_no_parser(language); !reason.empty()) throw Error(reason);
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) throw UsageError("the file is too large");
  const std::unique_ptr<TSParser, void (*)(TSParser*)> parser(ts_parser_new(), ts_parser_delete);
  ts_parser_set_language(parser.get(), grammar_of(language));
  ts_parser_set_timeout_micros(parser.get(), longest_microseconds);
  const ReadableText readable = language == Language::cuda ? readable_text(text) : ReadableText{text};
  const std::unique_ptr<TSTree, void (*)(TSTree*)> tree(
      ts_parser_parse_string(parser.get(), nullptr, readable.text.data(),
                             static_cast<std::uint32_t>(readable.text.size())),
      ts_tree_delete);
  if (tree == nullptr) throw UsageError("the file takes too long to read");
  return flattened(tree.get(), text, readable.turned);
}

#else

std::string why_no_parser(Language) {
  return "this program was built without tree-sitter, which reads sources: install libtree-sitter-dev, configure and build "
         "again";
}

Syntax read_syntax(const std::string&, Language language) {
  throw Error(why_no_parser(language));
}

#endif

}  // namespace tune::described
