// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/constant_memory.hpp"

#include <algorithm>
#include <string_view>

#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune {
namespace {

constexpr std::string_view keyword = "__constant__";

using NameSet = std::set<std::string, std::less<>>;

/// Calls a function with every line, its number from 1, and its file; until it returns true.
template<class Function>
void each_line_of(const CompileRequest& request, const Function& ends) {
  const auto lines_of = [&](const SourceFile& file) {
    std::string_view rest = file.text;
    for (int number = 1; !rest.empty(); ++number)
      if (ends(file, number, next_line(rest))) return true;
    return false;
  };
  if (!lines_of(request.source)) std::ranges::find_if(request.headers, lines_of);
}

/// Adds the names of the declaration whose words behind the keyword these are.
void add_declared(std::set<std::string>& names, std::string_view text) {
  int depth = 0, angles = 0;
  std::string_view last;
  bool is_named = false;  // the declarator has its name
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = leading_word(text.substr(at));
    if (!word.empty()) {
      if (depth == 0 && angles == 0 && !is_named) last = word;
      at += word.size();
      continue;
    }
    const char letter = text[at++];
    const bool begins = letter == '[' || letter == '{' || letter == '=';
    if (depth == 0 && !is_named && (begins || letter == ',' || letter == ';') && angles == 0) {
      if (!last.empty()) names.emplace(last);
      is_named = true;
    }
    if (depth == 0 && angles == 0 && letter == ',') is_named = false;
    if (depth == 0 && letter == ';') return;
    if (letter == '[' || letter == '{' || letter == '(') ++depth;
    if (letter == ']' || letter == '}' || letter == ')') --depth;
    if (depth < 0) return;  // a parameter
    if (depth == 0 && !is_named && letter == '<') ++angles;
    if (depth == 0 && !is_named && letter == '>') --angles;
  }
}

}  // namespace

Failure beyond_constant_memory(const CompileRequest& request, std::uint64_t bytes, std::uint64_t limit) {
  std::string place;
  each_line_of(request, [&](const SourceFile& file, int number, std::string_view line) {
    if (line.find(keyword) == std::string_view::npos || trimmed(line).starts_with("//")) return false;
    place = format("{}:{}: ", file.name, number);
    return true;
  });
  return Failure{
      Phase::compile, constant_memory,
      format("{}the __constant__ variables have {} bytes together, at most {} fit: pass large ones as arrays",
             place, bytes, limit)};
}

std::set<std::string> constant_names(const CompileRequest& request) {
  NameSet keywords{std::string(keyword)};
  std::set<std::string> names;
  each_line_of(request, [&](const SourceFile&, int, std::string_view line) {
    if (line.find(keyword) == std::string_view::npos) return false;
    const auto directive = directive_of(line);
    if (directive && directive->name == "define" && has_word(directive->rest, keywords))
      keywords.emplace(directive->word);
    return false;
  });
  const auto add_names = [&](const SourceFile& file) {
    const std::string_view text = file.text;
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view word = leading_word(text.substr(at));
      if (keywords.contains(word)) add_declared(names, text.substr(at + word.size()));
      at += std::max<std::size_t>(1, word.size());
    }
  };
  add_names(request.source);
  std::ranges::for_each(request.headers, add_names);
  return names;
}

}  // namespace tune
