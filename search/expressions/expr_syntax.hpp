// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "search/expressions/expr.hpp"

namespace tune::search {

/// How tightly things bind, loosest first; the parser and the printer share it so that they cannot disagree.
/// As in Python: `not` binds looser than a comparison, unary minus looser than `**` on its right.
enum class Binding {
  anything,
  conditional,
  logical_or,
  logical_and,
  logical_not,
  comparison,
  bit_or,
  bit_xor,
  bit_and,
  shift,
  sum,
  product,
  unary_minus,
  power,
  primary,
};

/// Returns the next tighter one.
constexpr Binding tighter(Binding binding) {
  return static_cast<Binding>(static_cast<int>(binding) + 1);
}

/// An operator between two operands.
struct InfixOperator {
  std::string_view text;
  Expr::Op op;
  Binding binding;
};

/// Returns its line of the table, or null where it is not an infix operator.
const InfixOperator* infix_operator(Expr::Op op);
const InfixOperator* infix_operator(std::string_view text);

/// Returns its spelling: `<=`, `and`, `min`.
std::string_view symbol(Expr::Op op);

/// True when it can name a variable: a letter or `_`, then letters, digits, `_` and `.`, and not a keyword.
bool is_variable_name(std::string_view text);

/// A word of an expression's text.
struct ExprToken {
  enum class Kind { integer, real, text, name, symbol, end };

  Kind kind = Kind::end;
  std::string text;        ///< as written, but a text without quotes and escapes
  std::size_t column = 1;  ///< of its first character (byte), from 1

  /// True when it is this whole number.
  bool is_number(std::string_view wanted) const { return kind == Kind::integer && text == wanted; }
  /// True when it is this operator, bracket or keyword.
  bool is(std::string_view wanted) const {
    return (kind == Kind::symbol || kind == Kind::name) && text == wanted;
  }
};

/// Splits an expression; the last token is the end. Throws ExprError with the column of a character that does
/// not belong, a text that does not end, or a number that runs into a name.
std::vector<ExprToken> split_expression(std::string_view text);

}  // namespace tune::search
