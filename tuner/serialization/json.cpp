// SPDX-License-Identifier: Apache-2.0
#include "tuner/serialization/json.hpp"

#include <algorithm>

#include "tuner/base/format.hpp"

namespace tune {

std::string json_text(const nlohmann::ordered_json& json) {
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  std::string text = json.dump(2, ' ', false, replace) + "\n";
  return printable(text) == text ? text : json.dump(2, ' ', true, replace) + "\n";
}

namespace {

/// The token whose last byte, or one of whose bytes, is at `at`; at most about 20 bytes of it.
std::string token_at(std::string_view text, std::size_t at) {
  constexpr std::string_view ends = " \t\r\n,:{}[]\"";
  constexpr std::size_t longest = 20;
  std::size_t begin = at, end = at + 1;
  if (text[at] == '"') {
    const std::size_t opening = at == 0 ? text.npos : text.substr(0, at).rfind('"');
    if (opening != text.npos && text.substr(opening, at - opening).find('\n') == text.npos) begin = opening;
  } else if (ends.find(text[at]) == ends.npos) {
    while (begin > 0 && at - begin < longest && ends.find(text[begin - 1]) == ends.npos) --begin;
    while (end < text.size() && end - at < longest && ends.find(text[end]) == ends.npos) ++end;
  }
  return shortened(printable(std::string(text.substr(begin, end - begin))), longest);
}

}  // namespace

std::string json_mistake(std::string_view text, std::size_t byte) {
  const std::size_t at = byte == 0 ? 0 : byte - 1;
  if (at >= text.size()) return "it ends too early: a bracket or quote is not closed";
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '\n' || c == '\r') return "a text or a value is cut off at the end of the line: close its quote";
  if (c < 0x20 || c == 0x7f)
    return format("a control character (code {0}): write it as \\u{0:04x} within a text", c);
  if (c >= 0x80) return "a character outside of a text, or one that is not UTF-8: correct it";
  return format("'{}' cannot stand here: check the quotes, commas and brackets before it",
                token_at(text, at));
}

}  // namespace tune
