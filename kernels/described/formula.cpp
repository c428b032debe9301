// SPDX-License-Identifier: Apache-2.0
// An interpreter that walks over the words: the formulas of a definition are short, and a comprehension reads
// its words again for each value. Parts that must not be computed (the element of a comprehension before its
// variable is known, the other side of an `or`) are read with `dry_` set: their values have no meaning.
#include "kernels/described/formula.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "search/expressions/expr_syntax.hpp"
#include "search/expressions/program.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using search::Expr;
using search::ExprError;
using search::ExprToken;
using List = FormulaValue::List;

constexpr int deepest = 100;  ///< brackets within brackets

/// Limit on loops and brackets, and so on the cost of a short text.
constexpr std::size_t max_steps = 20'000'000;

Expr::Op comparison(const ExprToken& token) {
  static const std::map<std::string, Expr::Op> all = {
      {"<", Expr::Op::less},   {"<=", Expr::Op::less_equal},    {">", Expr::Op::greater},
      {"==", Expr::Op::equal}, {">=", Expr::Op::greater_equal}, {"!=", Expr::Op::not_equal}};
  const auto found = token.kind == ExprToken::Kind::symbol ? all.find(token.text) : all.end();
  return found == all.end() ? Expr::Op::literal : found->second;
}

/// True for a word of the language: `and`, `for`, ...
bool is_keyword(const ExprToken& token) {
  static const std::set<std::string> all = {"and", "or", "not", "if", "else", "for", "in"};
  return token.kind == ExprToken::Kind::name && all.contains(token.text);
}

class Interpreter {
 public:
  Interpreter(std::string_view text, const Names& names)
      : tokens_(search::split_expression(text)), names_(names) {}

  FormulaValue all() {
    FormulaValue value = conditional();
    if (now().kind != ExprToken::Kind::end)
      throw ExprError(format("expected an operator or the end, found '{}'", now().text), now().column);
    return value;
  }

 private:
  const ExprToken& now() const { return tokens_[at_]; }
  bool take(std::string_view wanted) {
    if (now().kind == ExprToken::Kind::text || !now().is(wanted)) return false;
    ++at_;
    return true;
  }
  void need(std::string_view wanted) {
    if (take(wanted)) return;
    const std::string found = now().kind == ExprToken::Kind::end ? "the end" : "'" + now().text + "'";
    throw ExprError(format("expected '{}', found {}", wanted, found), now().column);
  }

  /// Adds the place to errors of the arithmetic.
  template<class Compute>
  FormulaValue computed(std::size_t column, Compute compute) {
    if (++steps_ > max_steps) throw ExprError("it takes too long to compute", column);
    if (dry_) return {};
    try {
      return compute();
    } catch (const ExprError& error) {
      if (error.column() != 0) throw;
      throw ExprError(error.what(), column);
    }
  }

  FormulaValue conditional() {
    // The value comes before the condition that decides whether it is computed.
    const std::size_t begin = at_;
    const bool dry = dry_;
    if (++depth_ > deepest) throw ExprError("too many brackets", now().column);
    dry_ = true;
    disjunction();
    const bool chosen_by_condition = now().is("if") && now().kind == ExprToken::Kind::name;
    dry_ = dry;
    FormulaValue value;
    if (now().is("?") && now().kind == ExprToken::Kind::symbol) {
      value = chosen_as_in_c(begin);
    } else if (chosen_by_condition) {
      const std::size_t then = begin;
      ++at_;
      const FormulaValue condition = disjunction();
      need("else");
      const bool yes = !dry && condition.to_bool();
      dry_ = dry || yes;
      const FormulaValue otherwise = conditional();
      dry_ = dry;
      const std::size_t end = at_;
      if (yes) {
        at_ = then;
        value = disjunction();
      } else {
        value = otherwise;
      }
      at_ = end;
    } else if (!dry) {
      at_ = begin;
      value = disjunction();
    }
    --depth_;
    return value;
  }

  /// Reads `condition ? value : other`, from the beginning of the condition.
  FormulaValue chosen_as_in_c(std::size_t condition) {
    const bool dry = dry_;
    at_ = condition;
    const FormulaValue decides = disjunction();
    need("?");
    const bool yes = dry || decides.to_bool();
    dry_ = dry || !yes;
    FormulaValue then = conditional();
    need(":");
    dry_ = dry || yes;
    FormulaValue otherwise = conditional();
    dry_ = dry;
    return yes ? then : otherwise;
  }

  FormulaValue disjunction() {
    return logical("or", "||", [this] { return conjunction(); });
  }
  FormulaValue conjunction() {
    return logical("and", "&&", [this] { return negation(); });
  }

  /// As in Python, the value is that of the operand that decides.
  template<class Operand>
  FormulaValue logical(std::string_view word, std::string_view sign, Operand operand) {
    FormulaValue value = operand();
    const bool dry = dry_;
    while (take(word) || take(sign)) {
      const bool decided = dry || value.to_bool() == (word == "or");
      dry_ = decided;
      FormulaValue next = operand();
      dry_ = dry;
      if (!decided) value = std::move(next);
    }
    return value;
  }

  FormulaValue negation() {
    const std::size_t column = now().column;
    if (!take("not") && !take("!")) return compared();
    const FormulaValue value = negation();
    return computed(column, [&] { return FormulaValue(!value.to_bool()); });
  }

  FormulaValue compared() {
    FormulaValue left = sum();
    bool holds = true, any = false;
    while (true) {
      const ExprToken token = now();
      const Expr::Op op = comparison(token);
      const bool negated = token.is("not") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("in");
      if (op == Expr::Op::literal && !negated && !token.is("in")) break;
      at_ += negated ? 2 : 1;
      FormulaValue right = sum();
      const FormulaValue one = computed(token.column, [&] {
        if (op != Expr::Op::literal) return compare(op, left, right);
        const bool among = std::ranges::any_of(right.list(), [&](const FormulaValue& value) {
          return compare(Expr::Op::equal, left, value).to_bool();
        });
        return FormulaValue(among != negated);
      });
      holds = holds && one.to_bool();
      any = true;
      left = std::move(right);
    }
    return any ? FormulaValue(holds) : left;
  }

  FormulaValue sum() {
    FormulaValue value = product();
    while (true) {
      const std::size_t column = now().column;
      const bool add = take("+");
      if (!add && !take("-")) return value;
      const FormulaValue right = product();
      value = computed(
          column, [&] { return add ? plus(value, right) : arithmetic(Expr::Op::subtract, value, right); });
    }
  }

  FormulaValue product() {
    FormulaValue value = sign();
    while (true) {
      const std::size_t column = now().column;
      Expr::Op op;
      if (take("*"))
        op = Expr::Op::multiply;
      else if (take("//"))
        op = Expr::Op::floor_divide;
      else if (take("/"))
        op = Expr::Op::divide;
      else if (take("%"))
        op = Expr::Op::modulo;
      else
        return value;
      const FormulaValue right = sign();
      value = computed(column, [&] {
        return op == Expr::Op::multiply ? times(value, right) : arithmetic(op, value, right);
      });
    }
  }

  FormulaValue sign() {
    const std::size_t column = now().column;
    if (take("+")) return sign();
    if (!take("-")) return power();
    const FormulaValue value = sign();
    return computed(column,
                    [&] { return arithmetic(Expr::Op::subtract, FormulaValue(std::int64_t{0}), value); });
  }

  FormulaValue power() {
    const FormulaValue base = subscripted();
    const std::size_t column = now().column;
    if (!take("**")) return base;
    const FormulaValue exponent = sign();
    return computed(column, [&] { return arithmetic(Expr::Op::power, base, exponent); });
  }

  FormulaValue subscripted() {
    FormulaValue value = primary();
    while (true) {
      const std::size_t column = now().column;
      if (!take("[")) return value;
      const FormulaValue index = conditional();
      need("]");
      value = computed(column, [&] { return element(value, index.integer()); });
    }
  }

  FormulaValue primary() {
    const ExprToken token = now();
    if (++steps_ > max_steps) throw ExprError("it takes too long to compute", token.column);
    switch (token.kind) {
      case ExprToken::Kind::integer:
      case ExprToken::Kind::real:
        ++at_;
        return number(token);
      case ExprToken::Kind::text:
        ++at_;
        return FormulaValue(token.text);
      case ExprToken::Kind::name:
        if (is_keyword(token)) break;
        ++at_;
        return now().is("(") ? call(token) : named(token);
      case ExprToken::Kind::symbol:
        if (token.text == "(" || token.text == "[") {
          ++at_;
          return bracket(token);
        }
        break;
      case ExprToken::Kind::end:
        break;
    }
    const std::string found = token.kind == ExprToken::Kind::end ? "the end" : "'" + token.text + "'";
    throw ExprError(format("expected a value, found {}", found), token.column);
  }

  static FormulaValue number(const ExprToken& token) {
    try {
      return FormulaValue(Expr::parse(token.text).literal());
    } catch (const ExprError& error) {
      throw ExprError(error.what(), token.column);
    }
  }

  FormulaValue named(const ExprToken& token) {
    const auto local = std::ranges::find(loops_.rbegin(), loops_.rend(), token.text, &Loop::first);
    if (local != loops_.rend()) return local->second;
    if (dry_) return {};
    const FormulaValue* value = names_ ? names_(token.text) : nullptr;
    if (value == nullptr && (token.text == "True" || token.text == "true")) return true;
    if (value == nullptr && (token.text == "False" || token.text == "false")) return false;
    if (value == nullptr) throw ExprError(format("unknown name '{}'", token.text), token.column);
    return *value;
  }

  FormulaValue call(const ExprToken& token) {
    need("(");
    List arguments;
    if (!now().is(")")) {
      arguments.push_back(element_or_comprehension());
      while (take(",") && !now().is(")")) arguments.push_back(conditional());
    }
    need(")");
    if (!is_function(token.text)) throw ExprError(format("unknown function '{}'", token.text), token.column);
    return computed(token.column, [&] { return call_function(token.text, arguments); });
  }

  /// Reads a list, a tuple, a comprehension or an expression in brackets, behind its opening bracket.
  FormulaValue bracket(const ExprToken& open) {
    const std::string close = open.text == "(" ? ")" : "]";
    List values;
    if (take(close)) return values;
    const std::size_t begin = at_;
    FormulaValue first = element_or_comprehension();
    if (comprehended_at_ == begin) {
      need(close);
      return first;
    }
    if (open.text == "(" && take(")")) return first;
    values.push_back(std::move(first));
    while (take(",") && !now().is(close)) values.push_back(conditional());
    need(close);
    return values;
  }

  /// Reads one element, or a whole comprehension; comprehended_at_ then is where it begins.
  FormulaValue element_or_comprehension() {
    const std::size_t begin = at_;
    const bool dry = dry_;
    dry_ = true;
    conditional();
    dry_ = dry;
    if (!now().is("for")) {
      if (dry) return {};
      at_ = begin;
      return conditional();
    }
    const std::size_t clauses = at_;
    List values;
    const std::size_t before = loops_.size();
    const std::size_t end = loop(begin, clauses, values);
    loops_.resize(before);
    at_ = end;
    comprehended_at_ = begin;
    return values;
  }

  /// Reads `for name in values [if condition]`, and the rest, from word `clause` on. Returns where it ends.
  std::size_t loop(std::size_t element, std::size_t clause, List& values) {
    at_ = clause;
    if (!take("for")) {
      if (!dry_) {
        at_ = element;
        values.push_back(conditional());
        if (values.size() > max_values)
          throw ExprError("a list of more than a million values", tokens_[element].column);
      }
      return clause;
    }
    const ExprToken name = now();
    if (name.kind != ExprToken::Kind::name || is_keyword(name))
      throw ExprError(format("expected a name behind 'for', found '{}'", name.text), name.column);
    ++at_;
    need("in");
    const std::size_t column = now().column;
    const FormulaValue range = disjunction();
    if (!dry_ && !range.is_list()) throw ExprError("expected a list, found " + kind_of(range), column);
    const std::size_t filter = at_;
    const bool dry = dry_;
    // Reads once without computing anything, to find the end of the clauses.
    loops_.emplace_back(name.text, FormulaValue());
    dry_ = true;
    while (take("if")) disjunction();
    const std::size_t end = loop(element, at_, values);
    dry_ = dry;
    if (!dry) {
      for (const FormulaValue& value : range.list()) {
        loops_.back().second = value;
        at_ = filter;
        bool kept = true;
        while (take("if")) kept = disjunction().to_bool() && kept;
        if (kept) loop(element, at_, values);
      }
    }
    loops_.pop_back();
    return end;
  }

  using Loop = std::pair<std::string, FormulaValue>;

  std::vector<ExprToken> tokens_;
  const Names& names_;
  std::size_t at_ = 0, steps_ = 0, comprehended_at_ = static_cast<std::size_t>(-1);
  std::vector<Loop> loops_;  ///< the innermost last
  int depth_ = 0;
  bool dry_ = false;
};

}  // namespace

FormulaValue evaluate(std::string_view text, const Names& names) {
  return Interpreter(text, names).all();
}

}  // namespace tune::described
