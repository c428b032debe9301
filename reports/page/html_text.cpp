// SPDX-License-Identifier: Apache-2.0
#include "reports/page/html_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

/// Bytes of the UTF-8 character that begins here; 0 where there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Over-long forms, surrogates, and beyond the last character.
  if (length > 2 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)))
    return 0;
  return length;
}

/// Calls with the number of each character; with U+FFFD for a byte that is not UTF-8.
template<class Call>
void each_character(std::string_view text, Call call) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    char32_t letter = length == 1   ? static_cast<unsigned char>(text[0])
                      : length == 0 ? U'\xfffd'
                                    : static_cast<unsigned char>(text[0]) & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i)
      letter = (letter << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
    call(letter);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

void add_escaped(std::string& escaped, char letter) {
  static constexpr std::pair<char, std::string_view> entities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (const auto& [plain, entity] : entities)
    if (letter == plain) {
      escaped += entity;
      return;
    }
  escaped += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f ? ' ' : letter;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  each_character(text, [&](char32_t letter) {
    if (letter < 0x80)
      add_escaped(escaped, static_cast<char>(letter));
    else
      escaped += format("&#{};", static_cast<std::uint32_t>(letter));
  });
  return escaped;
}

std::string ascii_script(std::string_view script) {
  std::string ascii;
  each_character(script, [&](char32_t letter) {
    ascii += letter < 0x80 ? std::string(1, static_cast<char>(letter))
                           : format("\\u{:04x}", static_cast<std::uint32_t>(letter));
  });
  return ascii;
}

std::string script_text(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string typeset(std::string text) {
  const std::string_view micro = "\xc2\xb5";
  for (std::size_t at = text.find(" us"); at != std::string::npos; at = text.find(" us", at + 1)) {
    const bool ends =
        at + 3 == text.size() || std::string_view(" ,.;:)").find(text[at + 3]) != std::string::npos;
    const bool number = at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
    if (ends && number) text.replace(at + 1, 1, micro);
  }
  return text;
}

}  // namespace tune::reports
