// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/text_style.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// The length of the colour with which the text begins; 0 where it begins with none.
std::size_t colour_length(std::string_view text) {
  for (const std::string_view code : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"})
    if (text.starts_with(code)) return code.size();
  return 0;
}

/// Where the character at `at` ends.
std::size_t character_end(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80) ++at;
  return at;
}

/// Splits at spaces, but not between single quotes, so that a quoted command can be copied. An apostrophe
/// does not count as a quote.
std::vector<std::string> words_to_wrap(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char letter : text) {
    if (letter == '\'' && (quoted || word.empty() || word.back() == '(')) quoted = !quoted;
    if (letter != ' ' || quoted) {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::string TextStyle::in(std::string_view code, std::string_view text) const {
  return colours && !text.empty() ? format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string TextStyle::shortened(std::string_view text, std::size_t columns) const {
  if (shown_width(text) <= columns) return std::string(text);
  const std::string_view ellipsis = unicode ? "\u2026" : "..";
  const std::size_t needed = shown_width(ellipsis);
  return columns <= needed ? cut_to(text, columns) : cut_to(text, columns - needed) + std::string(ellipsis);
}

std::string TextStyle::bar(double share, std::size_t columns) const {
  static constexpr std::array<std::string_view, 8> parts = {"",       "\u258f", "\u258e", "\u258d",
                                                            "\u258c", "\u258b", "\u258a", "\u2589"};
  const double size = std::clamp(share, 0.0, 1.0) * static_cast<double>(columns);
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(size)), '#');
  const auto eighths = static_cast<std::size_t>(std::lround(size * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "\u2588";
  return text + std::string(parts.at(eighths % 8));
}

std::size_t shown_width(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t colour = colour_length(text.substr(at)); colour > 0) {
      at += colour;
      continue;
    }
    at = character_end(text, at);
    ++count;
  }
  return count;
}

std::string cut_to(std::string_view text, std::size_t columns) {
  bool coloured = false;
  std::size_t count = 0, at = 0;
  while (at < text.size()) {
    if (const std::size_t colour = colour_length(text.substr(at)); colour > 0) {
      coloured = text.substr(at, colour) != "\x1b[0m";
      at += colour;
      continue;
    }
    if (count == columns) break;
    at = character_end(text, at);
    ++count;
  }
  return std::string(text.substr(0, at)) + (at < text.size() && coloured ? "\x1b[0m" : "");
}

std::string padded_to(std::string_view text, std::size_t columns) {
  const std::size_t width = shown_width(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string printable_with_colours(const std::string& text) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at + 1)) {
    const std::size_t colour = colour_length(std::string_view(text).substr(at));
    if (colour == 0) continue;
    result += printable(text.substr(begin, at - begin)) + text.substr(at, colour);
    begin = at + colour;
  }
  return result + printable(text.substr(begin));
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string all;
  std::size_t column = indent;
  for (const std::string& word : words_to_wrap(text)) {
    const std::size_t size = shown_width(word);
    if (column > indent && column + 1 + size > width) {
      all += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      all += ' ';
      ++column;
    }
    all += word;
    column += size;
  }
  return all;
}

}  // namespace tune
