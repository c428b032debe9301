// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/directives.hpp"

#include <algorithm>
#include <cstddef>

namespace tune {
namespace {

constexpr std::string_view spaces = " \t\r\n\v\f";

}  // namespace

bool is_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         (letter >= '0' && letter <= '9');
}

std::string_view leading_word(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

bool has_word(std::string_view text, const std::set<std::string, std::less<>>& words) {
  while (!text.empty()) {
    const std::string_view word = leading_word(text);
    if (words.contains(word)) return true;
    text.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::optional<Directive> directive_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  const std::string_view name = leading_word(line), rest = trimmed(line.substr(name.size()));
  return Directive{name, leading_word(rest), rest};
}

std::string_view included_name(std::string_view rest) {
  if (rest.empty() || (rest.front() != '"' && rest.front() != '<')) return {};
  const std::size_t end = rest.find(rest.front() == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
}

}  // namespace tune
