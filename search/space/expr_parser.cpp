// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "search/space/expr.hpp"
#include "search/space/expr_lexer.hpp"
#include "search/space/expr_syntax.hpp"

namespace tune::search {

namespace {

using Op = Expr::Op;

/// Far more than people write, and far less than the stack holds.
constexpr std::size_t kMaxNesting = 200;

/// Operator-precedence parsing (V. R. Pratt, "Top down operator precedence", POPL 1973): `expression` reads
/// operators as long as they bind tightly enough for the place where it stands.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(split_expression(text)) {}

  Expr all() {
    Expr expr = expression(Binding::anything);
    if (token().kind != Token::Kind::end) fail("expected an operator or the end");
    return expr;
  }

 private:
  const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  static std::string describe(const Token& found) {
    if (found.kind == Token::Kind::end) return "the end";
    return found.kind == Token::Kind::text ? "the text '" + found.text + "'" : "'" + found.text + "'";
  }

  [[noreturn]] static void fail_at(const Token& where, const std::string& what) {
    throw ExprError("column " + std::to_string(where.column) + ": " + what, where.column);
  }

  [[noreturn]] void fail(const std::string& expected) const {
    fail_at(token(), expected + ", found " + describe(token()));
  }

  bool accept(std::string_view wanted) {
    if (!token().is(wanted)) return false;
    ++at_;
    return true;
  }

  void expect(std::string_view wanted) {
    if (!accept(wanted)) fail("expected '" + std::string(wanted) + "'");
  }

  /// A node whose errors name the column of its operator.
  static Expr node(const Token& where, Op op, std::vector<Expr> operands) {
    try {
      return Expr::node(op, std::move(operands));
    } catch (const ExprError& error) {
      fail_at(where, error.what());
    }
  }

  Expr expression(Binding loosest) {
    if (++nesting_ > kMaxNesting)
      fail_at(token(), "nested more than " + std::to_string(kMaxNesting) + " deep");
    Expr left = prefix(loosest);
    while (true) {
      const Token& where = token();
      if (where.is("if") && Binding::conditional >= loosest) {
        left = conditional(std::move(left));
        continue;
      }
      const InfixOperator* infix = peek_infix();
      if (infix == nullptr || infix->binding < loosest) break;
      if (infix->binding == Binding::comparison) {
        left = comparisons(std::move(left));
        continue;
      }
      ++at_;
      const Binding right = infix->binding == Binding::power ? Binding::unary_minus : tighter(infix->binding);
      Expr operand = expression(right);
      left = node(where, infix->op, {std::move(left), std::move(operand)});
    }
    --nesting_;
    return left;
  }

  const InfixOperator* peek_infix() const {
    if (token().is("not")) return token(1).is("in") ? infix_operator(Op::not_in) : nullptr;
    const bool word = token().kind == Token::Kind::symbol || token().kind == Token::Kind::name;
    return word ? infix_operator(std::string_view(token().text)) : nullptr;
  }

  /// `a < b <= c` means `a < b and b <= c`.
  Expr comparisons(Expr left) {
    std::optional<Expr> all;
    while (const InfixOperator* infix = peek_infix()) {
      if (infix->binding != Binding::comparison) break;
      const Token& where = token();
      at_ += infix->op == Op::not_in ? 2 : 1;
      const bool membership = infix->op == Op::in || infix->op == Op::not_in;
      Expr right = membership ? list() : expression(tighter(Binding::comparison));
      Expr one = node(where, infix->op, {std::move(left), right});
      all = all ? node(where, Op::logical_and, {*std::move(all), std::move(one)}) : std::move(one);
      left = std::move(right);
    }
    return *std::move(all);
  }

  /// `then if condition else otherwise`, after `then`.
  Expr conditional(Expr then) {
    const Token& where = token();
    expect("if");
    Expr condition = expression(tighter(Binding::conditional));
    expect("else");
    Expr otherwise = expression(Binding::conditional);
    return node(where, Op::conditional, {std::move(condition), std::move(then), std::move(otherwise)});
  }

  Expr prefix(Binding loosest) {
    const Token& where = token();
    if (where.is("not") || where.is("!")) {
      if (loosest > Binding::logical_not) fail("expected a value (put 'not ...' in parentheses here)");
      ++at_;
      return node(where, Op::logical_not, {expression(Binding::logical_not)});
    }
    if (where.is("-")) {
      ++at_;
      // A number with a sign is one literal, except in `-2 ** 2`, which is `-(2 ** 2)`.
      if (is_number(token()) && !token(1).is("**")) return number("-");
      return node(where, Op::negate, {expression(Binding::unary_minus)});
    }
    return primary();
  }

  static bool is_number(const Token& token) {
    return token.kind == Token::Kind::integer || token.kind == Token::Kind::real;
  }

  Expr primary() {
    const Token& where = token();
    if (is_number(where)) return number("");
    if (where.kind == Token::Kind::text) {
      ++at_;
      return Expr(where.text);
    }
    if (accept("(")) {
      Expr inner = expression(Binding::anything);
      expect(")");
      return inner;
    }
    if (accept("True") || accept("true")) return Expr(true);
    if (accept("False") || accept("false")) return Expr(false);
    if (where.kind == Token::Kind::name && token(1).is("(")) return call();
    if (where.kind != Token::Kind::name || !is_variable_name(where.text)) fail("expected a value");
    ++at_;
    return Expr::variable(where.text);
  }

  Expr number(std::string_view sign) {
    const Token& where = token();
    ++at_;
    const std::string text = std::string(sign) + where.text;
    const char* end = text.data() + text.size();
    if (where.kind == Token::Kind::integer) {
      std::int64_t integer = 0;
      if (std::from_chars(text.data(), end, integer).ec == std::errc{}) return Expr(integer);
      fail_at(where, "'" + text + "' is beyond 64-bit integers");
    }
    double real = 0.0;
    if (std::from_chars(text.data(), end, real).ec == std::errc{}) return Expr(real);
    fail_at(where, "'" + text + "' is beyond real numbers");
  }

  /// Expressions separated by commas, up to `close`.
  std::vector<Expr> items(std::string_view close) {
    std::vector<Expr> result;
    if (accept(close)) return result;
    do {
      result.push_back(expression(Binding::anything));
    } while (accept(","));
    if (!accept(close)) fail("expected ',' or '" + std::string(close) + "'");
    return result;
  }

  Expr list() {
    const Token& where = token();
    expect("[");
    return node(where, Op::list, items("]"));
  }

  Expr call() {
    const Token& where = token();
    at_ += 2;
    if (where.text == "min") return node(where, Op::minimum, items(")"));
    if (where.text == "max") return node(where, Op::maximum, items(")"));
    if (where.text == "abs") return node(where, Op::absolute, items(")"));
    if (where.text != "ceil_div")
      fail_at(where, "expected min, max, abs or ceil_div, found '" + where.text + "'");
    std::vector<Expr> operands = items(")");
    if (operands.size() != 2) {
      fail_at(where, "'ceil_div' does not take " + std::to_string(operands.size()) + " operands");
    }
    return ceil_div(std::move(operands[0]), std::move(operands[1]));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
};

}  // namespace

Expr Expr::parse(std::string_view text) {
  return Parser(text).all();
}

}  // namespace tune::search
