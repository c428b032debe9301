// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::search {

/// A word of an expression's text.
struct ExprToken {
  enum class Kind { integer, real, text, name, symbol, end };

  Kind kind = Kind::end;
  std::string text;        ///< as written, but a text without quotes and escapes
  std::size_t column = 1;  ///< of its first character (byte), from 1

  /// Whether it is this operator, bracket or keyword.
  bool is(std::string_view wanted) const {
    return (kind == Kind::symbol || kind == Kind::name) && text == wanted;
  }
};

/// Splits an expression; the last token is the end. Throws ExprError with the column of a character that does
/// not belong, a text that does not end, or a number that runs into a name.
std::vector<ExprToken> split_expression(std::string_view text);

}  // namespace tune::search
