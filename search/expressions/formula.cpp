// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/formula.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "search/expressions/expr_syntax.hpp"
#include "search/expressions/formula_functions.hpp"

namespace tune::search {

std::string mistake_of(const ExprError& error) {
  const std::string what = error.what(), column = "column " + std::to_string(error.column()) + ": ";
  if (what.starts_with(column)) return what.substr(column.size());
  return what.starts_with("column 1: ") ? what.substr(10) : what;
}

namespace {

using List = FormulaValue::List;

/// More than any formula in use, and far less than the stack holds.
constexpr int max_nesting = 200;

/// Limit on loops, and so on the cost of a short text.
constexpr std::size_t max_steps = 20'000'000;

/// One computation of a formula. Without names it is a constraint: names are variables, and numbers and texts
/// are literals of expressions.
class Evaluation {
 public:
  explicit Evaluation(const Names* names) : names_(names) {}

  /// The variables of comprehensions, the innermost last.
  std::vector<std::pair<std::string, FormulaValue>> loops;

  /// Computes one step; an error without a column gets this one.
  template<class Compute>
  FormulaValue step(std::size_t column, Compute compute) {
    count_step(column);
    try {
      return compute();
    } catch (const ExprError& error) {
      if (error.column() != 0) throw;
      throw ExprError(error.what(), column);
    }
  }

  void count_step(std::size_t column) {
    if (++steps_ > max_steps) throw ExprError("it takes too long to compute", column);
  }

  bool is_symbolic() const { return names_ == nullptr; }
  std::size_t max_size() const { return is_symbolic() ? max_symbolic_values : max_values; }
  void check_size(std::size_t size) const {
    if (size <= max_size()) return;
    throw ExprError(is_symbolic() ? "a list of more than 1000 values"
                                  : "a list of more than a million values");
  }

  FormulaValue constant(const Value& value) const {
    return is_symbolic() ? FormulaValue(Expr(value)) : FormulaValue(value);
  }

  FormulaValue named(const std::string& name) const {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
      if (loop->first == name) return loop->second;
    if (names_ != nullptr && *names_)
      if (const FormulaValue* value = (*names_)(name)) return *value;
    if (name == "True" || name == "true") return constant(true);
    if (name == "False" || name == "false") return constant(false);
    if (const auto number = constant_of_module(name)) return constant(*number);
    if (is_symbolic()) return Expr::variable(name);
    if (const auto number = constant_without_module(name)) return constant(*number);
    throw ExprError("unknown name '" + name + "'");
  }

 private:
  const Names* names_;
  std::size_t steps_ = 0;
};

/// A part of a formula: computes its value.
using Term = std::function<FormulaValue(Evaluation&)>;

/// A step that fails at `column`.
template<class Compute>
Term step_at(std::size_t column, Compute compute) {
  return [=](Evaluation& evaluation) { return evaluation.step(column, [&] { return compute(evaluation); }); };
}

FormulaValue combined(const InfixOperator& infix, const FormulaValue& a, const FormulaValue& b) {
  switch (infix.op) {
    case Expr::Op::add:
      return plus(a, b);
    case Expr::Op::multiply:
      return times(a, b);
    case Expr::Op::in:
      return member(a, b);
    case Expr::Op::not_in: {
      const FormulaValue found = member(a, b);
      const bool is_node = found.is_expr() && found.expr().op() == Expr::Op::in;
      return is_node ? FormulaValue(Expr::node(Expr::Op::not_in, found.expr().operands())) : negation(found);
    }
    default:
      return infix.binding == Binding::comparison ? compare(infix.op, a, b) : set_operation(infix.op, a, b);
  }
}

/// An operator, and the operand on its right.
struct Link {
  const InfixOperator* infix;
  std::size_t column;
  Term operand;
};

/// `a or b`, of which `b` is computed only where it counts; where the truth of `a` depends on parameters,
/// both.
FormulaValue decided(Evaluation& evaluation, const FormulaValue& a, const Link& link) {
  if (!a.is_expr() && a.to_bool() == (link.infix->op == Expr::Op::logical_or)) return a;
  FormulaValue b = link.operand(evaluation);
  if (!a.is_expr()) return b;
  return evaluation.step(link.column, [&] {
    return FormulaValue(Expr::node(link.infix->op, {a.expr(), b.expr()}));
  });
}

/// Joins operands by operators that bind equally, from left to right. As in Python, `and` and `or` give the
/// operand that decides, and `a < b < c` is `a < b and b < c`.
Term chain(Binding binding, Term first, std::vector<Link> links) {
  return [=](Evaluation& evaluation) {
    FormulaValue value = first(evaluation), holds = true;
    for (const Link& link : links) {
      if (binding == Binding::logical_or || binding == Binding::logical_and) {
        value = decided(evaluation, value, link);
        continue;
      }
      FormulaValue right = link.operand(evaluation);
      FormulaValue result = evaluation.step(link.column, [&] { return combined(*link.infix, value, right); });
      if (binding != Binding::comparison) {
        value = std::move(result);
        continue;
      }
      holds = evaluation.step(link.column, [&] { return both(holds, result); });
      if (!holds.is_expr() && !holds.to_bool()) return FormulaValue(false);
      value = std::move(right);
    }
    return binding == Binding::comparison ? holds : value;
  };
}

/// One `for names in source if conditions...` of a comprehension.
struct Loop {
  std::vector<std::string> names;
  Term source;
  std::size_t column;  ///< of `source`
  std::vector<Term> conditions = {};
};

/// The values of a comprehension.
class Comprehension {
 public:
  Comprehension(Evaluation& evaluation, const std::vector<Loop>& loops, const Term& element)
      : evaluation_(evaluation), loops_(loops), element_(element) {}

  List values() {
    add(0, true);
    return std::move(values_);
  }

 private:
  /// Appends the values under the loops from `next` on, which are there where `kept` holds.
  void add(std::size_t next, const FormulaValue& kept) {
    if (next == loops_.size()) {
      FormulaValue value = element_(evaluation_);
      values_.push_back(kept.is_expr() ? FormulaValue::listed(kept.expr(), std::move(value))
                                       : std::move(value));
      evaluation_.check_size(values_.size());
      return;
    }
    const Loop& loop = loops_[next];
    const FormulaValue source = evaluation_.step(loop.column, [&] {
      FormulaValue value = loop.source(evaluation_);
      static_cast<void>(value.list());
      return value;
    });
    const std::size_t outer = evaluation_.loops.size();
    for (const FormulaValue& value : source.list()) {
      evaluation_.count_step(loop.column);
      const Listed* listed = value.conditional();
      const FormulaValue there = listed == nullptr ? kept : both(kept, FormulaValue(listed->condition));
      name(loop, listed == nullptr ? value : listed->value);
      const FormulaValue passes = filtered(loop, there);
      if (passes.is_expr() || passes.to_bool()) add(next + 1, passes);
      evaluation_.loops.resize(outer);
    }
  }

  void name(const Loop& loop, const FormulaValue& value) {
    if (loop.names.size() == 1) {
      evaluation_.loops.emplace_back(loop.names.front(), value);
      return;
    }
    if (!value.is_list() || value.list().size() != loop.names.size())
      throw ExprError("expected " + std::to_string(loop.names.size()) + " values for as many names",
                      loop.column);
    for (std::size_t i = 0; i < loop.names.size(); ++i)
      evaluation_.loops.emplace_back(loop.names[i], value.list()[i]);
  }

  FormulaValue filtered(const Loop& loop, FormulaValue kept) {
    for (const Term& condition : loop.conditions) {
      FormulaValue holds = condition(evaluation_);
      if (!holds.is_expr() || holds.expr().variables().empty()) holds = FormulaValue(holds.to_bool());
      kept = both(kept, holds);
      if (!kept.is_expr() && !kept.to_bool()) break;
    }
    return kept;
  }

  Evaluation& evaluation_;
  const std::vector<Loop>& loops_;
  const Term& element_;
  List values_;
};

/// Reads operators as long as they bind tightly enough (V. R. Pratt, "Top down operator precedence", POPL
/// 1973).
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(split_expression(text)) {}

  Term all() {
    Term term = expression();
    if (now().kind != ExprToken::Kind::end) fail("expected an operator or the end");
    return term;
  }

 private:
  const ExprToken& now(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  [[noreturn]] void fail(const std::string& expected) const {
    std::string found = now().kind == ExprToken::Kind::end ? "the end" : "'" + now().text + "'";
    if (now().kind == ExprToken::Kind::text) found = "the text " + found;
    throw ExprError(expected + ", found " + found, now().column);
  }
  bool accept(std::string_view wanted) {
    if (!now().is(wanted)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view wanted) {
    if (!accept(wanted)) fail("expected '" + std::string(wanted) + "'");
  }

  const InfixOperator* infix() const {
    if (now().is("not")) return now(1).is("in") ? infix_operator(Expr::Op::not_in) : nullptr;
    return now().is(now().text) ? infix_operator(std::string_view(now().text)) : nullptr;
  }

  Term expression(Binding loosest = Binding::conditional) {
    if (++nesting_ > max_nesting)
      throw ExprError("nested more than " + std::to_string(max_nesting) + " deep", now().column);
    Term left = prefix(loosest);
    while (true) {
      if (now().is("is") && loosest <= Binding::comparison) {
        left = is_none();
        continue;
      }
      const InfixOperator* first = infix();
      if (first == nullptr || first->binding < loosest) break;
      left = operators(*first, std::move(left));
    }
    if (loosest <= Binding::conditional) left = conditional(std::move(left));
    --nesting_;
    return left;
  }

  /// Reads operators that bind as the first one does, and their operands.
  Term operators(const InfixOperator& first, Term left) {
    std::vector<Link> links;
    for (const InfixOperator* next = &first; next != nullptr && next->binding == first.binding;
         next = infix()) {
      const std::size_t column = now().column;
      at_ += next->op == Expr::Op::not_in ? 2 : 1;
      const bool is_power = next->binding == Binding::power;
      links.push_back({next, column, expression(is_power ? Binding::unary_minus : tighter(next->binding))});
    }
    return chain(first.binding, std::move(left), std::move(links));
  }

  /// Reads `is None` or `is not None`: what has a value is never None.
  Term is_none() {
    expect("is");
    const bool negated = accept("not");
    if (!accept("None")) fail("expected 'None' behind 'is'");
    return constant(negated);
  }

  /// Reads `then if condition else otherwise` or `condition ? then : otherwise` behind the first operand.
  Term conditional(Term first) {
    Term condition, then;
    const std::size_t column = now().column;
    if (accept("if")) {
      then = std::move(first);
      condition = expression(Binding::logical_or);
      expect("else");
    } else if (accept("?")) {
      condition = std::move(first);
      then = expression();
      expect(":");
    } else {
      return first;
    }
    return step_at(column, [condition, then, otherwise = expression()](Evaluation& evaluation) {
      const FormulaValue decides = condition(evaluation);
      if (!decides.is_expr()) return decides.to_bool() ? then(evaluation) : otherwise(evaluation);
      const Expr chosen = then(evaluation).expr();
      return FormulaValue(if_else(decides.expr(), chosen, otherwise(evaluation).expr()));
    });
  }

  Term prefix(Binding loosest) {
    const std::size_t column = now().column;
    if (now().is("not") || now().is("!")) {
      if (loosest > Binding::logical_not) fail("expected a value (put 'not ...' in parentheses here)");
      ++at_;
      return step_at(column, [term = expression(Binding::logical_not)](Evaluation& evaluation) {
        return negation(term(evaluation));
      });
    }
    if (accept("+")) return expression(Binding::unary_minus);
    if (accept("-")) {
      // A number with a sign is one literal, except in `-2 ** 2`, which is `-(2 ** 2)`.
      if (is_number(now()) && !now(1).is("**")) {
        ++at_;
        return number(tokens_[at_ - 1], "-");
      }
      return step_at(column, [term = expression(Binding::unary_minus)](Evaluation& evaluation) {
        return arithmetic(Expr::Op::negate, term(evaluation));
      });
    }
    if (accept("~"))
      return step_at(column, [term = expression(Binding::unary_minus)](Evaluation& evaluation) {
        return arithmetic(Expr::Op::bit_not, term(evaluation));
      });
    return subscripted(primary());
  }

  /// A subscript, or the bounds and step of a slice, of which each may be missing.
  struct Subscript {
    std::size_t column;
    bool is_slice = false;
    std::array<Term, 3> bounds = {};
  };

  Subscript subscript() {
    Subscript read{now().column};
    expect("[");
    for (std::size_t i = 0; i < 3 && !now().is("]"); ++i) {
      if (!now().is(":")) read.bounds[i] = expression();
      if (i == 2 || !accept(":")) break;
      read.is_slice = true;
    }
    if (!read.is_slice && !read.bounds[0]) fail("expected a value");
    expect("]");
    return read;
  }

  Term subscripted(Term list) {
    std::vector<Subscript> all;
    while (now().is("[")) all.push_back(subscript());
    if (all.empty()) return list;
    return [=](Evaluation& evaluation) {
      FormulaValue value = list(evaluation);
      for (const Subscript& one : all)
        value = evaluation.step(one.column, [&] {
          if (!one.is_slice) return element(value, one.bounds[0](evaluation));
          std::array<std::optional<std::int64_t>, 3> bounds;
          for (std::size_t i = 0; i < 3; ++i)
            if (one.bounds[i]) bounds[i] = one.bounds[i](evaluation).integer();
          return slice(value, bounds[0], bounds[1], bounds[2].value_or(1));
        });
      return value;
    };
  }

  Term primary() {
    const ExprToken token = now();
    if (is_number(token)) {
      ++at_;
      return number(token, "");
    }
    if (token.kind == ExprToken::Kind::text) {
      ++at_;
      return constant(token.text);
    }
    if (accept("(")) return bracket(")");
    if (accept("[")) return bracket("]");
    if (token.is("{") && now(1).is("}")) fail("expected a list or a set (Python's '{}' is neither)");
    if (accept("{")) return bracket("}");
    const bool literal =
        token.text == "True" || token.text == "true" || token.text == "False" || token.text == "false";
    if (token.kind != ExprToken::Kind::name || token.text == "for" ||
        !(literal || is_variable_name(token.text)))
      fail("expected a value");
    ++at_;
    if (accept("(")) return call(token);
    return step_at(token.column,
                   [name = token.text](Evaluation& evaluation) { return evaluation.named(name); });
  }

  static Term constant(Value value) {
    return [value = std::move(value)](Evaluation& evaluation) { return evaluation.constant(value); };
  }

  static bool is_number(const ExprToken& token) {
    return token.kind == ExprToken::Kind::integer || token.kind == ExprToken::Kind::real;
  }

  static Term number(const ExprToken& token, const std::string& sign) {
    std::string text = token.text;
    std::erase(text, '_');
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && token.kind == ExprToken::Kind::integer)
      base = text[1] == 'x' || text[1] == 'X'   ? 16
             : text[1] == 'o' || text[1] == 'O' ? 8
             : text[1] == 'b' || text[1] == 'B' ? 2
                                                : 10;
    if (base != 10) text.erase(0, 2);
    text.insert(0, sign);
    const char* end = text.data() + text.size();
    if (token.kind == ExprToken::Kind::integer) {
      std::int64_t integer = 0;
      if (std::from_chars(text.data(), end, integer, base).ec == std::errc{}) return constant(integer);
      std::uint64_t wide = 0;
      const bool is_wide = std::from_chars(text.data(), end, wide, base).ec == std::errc{};
      // A constraint has no such literals.
      return [=, shown = sign + token.text, column = token.column](Evaluation& evaluation) {
        if (is_wide && !evaluation.is_symbolic()) return FormulaValue::of_whole(wide);
        throw ExprError("'" + shown + "' is beyond 64-bit integers", column);
      };
    }
    double real = 0.0;
    if (std::from_chars(text.data(), end, real).ec == std::errc{}) return constant(real);
    throw ExprError("'" + sign + token.text + "' is beyond real numbers", token.column);
  }

  Term call(const ExprToken& name) {
    if (!is_function(name.text))
      throw ExprError("there is no function '" + name.text + "'; there are " + names_of_functions(),
                      name.column);
    return step_at(name.column, [name = name.text, arguments = items(")")](Evaluation& evaluation) {
      return call_function(name, values(evaluation, arguments));
    });
  }

  /// Reads a list, a tuple, a set, a comprehension or an expression in brackets, behind its opening bracket.
  Term bracket(std::string_view close) {
    using Shape = FormulaValue::Shape;
    const std::size_t column = tokens_[at_ - 1].column;
    Items all = items(close);
    if (close == ")" && all.terms.size() == 1 && !all.comma && !all.spread.front()) return all.terms.front();
    const Shape shape = close == ")" ? Shape::tuple : close == "}" ? Shape::set : Shape::list;
    return step_at(column, [items = std::move(all), shape](Evaluation& evaluation) {
      List list = items.comprehension ? items.terms.front()(evaluation).list() : values(evaluation, items);
      return shape == Shape::set ? distinct(list) : FormulaValue(std::move(list), shape);
    });
  }

  /// What stands in brackets: one comprehension, or terms separated by commas. `spread`: which of them are
  /// lists whose values stand there (`*range(3)`).
  struct Items {
    std::vector<Term> terms = {};
    std::vector<bool> spread = {};
    bool comprehension = false, comma = false;
  };

  static List values(Evaluation& evaluation, const Items& items) {
    List all;
    for (std::size_t i = 0; i < items.terms.size(); ++i) {
      const FormulaValue value = items.terms[i](evaluation);
      if (items.spread[i])
        all.insert(all.end(), value.list().begin(), value.list().end());
      else
        all.push_back(value);
      evaluation.check_size(all.size());
    }
    return all;
  }

  Items items(std::string_view close) {
    Items all;
    while (!accept(close)) {
      const std::size_t column = now().column;
      all.spread.push_back(accept("*"));
      all.terms.push_back(expression());
      if (now().is("for") && !all.comma && !all.spread.back()) {
        all.terms.front() = comprehension(column, std::move(all.terms.front()));
        all.comprehension = true;
      }
      if (!all.comprehension && accept(",")) {
        all.comma = true;
      } else if (!now().is(close)) {
        fail((all.comprehension ? "expected '" : "expected ',' or '") + std::string(close) + "'");
      }
    }
    return all;
  }

  Term comprehension(std::size_t column, Term element) {
    std::vector<Loop> loops;
    while (accept("for")) {
      std::vector<std::string> names = loop_names();
      expect("in");
      const std::size_t source_column = now().column;
      loops.push_back({std::move(names), expression(Binding::logical_or), source_column});
      while (accept("if")) loops.back().conditions.push_back(expression(Binding::logical_or));
    }
    return step_at(column, [=](Evaluation& evaluation) {
      return FormulaValue(Comprehension(evaluation, loops, element).values());
    });
  }

  /// Reads `i`, `i, j` or `(i, j)`.
  std::vector<std::string> loop_names() {
    const bool enclosed = accept("(");
    std::vector<std::string> names;
    do {
      if (now().kind != ExprToken::Kind::name || !is_variable_name(now().text))
        fail("expected a name behind 'for'");
      names.push_back(now().text);
      ++at_;
    } while (accept(","));
    if (enclosed) expect(")");
    return names;
  }

  std::vector<ExprToken> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

FormulaValue evaluate(std::string_view text, const Names& names) {
  const Term formula = Parser(text).all();
  Evaluation evaluation(&names);
  return formula(evaluation);
}

Expr Expr::parse(std::string_view text) {
  try {
    const Term formula = Parser(text).all();
    Evaluation evaluation(nullptr);
    const FormulaValue value = formula(evaluation);
    if (value.is_list()) throw ExprError("expected a condition, found " + kind_of(value), 1);
    return value.expr();
  } catch (const ExprError& error) {
    const std::size_t column = std::max<std::size_t>(1, error.column());
    throw ExprError("column " + std::to_string(column) + ": " + mistake_of(error), column);
  }
}

}  // namespace tune::search
