// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "search/expressions/expr_lists.hpp"
#include "search/expressions/expr_syntax.hpp"

namespace tune::search {

namespace {

using Op = Expr::Op;

/// More than any expression in use, and far less than the stack holds.
constexpr std::size_t max_nesting = 200;
constexpr std::size_t max_comprehended = 1'000;

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
      if (where.is("is") && Binding::comparison >= loosest) {
        left = Expr(is_not_none());
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
      if (membership && token().is("range") && !is_sliced_call()) {
        Expr one = in_range(left);
        if (infix->op == Op::not_in) one = !std::move(one);
        all = all ? node(where, Op::logical_and, {*std::move(all), std::move(one)}) : std::move(one);
        break;
      }
      Expr right = membership ? node(where, Op::list, sequence()) : expression(tighter(Binding::comparison));
      std::optional<Expr> complete =
          infix->op == Op::equal ? complete_length(lengths_, left, right) : std::nullopt;
      Expr one = complete ? *std::move(complete) : node(where, infix->op, {std::move(left), right});
      all = all ? node(where, Op::logical_and, {*std::move(all), std::move(one)}) : std::move(one);
      left = std::move(right);
    }
    return *std::move(all);
  }

  /// Reads `is None` or `is not None`: what has a value is never None.
  bool is_not_none() {
    expect("is");
    const bool negated = accept("not");
    if (!accept("None")) fail("expected 'None' behind 'is'");
    return negated;
  }

  Expr equal_items(const ExprToken& where, const std::vector<Expr>& left, const std::vector<Expr>& right) {
    if (left.size() != right.size()) return Expr(false);
    Expr all(true);
    for (std::size_t i = 0; i < left.size(); ++i)
      all = node(where, Op::logical_and, {std::move(all), left[i] == right[i]});
    return all;
  }

  /// Reads `== [1, 2]` or `!= (1, 2)` behind a list or tuple.
  Expr compared_items(const ExprToken& where, const std::vector<Expr>& left) {
    const bool negated = token().is("!=");
    ++at_;
    Expr equal = equal_items(where, left, sequence());
    return negated ? !std::move(equal) : equal;
  }
  bool at_equality() const { return token().is("==") || token().is("!="); }

  /// Reads `(a, b) in [(1, 2), (3, 4)]` or `(a, b) == (1, 2)`, before its first bracket.
  Expr tuple_in() {
    const ExprToken& where = token();
    expect("(");
    const std::vector<Expr> left = items(")");
    if (at_equality()) return compared_items(where, left);
    const bool negated = accept("not");
    if (!accept("in")) fail("expected 'in', '==' or '!=' behind a tuple");
    if (!accept("[") && !accept("(")) fail("expected a list of tuples");
    Expr any(false);
    bool first = true;
    while (!accept("]") && !accept(")")) {
      if (!first) expect(",");
      first = false;
      if (token().is("]") || token().is(")")) continue;
      expect("(");
      any = node(where, Op::logical_or, {std::move(any), equal_items(where, left, items(")"))});
    }
    return negated ? !std::move(any) : any;
  }

  /// Reads `[a, b, c][index]`, before its first bracket.
  Expr subscripted_list() {
    const ExprToken& where = token();
    const std::vector<Expr> all = sequence();
    if (at_equality()) return compared_items(where, all);
    if (!token().is("["))
      fail_at(where,
              "a list can only stand right of 'in', before a subscript, or in a comparison with a list");
    expect("[");
    const Expr index = expression(Binding::anything);
    expect("]");
    // A text where a number is needed is an error when it is reached.
    Expr chosen = -Expr("a subscript beyond the list");
    for (std::size_t i = all.size(); i-- > 0;) {
      const auto place = static_cast<std::int64_t>(i), size = static_cast<std::int64_t>(all.size());
      chosen =
          node(where, Op::conditional, {index == Expr(place) || index == Expr(place - size), all[i], chosen});
    }
    return chosen;
  }

  /// Reads `for name in list if condition` behind the expression of a comprehension, and returns its values.
  /// With a condition over parameters `otherwise` stands for what is left out; nothing: that is an error.
  std::vector<Expr> comprehended(const Expr& each, const std::optional<Expr>& otherwise) {
    expect("for");
    const ExprToken& name = token();
    if (name.kind != ExprToken::Kind::name || !is_variable_name(name.text))
      fail("expected a name behind 'for'");
    ++at_;
    expect("in");
    const std::vector<Expr> values = sequence();
    std::optional<Expr> condition;
    if (accept("if")) condition = expression(tighter(Binding::conditional));
    std::vector<Expr> all;
    for (const Expr& value : values) {
      Expr one = substituted(each, name.text, value);
      const std::optional<Expr> kept =
          condition ? std::optional(substituted(*condition, name.text, value)) : std::nullopt;
      if (kept && kept->variables().empty()) {
        if (!kept->evaluate([](std::string_view) { return nullptr; }).as_bool()) continue;
      } else if (kept) {
        if (!otherwise)
          fail_at(name,
                  "a comprehension with an 'if' over parameters can only stand in any, all, sum and len");
        one = if_else(*kept, std::move(one), *otherwise);
      }
      all.push_back(std::move(one));
    }
    return all;
  }

  /// Reads lists, tuples, sets and constant ranges with their slices, joined by `+`.
  std::vector<Expr> sequence(const std::optional<Expr>& otherwise = std::nullopt) {
    std::vector<Expr> all = sliced(otherwise);
    while (accept("+"))
      for (Expr& one : sliced(otherwise)) all.push_back(std::move(one));
    return all;
  }

  std::vector<Expr> sliced(const std::optional<Expr>& otherwise) {
    std::vector<Expr> all;
    if (accept("[")) {
      all = items("]", otherwise);
    } else if (accept("(")) {
      all = items(")", otherwise);
    } else if (accept("{")) {
      all = items("}", otherwise);
    } else if (token().is("range") && token(1).is("(")) {
      all = constant_range();
    } else if (is_copy()) {
      at_ += 2;
      if (!token().is(")")) all = sequence(otherwise);
      expect(")");
    } else {
      fail("expected a list: '[', '(', '{' or range(...)");
    }
    while (token().is("[") && stands_on_first_level(":")) all = slice(all);
    return all;
  }

  /// True at `list(`, `tuple(` and `set(`.
  bool is_copy() const {
    return (token().is("list") || token().is("tuple") || token().is("set")) && token(1).is("(");
  }

  /// Reads `[first:last:step]`, before its bracket, with Python's meaning.
  std::vector<Expr> slice(const std::vector<Expr>& all) {
    const ExprToken& where = token();
    expect("[");
    std::optional<std::int64_t> bounds[3];
    for (std::size_t i = 0; i < 3; ++i) {
      if (!token().is(":") && !token().is("]")) bounds[i] = constant(where, expression(Binding::anything));
      if (!accept(":")) break;
    }
    expect("]");
    const std::int64_t step = bounds[2].value_or(1), size = static_cast<std::int64_t>(all.size());
    if (step == 0) fail_at(where, "the step of a slice cannot be 0");
    const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    const auto place = [&](std::optional<std::int64_t> bound, std::int64_t standard) {
      if (!bound) return standard;
      return std::clamp(*bound < 0 ? *bound + size : *bound, lowest, highest);
    };
    const std::int64_t last = place(bounds[1], step > 0 ? highest : lowest);
    std::vector<Expr> kept;
    for (std::int64_t i = place(bounds[0], step > 0 ? lowest : highest); step > 0 ? i < last : i > last;) {
      kept.push_back(all[static_cast<std::size_t>(i)]);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    return kept;
  }

  std::int64_t constant(const ExprToken& where, const Expr& expr) {
    if (!expr.variables().empty()) fail_at(where, "a list cannot depend on parameters in its length");
    const Value value = expr.evaluate([](std::string_view) { return nullptr; });
    if (!value.is_int()) fail_at(where, "expected whole numbers");
    return value.as_int();
  }

  std::vector<Expr> constant_range() {
    const ExprToken& where = token();
    at_ += 2;
    std::vector<std::int64_t> bounds;
    for (const Expr& bound : items(")")) bounds.push_back(constant(where, bound));
    if (bounds.empty() || bounds.size() > 3) fail_at(where, "range takes one to three numbers");
    if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
    if (bounds.size() == 2) bounds.push_back(1);
    if (bounds[2] == 0) fail_at(where, "the step of a range cannot be 0");
    std::vector<Expr> all;
    for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
      all.emplace_back(i);
      if (all.size() > max_comprehended) fail_at(where, "a range of more than 1000 numbers");
    }
    return all;
  }

  static Expr substituted(const Expr& expr, const std::string& name, const Expr& value) {
    if (expr.op() == Op::variable) return expr.name() == name ? value : expr;
    if (expr.operands().empty()) return expr;
    std::vector<Expr> operands;
    for (const Expr& operand : expr.operands()) operands.push_back(substituted(operand, name, value));
    return Expr::node(expr.op(), std::move(operands));
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
    if (where.is("~")) {
      ++at_;
      return node(where, Op::bit_not, {expression(Binding::unary_minus)});
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
    if (where.is("(") && stands_on_first_level(",")) return tuple_in();
    if (where.is("[")) return subscripted_list();
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

  /// Reads expressions separated by commas, `*list` and comprehensions, up to `close`. `otherwise`: see
  /// comprehended.
  std::vector<Expr> items(std::string_view close, const std::optional<Expr>& otherwise = std::nullopt) {
    std::vector<Expr> all;
    while (!accept(close)) {
      if (accept("*")) {
        for (Expr& one : sequence(otherwise)) all.push_back(std::move(one));
      } else {
        Expr one = expression(Binding::anything);
        if (all.empty() && token().is("for"))
          all = comprehended(one, otherwise);
        else
          all.push_back(std::move(one));
      }
      if (all.size() > max_comprehended) fail("a list of more than 1000 values");
      if (!accept(",") && !token().is(close)) fail("expected ',' or '" + std::string(close) + "'");
    }
    return all;
  }

  /// Returns the operands of a call; for `min([a, b])` those in the list. `otherwise`: see comprehended.
  std::vector<Expr> operands(const std::optional<Expr>& otherwise) {
    if (!is_only_sequence()) return items(")", otherwise);
    const ExprToken& where = token();
    const bool is_set = where.is("{") || where.is("set");
    std::vector<Expr> all = sequence(otherwise);
    if (is_set && otherwise && !otherwise->literal().is_bool()) all = distinct(all, *otherwise);
    accept(",");
    expect(")");
    return all;
  }

  /// True where a list or the like stands, alone up to the next bracket that closes.
  bool is_only_sequence() const {
    if ((token().is("range") && token(1).is("(")) || is_copy()) return true;
    if (!token().is("[") && !token().is("{") && !(token().is("(") && stands_on_first_level(",")))
      return false;
    const std::size_t behind = bracketed(0);
    const ExprToken& next = token(behind);
    return next.is(")") || next.is(",") || next.is("+") ||
           (next.is("[") && stands_on_first_level(":", behind));
  }

  /// Returns how many tokens the brackets have that open at `begin`, with these.
  std::size_t bracketed(std::size_t begin) const {
    std::size_t ahead = begin;
    for (int depth = 0; token(ahead).kind != ExprToken::Kind::end; ++ahead) {
      depth += nesting_of(token(ahead));
      if (depth == 0) return ahead - begin + 1;
    }
    return ahead - begin;
  }

  static int nesting_of(const ExprToken& token) {
    if (token.kind != ExprToken::Kind::symbol) return 0;
    if (token.is("(") || token.is("[") || token.is("{")) return 1;
    return token.is(")") || token.is("]") || token.is("}") ? -1 : 0;
  }

  /// True when the symbol stands on the first level of the brackets that open at `ahead`.
  bool stands_on_first_level(std::string_view symbol, std::size_t ahead = 0) const {
    for (int depth = 0; token(ahead).kind != ExprToken::Kind::end; ++ahead) {
      depth += nesting_of(token(ahead));
      if (depth == 0) return false;
      if (depth == 1 && token(ahead).kind == ExprToken::Kind::symbol && token(ahead).is(symbol)) return true;
    }
    return false;
  }

  /// True at `range(...)[`.
  bool is_sliced_call() const {
    const ExprToken& next = token(1 + bracketed(1));
    return next.is("[") || next.is("+");
  }

  Expr call() {
    const ExprToken& where = token();
    at_ += 2;
    std::string name = where.text;
    for (const std::string_view module : {"math.", "np.", "numpy."})
      if (name.starts_with(module)) name.erase(0, module.size());
    const bool listed = is_only_sequence();
    std::vector<Expr> given = operands(neutral(name));
    if (name == "divmod") return divided(where, given);
    if (name == "min") return node(where, Op::minimum, std::move(given));
    if (name == "max") return node(where, Op::maximum, std::move(given));
    if (name == "abs") return node(where, Op::absolute, std::move(given));
    if (name == "len") return length(where, listed, given);
    if (name == "prod" || name == "sum" || name == "any" || name == "all") {
      const Op op = name == "prod"  ? Op::multiply
                    : name == "sum" ? Op::add
                    : name == "any" ? Op::logical_or
                                    : Op::logical_and;
      Expr all = *neutral(name);
      for (Expr& one : given) all = node(where, op, {std::move(all), std::move(one)});
      return all;
    }
    const std::size_t wanted = name == "ceil_div" || name == "pow" || name == "gcd" ? 2 : 1;
    const std::size_t found = given.size();
    if (found == wanted)
      if (auto called = built(where, name, std::move(given))) return *std::move(called);
    static constexpr std::string_view known[] = {"ceil_div", "pow",  "gcd",  "int",   "float", "bool",
                                                 "floor",    "ceil", "sqrt", "round", "log2"};
    if (std::ranges::find(known, name) == std::end(known))
      fail_at(
          where,
          "there is no function '" + where.text +
              "'; there are abs, all, any, bool, ceil, ceil_div, divmod, float, floor, gcd, int, len, log2, "
              "max, min, pow, prod, round, sqrt, sum");
    fail_at(where, "'" + where.text + "' does not take " + std::to_string(found) + " operands");
  }

  /// What a value that a comprehension leaves out counts as.
  static std::optional<Expr> neutral(const std::string& name) {
    if (name == "sum") return Expr(0);
    if (name == "prod") return Expr(1);
    if (name == "len") return Expr("");  // see length
    if (name == "any" || name == "all") return Expr(name == "all");
    return std::nullopt;
  }

  /// The number of values, of which a comprehension or a set leaves some out.
  Expr length(const ExprToken& where, bool listed, const std::vector<Expr>& given) {
    if (!listed) fail_at(where, "'len' takes a list");
    lengths_.push_back(length_of(given));
    return lengths_.back().count;
  }

  /// Reads the subscript of `divmod(a, b)[0]`.
  Expr divided(const ExprToken& where, const std::vector<Expr>& given) {
    if (given.size() != 2) fail_at(where, "divmod takes two numbers");
    expect("[");
    const bool quotient = token().is_number("0");
    if (!quotient && !token().is_number("1")) fail("expected 0 (the quotient) or 1 (the remainder)");
    ++at_;
    expect("]");
    return node(where, quotient ? Op::floor_divide : Op::modulo, given);
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
    if (name == "gcd") return node(where, Op::common_divisor, {first, given[1]});
    if (name == "round") return node(where, Op::round, {first});
    if (name == "log2") return node(where, Op::log2, {first});
    return std::nullopt;
  }

  std::vector<ListLength> lengths_;
  std::vector<ExprToken> tokens_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
};

}  // namespace

Expr Expr::parse(std::string_view text) {
  return Parser(text).all();
}

}  // namespace tune::search
