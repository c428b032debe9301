// SPDX-License-Identifier: Apache-2.0
// Only this file includes fmt's code as headers: so no compiled library of it is needed, which not every
// distribution has for static linking.
#define FMT_HEADER_ONLY
#include "tuner/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tune {

std::string formatted(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

namespace {

/// A character at the beginning of a text: how many bytes it has, and what stands for it.
struct Shown {
  std::size_t length = 1;
  char instead = '\0';  ///< nothing: the character itself
};

/// The number of bytes that follow the first byte of a character; nothing for a byte that cannot be the
/// first.
std::optional<std::size_t> bytes_after(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  if (first >= 0xf0 && first <= 0xf4) return 3;
  return std::nullopt;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

/// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
bool turns_direction(char32_t c) {
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

Shown shown(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const auto after = bytes_after(first);
  if (!after || *after >= text.size()) return {1, '?'};
  char32_t c = *after == 0 ? first : first & (0x3fU >> *after);
  for (std::size_t i = 1; i <= *after; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) return {1, '?'};
    c = (c << 6U) | (byte & 0x3fU);
  }
  return {*after + 1, is_control(c) || turns_direction(c) ? ' ' : '\0'};
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80;
}

}  // namespace

std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t head = longest * 3 / 4, tail = text.size() - longest / 4;
  while (head > 0 && continues_character(text[head])) --head;
  while (tail < text.size() && continues_character(text[tail])) ++tail;
  return text.substr(0, head) + " ... " + text.substr(tail);
}

std::string printable(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  const auto is_plain = [&text](std::size_t at) { return text[at] >= ' ' && text[at] < 0x7f; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_plain(end)) ++end;
    result.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const auto [length, instead] = shown(std::string_view(text).substr(at));
    if (instead == '\0' || text[at] == '\n' || text[at] == '\t')
      result.append(text, at, length);
    else
      result += instead;
    at += length;
  }
  return result;
}

std::string one_line(const std::string& text) {
  constexpr std::size_t longest = 2000, longest_word = 300;
  std::string whole = printable(text);
  std::ranges::replace(whole, '\n', ' ');
  std::ranges::replace(whole, '\t', ' ');
  std::string line;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find(' ', at), whole.size());
    line += shortened(whole.substr(at, end - at), longest_word);
    if (end < whole.size()) line += ' ';
    at = end + 1;
  }
  return shortened(line, longest);
}

std::string shell_quoted(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%") ==
          std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace tune
