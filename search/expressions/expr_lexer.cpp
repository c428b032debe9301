// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr_lexer.hpp"

#include <array>

#include "search/expressions/expr.hpp"

namespace tune::search {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Longer ones first: the first that fits is taken.
constexpr std::array<std::string_view, 29> operator_symbols = {
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "//", "<", ">", "!", "+", "-",
    "*",  "/",  "%",  "(",  ")",  "[",  "]",  ",",  "=",  "&",  "?", ":", "{", "}"};

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
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek()) || peek() == '.') ++at_;
      return take(ExprToken::Kind::name, begin);
    }
    for (const std::string_view symbol : operator_symbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      if (symbol == "=") fail("expected '==', found '='", begin);
      if (symbol == "&") fail("expected 'and', found '&'", begin);
      at_ += symbol.size();
      return take(ExprToken::Kind::symbol, begin);
    }
    fail(std::string("'") + peek() + "' does not belong in an expression", begin);
  }

  void digits() {
    while (is_digit(peek())) ++at_;
  }

  ExprToken number() {
    const std::size_t begin = at_;
    auto kind = ExprToken::Kind::integer;
    digits();
    if (peek() == '.') {
      kind = ExprToken::Kind::real;
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (is_digit(peek(sign))) {
        kind = ExprToken::Kind::real;
        at_ += sign;
        digits();
      }
    }
    if (is_letter(peek()) || peek() == '.') {
      fail("the number '" + std::string(text_.substr(begin, at_ - begin)) + "' runs into '" + peek() + "'",
           begin);
    }
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
