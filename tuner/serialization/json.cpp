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

std::string json_mistake(std::string_view text, std::size_t byte) {
  const std::size_t at = byte == 0 ? 0 : byte - 1;
  if (at >= text.size()) return "it ends too early: a bracket or quote is not closed";
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '\n' || c == '\r') return "a text or a value is cut off at the end of the line: close its quote";
  if (c < 0x20 || c == 0x7f)
    return format("a control character (code {0}): write it as \\u{0:04x} within a text", c);
  if (c >= 0x80) return "a character outside of a text, or one that is not UTF-8: correct it";
  constexpr std::size_t longest = 24;  // of the line up to this byte
  std::size_t begin = at;
  while (begin > 0 && at - begin < longest && text[begin - 1] != '\n') --begin;
  return format("it goes wrong at the end of '{}': check the quotes, commas and brackets there",
                printable(std::string(text.substr(begin, at + 1 - begin))));
}

}  // namespace tune
