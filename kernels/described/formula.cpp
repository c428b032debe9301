// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/formula.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "search/expressions/expr_syntax.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {

std::string mistake_of(const search::ExprError& error) {
  const std::string what = error.what(), column = format("column {}: ", error.column());
  if (what.starts_with(column)) return what.substr(column.size());
  return what.starts_with("column 1: ") ? what.substr(10) : what;
}

namespace {

using search::Binding;
using search::Expr;
using search::ExprError;
using search::ExprToken;
using search::InfixOperator;
using List = FormulaValue::List;

/// More than any formula in use, and far less than the stack holds.
constexpr int max_nesting = 200;

/// Limit on loops, and so on the cost of a short text.
constexpr std::size_t max_steps = 20'000'000;

/// One computation of a formula.
class Evaluation {
 public:
  explicit Evaluation(const Names& names) : names_(names) {}

  /// The variables of comprehensions, the innermost last.
  std::vector<std::pair<std::string, FormulaValue>> loops;

  /// Computes one step; an error without a column gets this one.
  template<class Compute>
  FormulaValue step(std::size_t column, Compute compute) {
    if (++steps_ > max_steps) throw ExprError("it takes too long to compute", column);
    try {
      return compute();
    } catch (const ExprError& error) {
      if (error.column() != 0) throw;
      throw ExprError(error.what(), column);
    }
  }

  FormulaValue named(const std::string& name) const {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
      if (loop->first == name) return loop->second;
    if (const FormulaValue* value = names_ ? names_(name) : nullptr) return *value;
    if (name == "True" || name == "true") return true;
    if (name == "False" || name == "false") return false;
    throw ExprError(format("unknown name '{}'", name));
  }

 private:
  const Names& names_;
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
    case Expr::Op::not_in: {
      const auto equals_a = [&](const FormulaValue& value) {
        return compare(Expr::Op::equal, a, value).to_bool();
      };
      return std::ranges::any_of(b.list(), equals_a) == (infix.op == Expr::Op::in);
    }
    default:
      return infix.binding == Binding::comparison ? compare(infix.op, a, b) : arithmetic(infix.op, a, b);
  }
}

/// An operator, and the operand on its right.
struct Link {
  const InfixOperator* infix;
  std::size_t column;
  Term operand;
};

/// Joins operands by operators that bind equally, from left to right. As in Python, `and` and `or` give the
/// operand that decides, and `a < b < c` is `a < b and b < c`.
Term chain(Binding binding, Term first, std::vector<Link> links) {
  return [=](Evaluation& evaluation) {
    FormulaValue value = first(evaluation);
    for (const Link& link : links) {
      if (binding == Binding::logical_or || binding == Binding::logical_and) {
        if (value.to_bool() == (binding == Binding::logical_or)) return value;
        value = link.operand(evaluation);
        continue;
      }
      FormulaValue right = link.operand(evaluation);
      FormulaValue result = evaluation.step(link.column, [&] { return combined(*link.infix, value, right); });
      if (binding == Binding::comparison && !result.to_bool()) return FormulaValue(false);
      value = binding == Binding::comparison ? std::move(right) : std::move(result);
    }
    return binding == Binding::comparison ? FormulaValue(true) : value;
  };
}

/// One `for name in source if conditions...` of a comprehension.
struct Loop {
  std::string name;
  Term source;
  std::size_t column;  ///< of `source`
  std::vector<Term> conditions = {};
};

/// Appends the values of `element` under the loops from `next` on.
void comprehend(Evaluation& evaluation, const std::vector<Loop>& loops, std::size_t next, const Term& element,
                List& values) {
  if (next == loops.size()) {
    values.push_back(element(evaluation));
    if (values.size() > max_values) throw ExprError("a list of more than a million values");
    return;
  }
  const Loop& loop = loops[next];
  const FormulaValue source = loop.source(evaluation);
  if (!source.is_list()) throw ExprError("expected a list, found " + kind_of(source), loop.column);
  evaluation.loops.emplace_back(loop.name, FormulaValue());
  for (const FormulaValue& value : source.list()) {
    evaluation.loops.back().second = value;
    const auto holds = [&](const Term& condition) { return condition(evaluation).to_bool(); };
    if (std::ranges::all_of(loop.conditions, holds)) comprehend(evaluation, loops, next + 1, element, values);
  }
  evaluation.loops.pop_back();
}

/// Reads operators as long as they bind tightly enough, as the parser of constraints does.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(search::split_expression(text)) {}

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
    const std::string found = now().kind == ExprToken::Kind::end ? "the end" : "'" + now().text + "'";
    throw ExprError(format("{}, found {}", expected, found), now().column);
  }
  bool accept(std::string_view wanted) {
    if (!now().is(wanted)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view wanted) {
    if (!accept(wanted)) fail(format("expected '{}'", wanted));
  }

  const InfixOperator* infix() const {
    if (now().is("not")) return now(1).is("in") ? search::infix_operator("not in") : nullptr;
    return now().is(now().text) ? search::infix_operator(std::string_view(now().text)) : nullptr;
  }

  Term expression(Binding loosest = Binding::conditional) {
    if (++nesting_ > max_nesting)
      throw ExprError(format("nested more than {} deep", max_nesting), now().column);
    Term left = prefix(loosest);
    if (now().is("is") && loosest <= Binding::comparison) left = is_none();
    while (const InfixOperator* first = infix()) {
      if (first->binding < loosest) break;
      std::vector<Link> links;
      for (const InfixOperator* next = first; next != nullptr && next->binding == first->binding;
           next = infix()) {
        const std::size_t column = now().column;
        at_ += next->op == Expr::Op::not_in ? 2 : 1;
        const bool is_power = next->binding == Binding::power;
        links.push_back({next, column, expression(is_power ? Binding::unary_minus : tighter(next->binding))});
      }
      left = chain(first->binding, std::move(left), std::move(links));
    }
    if (loosest <= Binding::conditional) left = conditional(std::move(left));
    --nesting_;
    return left;
  }

  /// Reads `is None` or `is not None`: what has a value is never None.
  Term is_none() {
    expect("is");
    const bool negated = accept("not");
    expect("None");
    return constant(negated);
  }

  /// Reads `then if condition else otherwise` or `condition ? then : otherwise` behind the first operand.
  Term conditional(Term first) {
    Term condition, then;
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
    return [condition, then, otherwise = expression()](Evaluation& evaluation) {
      return condition(evaluation).to_bool() ? then(evaluation) : otherwise(evaluation);
    };
  }

  Term prefix(Binding loosest) {
    const std::size_t column = now().column;
    if (now().is("not") || now().is("!")) {
      if (loosest > Binding::logical_not) fail("expected a value");
      ++at_;
      return step_at(column, [term = expression(Binding::logical_not)](Evaluation& evaluation) {
        return FormulaValue(!term(evaluation).to_bool());
      });
    }
    if (accept("+")) return expression(Binding::unary_minus);
    if (accept("-"))
      return step_at(column, [term = expression(Binding::unary_minus)](Evaluation& evaluation) {
        return arithmetic(Expr::Op::subtract, std::int64_t{0}, term(evaluation));
      });
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
          if (!one.is_slice) return element(value, one.bounds[0](evaluation).integer());
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
    if (token.kind == ExprToken::Kind::integer || token.kind == ExprToken::Kind::real) {
      ++at_;
      return constant(number(token));
    }
    if (token.kind == ExprToken::Kind::text) {
      ++at_;
      return constant(token.text);
    }
    if (accept("(")) return bracket(")");
    if (accept("[")) return bracket("]");
    const bool literal =
        token.text == "True" || token.text == "true" || token.text == "False" || token.text == "false";
    if (token.kind != ExprToken::Kind::name || token.text == "for" ||
        !(literal || search::is_variable_name(token.text)))
      fail("expected a value");
    ++at_;
    if (accept("(")) return call(token);
    return step_at(token.column,
                   [name = token.text](Evaluation& evaluation) { return evaluation.named(name); });
  }

  static Term constant(FormulaValue value) {
    return [value = std::move(value)](Evaluation&) { return value; };
  }

  static FormulaValue number(const ExprToken& token) {
    try {
      return FormulaValue(Expr::parse(token.text).literal());
    } catch (const ExprError& error) {
      throw ExprError(mistake_of(error), token.column);
    }
  }

  Term call(const ExprToken& name) {
    if (!is_function(name.text)) throw ExprError(format("unknown function '{}'", name.text), name.column);
    return step_at(name.column, [name = name.text, arguments = items(")")](Evaluation& evaluation) {
      return call_function(name, values(evaluation, arguments));
    });
  }

  /// Reads a list, a tuple, a comprehension or an expression in brackets, behind its opening bracket.
  Term bracket(std::string_view close) {
    const std::size_t column = tokens_[at_ - 1].column;
    Items all = items(close);
    if (all.comprehension || (close == ")" && all.terms.size() == 1 && !all.comma && !all.spread.front()))
      return all.terms.front();
    return step_at(column, [items = std::move(all)](Evaluation& evaluation) {
      return FormulaValue(values(evaluation, items));
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
      if (!items.spread[i]) {
        all.push_back(value);
        continue;
      }
      all.insert(all.end(), value.list().begin(), value.list().end());
      if (all.size() > max_values) throw ExprError("a list of more than a million values");
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
        fail(format("expected '{}'", close));
      }
    }
    return all;
  }

  Term comprehension(std::size_t column, Term element) {
    std::vector<Loop> loops;
    while (accept("for")) {
      const ExprToken name = now();
      if (name.kind != ExprToken::Kind::name || !search::is_variable_name(name.text))
        fail("expected a name behind 'for'");
      ++at_;
      expect("in");
      const std::size_t source_column = now().column;
      loops.push_back({name.text, expression(Binding::logical_or), source_column});
      while (accept("if")) loops.back().conditions.push_back(expression(Binding::logical_or));
    }
    return step_at(column, [=](Evaluation& evaluation) {
      List values;
      comprehend(evaluation, loops, 0, element, values);
      return FormulaValue(std::move(values));
    });
  }

  std::vector<ExprToken> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

FormulaValue evaluate(std::string_view text, const Names& names) {
  const Term formula = Parser(text).all();
  Evaluation evaluation(names);
  return formula(evaluation);
}

}  // namespace tune::described
