// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// The only function that contains fmt's code: compiled into every file that formats, that code took three
/// quarters of their compile time.
std::string formatted(fmt::string_view text, fmt::format_args arguments);

/// Formats for the whole project; std::format replaces it once every supported compiler has that. Texts are
/// checked when they are compiled. An object, not a function: a call with a std::string would find
/// std::format too, where the library has it, and be ambiguous.
struct FormatFunction {
  template<class... Arguments>
  std::string operator()(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    return formatted(text, fmt::make_format_args(arguments...));
  }
};
inline constexpr FormatFunction format{};

/// Returns `a, b, c`: the parts, or what `text_of` returns for each of them, with a separator between them.
template<class Parts, class TextOf = std::identity>
std::string joined(const Parts& parts, const TextOf& text_of = {}, std::string_view separator = ", ") {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!std::exchange(first, false)) text += separator;
    text += format("{}", std::invoke(text_of, part));
  }
  return text;
}

/// Returns the text without its middle where it is longer than about `longest` bytes, for messages.
std::string shortened(const std::string& text, std::size_t longest = 200);

/// Returns the text as a terminal may show it: control characters other than line breaks and tabs, those of
/// U+0080 to U+009F and those that turn the direction of writing become spaces, bytes that are not UTF-8
/// question marks.
std::string printable(const std::string& text);

/// Returns one bounded line of printable text; words of more than 300 bytes are shortened.
std::string one_line(const std::string& text);

/// A word of a command, in quotes where a shell would split or expand it.
std::string shell_quoted(const std::string& word);

}  // namespace tune
