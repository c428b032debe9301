// SPDX-License-Identifier: Apache-2.0
// Only this file includes fmt's code as headers: so no compiled library of it is needed, which not every
// distribution has for static linking.
#define FMT_HEADER_ONLY
#include "tuner/base/format.hpp"

#include <fmt/format.h>

namespace tune {

std::string formatted(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

namespace {

/// The length of a character at the beginning that a terminal may obey, or 0: a control character, U+0080 to
/// U+009F, or one that turns the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069).
std::size_t control_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && within(1, 0x80, 0x9f)) return 2;
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;
  if (byte(0) != 0xe2) return 0;
  if (byte(1) == 0x80 && (within(2, 0x8e, 0x8f) || within(2, 0xaa, 0xae))) return 3;
  return byte(1) == 0x81 && within(2, 0xa6, 0xa9) ? 3 : 0;
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

std::string one_line(const std::string& text) {
  constexpr std::size_t longest = 2000;
  const std::string bounded = shortened(text, longest);
  std::string line;
  for (std::size_t at = 0; at < bounded.size();) {
    const std::size_t length = control_length(std::string_view(bounded).substr(at));
    line += length == 0 ? bounded[at] : ' ';
    at += length == 0 ? 1 : length;
  }
  return line;
}

}  // namespace tune
