// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tune {

/// A directive of the preprocessor: `#define BLOCK 64` has the name `define`, the word `BLOCK` and the rest
/// `BLOCK 64`.
struct Directive {
  std::string_view name;
  std::string_view word;  ///< the identifier behind the name; empty where there is none
  std::string_view rest;  ///< all behind the name, without spaces around it
};

/// Reads a line of source. Nothing for a line that is no directive. Comments and continued lines are not
/// recognised. Takes linear time and no stack: lines of generated sources may have millions of characters,
/// for which std::regex overflows the stack.
std::optional<Directive> directive_of(std::string_view line);

/// The name in `"name"` or `<name>` at the beginning of `rest`; empty where there is none.
std::string_view included_name(std::string_view rest);

/// True for letters, digits and `_`.
bool is_word(char letter);

/// The longest identifier, or number, at the beginning of the text.
std::string_view leading_word(std::string_view text);

/// True where one of these identifiers stands in the text.
bool has_word(std::string_view text, const std::set<std::string, std::less<>>& words);

/// The text without spaces and line breaks around it.
std::string_view trimmed(std::string_view text);

/// Removes and returns the text up to the next line break, which goes too.
std::string_view next_line(std::string_view& text);

}  // namespace tune
