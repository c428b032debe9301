// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/readable_text.hpp"

#include <algorithm>
#include <array>

#include "kernels/described/source/c_expression.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

/// Further than this nobody looks for the end of a list of template arguments.
constexpr std::size_t longest_list = 400;

/// True where the `<` at `open` begins template arguments of a member that is called: `m.get<float, 2>(...)`.
bool opens_arguments(std::string_view text, std::size_t open) {
  int depth = 0, lists = 0;
  const std::size_t end = std::min(text.size(), open + longest_list);
  for (std::size_t at = open; at < end; ++at) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth < 0) return false;
    if (c == ';' || c == '{' || c == '}' || c == '&' || c == '|' || c == '?') return false;
    if (depth > 0) continue;
    if (c == '<') ++lists;
    if (c == '>' && --lists == 0) {
      const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
      return next != std::string_view::npos && text[next] == '(';
    }
  }
  return false;
}

/// The last place before `at` that holds no white space; npos for none.
std::size_t last_before(std::string_view text, std::size_t at) {
  return at == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", at - 1);
}

/// True where a member's name ends at `last`, its `.` or `->` before it.
bool is_member(std::string_view text, std::size_t last) {
  std::size_t begin = last + 1;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  if (begin > last || (text[begin] >= '0' && text[begin] <= '9')) return false;
  const std::size_t sign = last_before(text, begin);
  if (sign == std::string_view::npos || sign == 0) return false;
  return text[sign] == '.' || (text[sign] == '>' && text[sign - 1] == '-');
}

}  // namespace

ReadableText readable_text(std::string_view text) {
  ReadableText readable{std::string(text)};
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::size_t end = std::min(text.find_first_not_of('<', at), text.size());
    const bool is_alone = end == at + 1 && (end == text.size() || text[end] != '=');
    const std::size_t last = last_before(text, at);
    if (is_alone && last != std::string_view::npos && is_member(text, last) && !opens_arguments(text, at)) {
      readable.text[at] = '>';
      readable.turned.push_back(at);
    }
    at = end;
  }
  static constexpr std::array<std::string_view, 3> unknown = {"__cluster_dims__", "__maxnreg__",
                                                              "__block_size__"};
  for (const std::string_view name : unknown)
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      const std::size_t open = text.find_first_not_of(" \t\r\n", at + name.size());
      if (open == std::string_view::npos || text[open] != '(') continue;
      const std::string_view behind = text.substr(open, longest_list);
      const std::size_t end = open + std::min(closing_bracket(behind) + 1, behind.size());
      for (std::size_t i = at; i < end; ++i)
        if (readable.text[i] != '\n') readable.text[i] = ' ';
    }
  return readable;
}

}  // namespace tune::described
