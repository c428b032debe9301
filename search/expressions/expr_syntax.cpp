// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr_syntax.hpp"

#include <algorithm>
#include <array>

namespace tune::search {

namespace {

using Op = Expr::Op;

constexpr std::array infix_table = {
    InfixOperator{"or", Op::logical_or, Binding::logical_or},
    InfixOperator{"||", Op::logical_or, Binding::logical_or},
    InfixOperator{"and", Op::logical_and, Binding::logical_and},
    InfixOperator{"&&", Op::logical_and, Binding::logical_and},
    InfixOperator{"<", Op::less, Binding::comparison},
    InfixOperator{"<=", Op::less_equal, Binding::comparison},
    InfixOperator{">", Op::greater, Binding::comparison},
    InfixOperator{">=", Op::greater_equal, Binding::comparison},
    InfixOperator{"==", Op::equal, Binding::comparison},
    InfixOperator{"!=", Op::not_equal, Binding::comparison},
    InfixOperator{"in", Op::in, Binding::comparison},
    InfixOperator{"not in", Op::not_in, Binding::comparison},
    InfixOperator{"|", Op::bit_or, Binding::bit_or},
    InfixOperator{"^", Op::bit_xor, Binding::bit_xor},
    InfixOperator{"&", Op::bit_and, Binding::bit_and},
    InfixOperator{"<<", Op::shift_left, Binding::shift},
    InfixOperator{">>", Op::shift_right, Binding::shift},
    InfixOperator{"+", Op::add, Binding::sum},
    InfixOperator{"-", Op::subtract, Binding::sum},
    InfixOperator{"*", Op::multiply, Binding::product},
    InfixOperator{"/", Op::divide, Binding::product},
    InfixOperator{"//", Op::floor_divide, Binding::product},
    InfixOperator{"%", Op::modulo, Binding::product},
    InfixOperator{"**", Op::power, Binding::power},
};

constexpr std::array<std::string_view, 12> keywords = {"and",  "or",  "not",  "in",    "is",   "if",
                                                       "else", "for", "True", "False", "true", "false"};

constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool continues_name(char c) {
  return starts_name(c) || is_digit(c) || c == '.';
}

}  // namespace

const InfixOperator* infix_operator(Expr::Op op) {
  const auto* found = std::ranges::find(infix_table, op, &InfixOperator::op);
  return found == infix_table.end() ? nullptr : found;
}

const InfixOperator* infix_operator(std::string_view text) {
  const auto* found = std::ranges::find(infix_table, text, &InfixOperator::text);
  return found == infix_table.end() ? nullptr : found;
}

std::string_view symbol(Expr::Op op) {
  if (const InfixOperator* infix = infix_operator(op)) return infix->text;
  switch (op) {
    case Op::negate:
      return "-";
    case Op::logical_not:
      return "not";
    case Op::minimum:
      return "min";
    case Op::maximum:
      return "max";
    case Op::absolute:
      return "abs";
    case Op::bit_not:
      return "~";
    case Op::round:
      return "round";
    case Op::log2:
      return "log2";
    case Op::common_divisor:
      return "gcd";
    case Op::conditional:
      return "if";
    case Op::list:
      return "[]";
    default:
      return "value";
  }
}

bool is_variable_name(std::string_view text) {
  if (text.empty() || !starts_name(text.front()) || !std::ranges::all_of(text, continues_name)) return false;
  return std::ranges::find(keywords, text) == keywords.end();
}

namespace {

/// Longer symbols come first: the first that fits is taken.
constexpr std::array<std::string_view, 32> operator_symbols = {
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "//", "<", ">", "!", "+", "-", "*",
    "/",  "%",  "(",  ")",  "[",  "]",  ",",  "=",  "&",  "|",  "^", "~", "?", ":", "{", "}"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<ExprToken> all() {
    std::vector<ExprToken> tokens;
    while (true) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        ++at_;
      tokens.push_back(next());
      if (tokens.back().kind == ExprToken::Kind::end) return tokens;
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t position) const {
    throw ExprError("column " + std::to_string(position + 1) + ": " + what, position + 1);
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  ExprToken take(ExprToken::Kind kind, std::size_t begin) const {
    return {kind, std::string(text_.substr(begin, at_ - begin)), begin + 1};
  }

  ExprToken next() {
    const std::size_t begin = at_;
    if (at_ == text_.size()) return {ExprToken::Kind::end, "", begin + 1};
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (peek() == '"' || peek() == '\'') return quoted();
    if (starts_name(peek())) {
      while (starts_name(peek()) || is_digit(peek()) || peek() == '.') ++at_;
      return take(ExprToken::Kind::name, begin);
    }
    for (const std::string_view symbol : operator_symbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      if (symbol == "=") fail("expected '==', found '='", begin);
      at_ += symbol.size();
      return take(ExprToken::Kind::symbol, begin);
    }
    fail(std::string("'") + peek() + "' does not belong in an expression", begin);
  }

  /// Digits, with single underscores between them.
  void digits() {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++at_;
  }

  /// Reads `0x1f`, `0b101` or `0o17`, at its 0; returns false where it is no such number.
  bool other_base() {
    const auto is_one_of = [this](std::string_view all) {
      return peek() != '\0' && all.find(peek()) != std::string_view::npos;
    };
    const std::size_t begin = at_;
    ++at_;
    const std::string_view known = is_one_of("xX")   ? "0123456789abcdefABCDEF"
                                   : is_one_of("bB") ? "01"
                                   : is_one_of("oO") ? "01234567"
                                                     : "";
    ++at_;
    if (!known.empty() && is_one_of(known)) {
      while (is_one_of(known)) ++at_;
      return true;
    }
    at_ = begin;
    return false;
  }

  ExprToken number() {
    const std::size_t begin = at_;
    auto kind = ExprToken::Kind::integer;
    const bool is_other = peek() == '0' && other_base();
    if (!is_other) digits();
    if (peek() == '.' && !is_other) {
      kind = ExprToken::Kind::real;
      ++at_;
      digits();
    }
    if ((peek() == 'e' || peek() == 'E') && !is_other) {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (is_digit(peek(sign))) {
        kind = ExprToken::Kind::real;
        at_ += sign;
        digits();
      }
    }
    if (starts_name(peek()) || peek() == '.')
      fail("the number '" + std::string(text_.substr(begin, at_ - begin)) + "' runs into '" + peek() + "'",
           begin);
    return take(kind, begin);
  }

  ExprToken quoted() {
    const std::size_t begin = at_;
    const char quote = peek();
    std::string content;
    for (++at_; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == quote) {
        ++at_;
        return {ExprToken::Kind::text, std::move(content), begin + 1};
      }
      if (c == '\\') {
        ++at_;
        c = peek();
        if (c == 'n') {
          c = '\n';
        } else if (c != '\\' && c != '"' && c != '\'') {
          fail("expected one of \\\\ \\\" \\' \\n after a backslash", at_ - 1);
        }
      }
      content += c;
    }
    fail(std::string("the text has no closing ") + quote, begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<ExprToken> split_expression(std::string_view text) {
  return Lexer(text).all();
}

}  // namespace tune::search
