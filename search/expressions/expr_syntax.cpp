// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr_syntax.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

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
    InfixOperator{"+", Op::add, Binding::sum},
    InfixOperator{"-", Op::subtract, Binding::sum},
    InfixOperator{"*", Op::multiply, Binding::product},
    InfixOperator{"/", Op::divide, Binding::product},
    InfixOperator{"//", Op::floor_divide, Binding::product},
    InfixOperator{"%", Op::modulo, Binding::product},
    InfixOperator{"**", Op::power, Binding::power},
};

constexpr std::array<std::string_view, 10> keywords = {"and",  "or",   "not",   "in",   "if",
                                                       "else", "True", "False", "true", "false"};

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
    if (starts_name(peek())) {
      while (starts_name(peek()) || is_digit(peek()) || peek() == '.') ++at_;
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

namespace {

/// More than any expression in use, and far less than the stack holds.
constexpr std::size_t max_nesting = 200;

/// Operator-precedence parsing (V. R. Pratt, "Top down operator precedence", POPL 1973): `expression` reads
/// operators as long as they bind tightly enough for the place where it stands.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(split_expression(text)) {}

  Expr all() {
    Expr expr = expression(Binding::anything);
    if (token().kind != ExprToken::Kind::end) fail("expected an operator or the end");
    return expr;
  }

 private:
  const ExprToken& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  static std::string describe(const ExprToken& found) {
    if (found.kind == ExprToken::Kind::end) return "the end";
    return found.kind == ExprToken::Kind::text ? "the text '" + found.text + "'" : "'" + found.text + "'";
  }

  [[noreturn]] static void fail_at(const ExprToken& where, const std::string& what) {
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

  /// Makes a node whose errors name the column of its operator.
  static Expr node(const ExprToken& where, Op op, std::vector<Expr> operands) {
    try {
      return Expr::node(op, std::move(operands));
    } catch (const ExprError& error) {
      fail_at(where, error.what());
    }
  }

  Expr expression(Binding loosest) {
    if (++nesting_ > max_nesting)
      fail_at(token(), "nested more than " + std::to_string(max_nesting) + " deep");
    Expr left = prefix(loosest);
    while (true) {
      const ExprToken& where = token();
      if (where.is("if") && Binding::conditional >= loosest) {
        left = conditional(std::move(left));
        continue;
      }
      if (where.is("?") && where.kind == ExprToken::Kind::symbol && Binding::conditional >= loosest) {
        left = chosen_as_in_c(std::move(left));
        continue;
      }
      if ((where.is("<<") || where.is(">>")) && Binding::shift >= loosest) {
        left = shifted(std::move(left));
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
    const bool word = token().kind == ExprToken::Kind::symbol || token().kind == ExprToken::Kind::name;
    return word ? infix_operator(std::string_view(token().text)) : nullptr;
  }

  /// Reads `a < b <= c` as `a < b and b <= c`.
  Expr comparisons(Expr left) {
    std::optional<Expr> all;
    while (const InfixOperator* infix = peek_infix()) {
      if (infix->binding != Binding::comparison) break;
      const ExprToken& where = token();
      at_ += infix->op == Op::not_in ? 2 : 1;
      const bool membership = infix->op == Op::in || infix->op == Op::not_in;
      if (membership && token().is("range")) {
        Expr one = in_range(left);
        if (infix->op == Op::not_in) one = !std::move(one);
        all = all ? node(where, Op::logical_and, {*std::move(all), std::move(one)}) : std::move(one);
        break;
      }
      Expr right = membership ? list() : expression(tighter(Binding::comparison));
      Expr one = node(where, infix->op, {std::move(left), right});
      all = all ? node(where, Op::logical_and, {*std::move(all), std::move(one)}) : std::move(one);
      left = std::move(right);
    }
    return *std::move(all);
  }

  /// Reads `then if condition else otherwise`, after `then`.
  Expr conditional(Expr then) {
    const ExprToken& where = token();
    expect("if");
    Expr condition = expression(tighter(Binding::conditional));
    expect("else");
    Expr otherwise = expression(Binding::conditional);
    return node(where, Op::conditional, {std::move(condition), std::move(then), std::move(otherwise)});
  }

  /// Reads `condition ? then : otherwise`, after the condition.
  Expr chosen_as_in_c(Expr condition) {
    const ExprToken& where = token();
    expect("?");
    Expr then = expression(Binding::conditional);
    expect(":");
    Expr otherwise = expression(Binding::conditional);
    return node(where, Op::conditional, {std::move(condition), std::move(then), std::move(otherwise)});
  }

  /// Reads `a << b` and `a >> b` as products and quotients with powers of two.
  Expr shifted(Expr left) {
    const ExprToken& where = token();
    const Op op = where.is("<<") ? Op::multiply : Op::floor_divide;
    ++at_;
    Expr by = node(where, Op::power, {Expr(2), expression(tighter(Binding::shift))});
    return node(where, op, {std::move(left), std::move(by)});
  }

  /// Reads `value in range(begin, end, step)`, before the call.
  Expr in_range(const Expr& value) {
    const ExprToken& where = token();
    ++at_;
    expect("(");
    std::vector<Expr> bounds = items(")");
    if (bounds.empty() || bounds.size() > 3) fail_at(where, "range takes one to three numbers");
    if (bounds.size() == 1) bounds.insert(bounds.begin(), Expr(0));
    if (bounds.size() == 2) bounds.emplace_back(1);
    const Expr step = bounds[2];
    const Expr up = bounds[0] <= value && value < bounds[1] && (value - bounds[0]) % step == 0;
    const Expr down = bounds[0] >= value && value > bounds[1] && (bounds[0] - value) % -step == 0;
    if (step.op() != Op::literal) return if_else(step > 0, up, down);
    if (step.literal().is_text()) fail_at(where, "the step of a range is a number");
    if (step.literal().as_real() == 0) fail_at(where, "the step of a range cannot be 0");
    return step.literal().as_real() > 0 ? up : down;
  }

  Expr prefix(Binding loosest) {
    const ExprToken& where = token();
    if (where.is("not") || where.is("!")) {
      if (loosest > Binding::logical_not) fail("expected a value (put 'not ...' in parentheses here)");
      ++at_;
      return node(where, Op::logical_not, {expression(Binding::logical_not)});
    }
    if (where.is("+")) {
      ++at_;
      return expression(Binding::unary_minus);
    }
    if (where.is("-")) {
      ++at_;
      // A number with a sign is one literal, except in `-2 ** 2`, which is `-(2 ** 2)`.
      if (is_number(token()) && !token(1).is("**")) return number("-");
      return node(where, Op::negate, {expression(Binding::unary_minus)});
    }
    return primary();
  }

  static bool is_number(const ExprToken& token) {
    return token.kind == ExprToken::Kind::integer || token.kind == ExprToken::Kind::real;
  }

  Expr primary() {
    const ExprToken& where = token();
    if (is_number(where)) return number("");
    if (where.kind == ExprToken::Kind::text) {
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
    if (where.kind == ExprToken::Kind::name && token(1).is("(")) return call();
    if (where.kind != ExprToken::Kind::name || !is_variable_name(where.text)) fail("expected a value");
    ++at_;
    return Expr::variable(where.text);
  }

  Expr number(std::string_view sign) {
    const ExprToken& where = token();
    ++at_;
    const std::string text = std::string(sign) + where.text;
    const char* end = text.data() + text.size();
    if (where.kind == ExprToken::Kind::integer) {
      std::int64_t integer = 0;
      if (std::from_chars(text.data(), end, integer).ec == std::errc{}) return Expr(integer);
      fail_at(where, "'" + text + "' is beyond 64-bit integers");
    }
    double real = 0.0;
    if (std::from_chars(text.data(), end, real).ec == std::errc{}) return Expr(real);
    fail_at(where, "'" + text + "' is beyond real numbers");
  }

  /// Reads expressions separated by commas, up to `close`.
  std::vector<Expr> items(std::string_view close) {
    std::vector<Expr> result;
    if (accept(close)) return result;
    do {
      result.push_back(expression(Binding::anything));
    } while (accept(","));
    if (!accept(close)) fail("expected ',' or '" + std::string(close) + "'");
    return result;
  }

  /// Reads a list, a tuple or a set.
  Expr list() {
    const ExprToken& where = token();
    if (accept("(")) return node(where, Op::list, items(")"));
    if (accept("{")) return node(where, Op::list, items("}"));
    if (!accept("[")) fail("expected '[', '(' or 'range('");
    return node(where, Op::list, items("]"));
  }

  /// Returns the operands of a call; for `min([a, b])` those in the list.
  std::vector<Expr> operands() {
    const bool listed = token().is("[") || (token().is("(") && is_tuple());
    if (!listed) return items(")");
    const std::string close = token().is("[") ? "]" : ")";
    ++at_;
    std::vector<Expr> inner = items(close);
    expect(")");
    return inner;
  }

  /// True when a comma stands on the first level of the brackets that open here.
  bool is_tuple() const {
    int depth = 0;
    for (std::size_t ahead = 0; token(ahead).kind != ExprToken::Kind::end; ++ahead) {
      const ExprToken& one = token(ahead);
      if (one.kind != ExprToken::Kind::symbol) continue;
      depth += one.is("(") || one.is("[") ? 1 : one.is(")") || one.is("]") ? -1 : 0;
      if (depth == 0) return false;
      if (depth == 1 && one.is(",")) return true;
    }
    return false;
  }

  Expr call() {
    const ExprToken& where = token();
    at_ += 2;
    std::string name = where.text;
    for (const std::string_view module : {"math.", "np.", "numpy."})
      if (name.starts_with(module)) name.erase(0, module.size());
    std::vector<Expr> given = operands();
    if (name == "min") return node(where, Op::minimum, std::move(given));
    if (name == "max") return node(where, Op::maximum, std::move(given));
    if (name == "abs") return node(where, Op::absolute, std::move(given));
    if (name == "len") return Expr(static_cast<std::int64_t>(given.size()));
    if (name == "sum" || name == "any" || name == "all") {
      const Op op = name == "sum" ? Op::add : name == "any" ? Op::logical_or : Op::logical_and;
      Expr all = name == "sum" ? Expr(0) : Expr(name == "all");
      for (Expr& one : given) all = node(where, op, {std::move(all), std::move(one)});
      return all;
    }
    const std::size_t wanted = name == "ceil_div" || name == "pow" ? 2 : 1;
    const std::size_t found = given.size();
    if (found == wanted)
      if (auto called = built(where, name, std::move(given))) return *std::move(called);
    static constexpr std::string_view known[] = {"ceil_div", "pow",   "int",  "float",
                                                 "bool",     "floor", "ceil", "sqrt"};
    if (std::ranges::find(known, name) == std::end(known))
      fail_at(where, "expected min, max, abs or ceil_div, found '" + where.text + "'");
    fail_at(where, "'" + where.text + "' does not take " + std::to_string(found) + " operands");
  }

  /// Builds functions from other operations; returns nothing for an unknown function.
  static std::optional<Expr> built(const ExprToken& where, const std::string& name, std::vector<Expr> given) {
    const Expr first = given.front();
    const auto floor = [&](Expr value) { return node(where, Op::floor_divide, {std::move(value), Expr(1)}); };
    const auto ceil = [&](const Expr& value) { return node(where, Op::negate, {floor(-value)}); };
    if (name == "ceil_div") return ceil_div(first, given[1]);
    if (name == "pow") return node(where, Op::power, {first, given[1]});
    if (name == "floor") return floor(first);
    if (name == "ceil") return ceil(first);
    if (name == "int") return if_else(first >= 0, floor(first), ceil(first));
    if (name == "float") return node(where, Op::multiply, {first, Expr(1.0)});
    if (name == "bool") return !!first;
    if (name == "sqrt") return node(where, Op::power, {first, Expr(0.5)});
    return std::nullopt;
  }

  std::vector<ExprToken> tokens_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
};

}  // namespace

Expr Expr::parse(std::string_view text) {
  return Parser(text).all();
}

}  // namespace tune::search
