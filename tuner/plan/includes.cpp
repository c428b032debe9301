// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/includes.hpp"

#include <array>
#include <cstddef>

#include "tuner/plan/directives.hpp"

namespace tune {
namespace {

/// Skips spaces, continued lines and comments within a line.
std::size_t behind_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
    } else if (text.substr(at).starts_with("\\\n")) {
      at += 2;
    } else if (text.substr(at).starts_with("\\\r\n")) {
      at += 3;
    } else if (text.substr(at).starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      if (end == std::string_view::npos) return text.size();
      at = end + 2;
    } else {
      return at;
    }
  }
  return at;
}

/// Adds the file that is named at `at`: `<name>`, `"name"`, or a macro.
void add_name(std::string_view text, std::size_t at, Includes& found) {
  at = behind_spaces(text, at);
  if (at >= text.size()) return;
  const bool quoted = text[at] == '"';
  if (!quoted && text[at] != '<') {
    // Prose behind a `#` has several words or ends with the line.
    found.computed |= is_word(text[at]);
    return;
  }
  const std::size_t end = text.find_first_of(quoted ? "\"\n" : ">\n", at + 1);
  if (end == std::string_view::npos || text[end] == '\n') return;
  found.files.push_back({std::string(text.substr(at + 1, end - at - 1)), quoted});
}

}  // namespace

Includes includes_of(std::string_view text) {
  constexpr std::array<std::string_view, 4> directives = {"include", "include_next", "import", "embed"};
  constexpr std::string_view has_include = "__has_include";
  Includes found;
  for (std::size_t hash = text.find('#'); hash != std::string_view::npos; hash = text.find('#', hash + 1)) {
    const std::size_t at = behind_spaces(text, hash + 1);
    const std::string_view word = leading_word(text.substr(at));
    for (const std::string_view directive : directives)
      if (word == directive) add_name(text, at + word.size(), found);
  }
  for (std::size_t at = text.find(has_include); at != std::string_view::npos;
       at = text.find(has_include, at + 1)) {
    const std::size_t bracket = behind_spaces(text, at + leading_word(text.substr(at)).size());
    if (bracket < text.size() && text[bracket] == '(') add_name(text, bracket + 1, found);
  }
  return found;
}

}  // namespace tune
