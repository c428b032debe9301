// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/cluster_extents.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tuner/plan/directives.hpp"

namespace tune::emulator {
namespace {

constexpr std::string_view attribute = "__cluster_dims__";

/// Removes and returns what stands in the brackets at the beginning, with spaces before them.
std::string_view take_brackets(std::string_view& text) {
  text = trimmed(text);
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] != ')' || --depth > 0) continue;
    const std::string_view inside = text.substr(1, at - 1);
    text.remove_prefix(at + 1);
    return inside;
  }
  text = {};
  return {};
}

/// The first word behind the attribute that brackets follow, but for other attributes; empty where there is
/// none in the declaration.
std::string_view kernel_behind(std::string_view text) {
  while (true) {
    text = trimmed(text);
    const std::string_view word = leading_word(text);
    if (word.empty()) return {};
    text = trimmed(text.substr(word.size()));
    if (!text.starts_with('(')) continue;
    if (!word.starts_with("__")) return word;
    take_brackets(text);
  }
}

void add(std::map<std::string, std::string>& extents, std::string_view text) {
  for (std::size_t at = text.find(attribute); at != std::string_view::npos;
       at = text.find(attribute, at + attribute.size())) {
    const std::size_t line = text.rfind('\n', at) + 1;
    const auto directive = directive_of(text.substr(line, text.find('\n', at) - line));
    if (directive && directive->name != "define") continue;
    std::string_view behind = text.substr(at + attribute.size());
    const std::string_view inside = take_brackets(behind);
    const std::string_view kernel = directive ? std::string_view() : kernel_behind(behind);
    extents.insert_or_assign(std::string(kernel), std::string(inside));
  }
}

}  // namespace

std::map<std::string, std::string> cluster_extents(const CompileRequest& request) {
  std::map<std::string, std::string> extents;
  add(extents, request.source.text);
  for (const SourceFile& header : request.headers) add(extents, header.text);
  return extents;
}

}  // namespace tune::emulator
