// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/formula_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "search/expressions/scalar.hpp"
#include "search/expressions/scalar_functions.hpp"

namespace tune::search {
namespace {

using List = FormulaValue::List;
using Shape = FormulaValue::Shape;
using Op = Expr::Op;

constexpr std::size_t any_number = 100'000;

/// Returns the numbers for `min`, `max` and the like: one list, or the operands themselves.
const List& operands(const List& given) {
  return given.size() == 1 && given.front().is_list() ? given.front().list() : given;
}

/// A value of a set that an earlier one may equal counts for `min` and `max` in any case.
const FormulaValue& repeated_too(const FormulaValue& one) {
  return one.conditional() != nullptr && one.conditional()->repeats ? one.conditional()->value : one;
}

bool is_symbolic(const List& all) {
  return std::ranges::any_of(all, [](const FormulaValue& one) { return one.is_expr(); });
}

FormulaValue extreme(const List& given, Op op) {
  const List& all = operands(given);
  if (all.empty()) throw ExprError("min and max need a value");
  if (is_symbolic(all)) {
    if (&all == &given && all.size() == 1)
      throw ExprError(std::string(op == Op::minimum ? "'min'" : "'max'") + " does not take 1 operands");
    std::vector<Expr> exprs;
    for (const FormulaValue& one : all) exprs.push_back(repeated_too(one).expr());
    return exprs.size() == 1 ? exprs.front() : Expr::node(op, std::move(exprs));
  }
  FormulaValue best = all.front();
  for (const FormulaValue& value : all) best = arithmetic(op, best, value);
  return best;
}

FormulaValue whole_part(double real) {
  if (!(std::abs(real) <= max_exact_integer)) throw ExprError("a number beyond 2^53");
  return static_cast<std::int64_t>(real);
}

FormulaValue whole_number(const FormulaValue& value) {
  return FormulaValue::of_whole(value.whole());
}

/// In a constraint the bounds may depend on parameters.
FormulaValue symbolic_range(const List& given) {
  const auto bound = [&](std::size_t i) { return given[i].expr(); };
  SymbolicRange range{given.size() == 1 ? Expr(0) : bound(0), bound(given.size() == 1 ? 0 : 1),
                      given.size() == 3 ? bound(2) : Expr(1)};
  if (range.step.variables().empty() && FormulaValue(range.step).real() == 0)
    throw ExprError("the step of a range cannot be 0");
  for (const Expr* expr : {&range.begin, &range.end, &range.step})
    if (!expr->variables().empty()) return FormulaValue(std::move(range));
  const std::int64_t begin = FormulaValue(range.begin).integer(), end = FormulaValue(range.end).integer(),
                     step = FormulaValue(range.step).integer();
  List values;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    values.emplace_back(Expr(i));
    if (values.size() > max_symbolic_values) return FormulaValue(std::move(range));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  range.values = std::move(values);
  return FormulaValue(std::move(range));
}

FormulaValue range(const List& given) {
  if (is_symbolic(given)) return symbolic_range(given);
  const std::int64_t begin = given.size() == 1 ? 0 : given[0].integer();
  const std::int64_t end = given.size() == 1 ? given[0].integer() : given[1].integer();
  const std::int64_t step = given.size() == 3 ? given[2].integer() : 1;
  if (step == 0) throw ExprError("the step of a range cannot be 0");
  List values;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    values.emplace_back(i);
    if (values.size() > max_values) throw ExprError("a range of more than a million values");
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return values;
}

/// As in numpy: like range, but for real numbers too; the end is never reached.
FormulaValue arange(const List& given) {
  if (std::ranges::none_of(given, &FormulaValue::is_real)) return range(given);
  const double begin = given.size() == 1 ? 0 : given[0].real();
  const double end = given.size() == 1 ? given[0].real() : given[1].real();
  const double step = given.size() == 3 ? given[2].real() : 1;
  const double count = std::ceil((end - begin) / step);
  if (!(std::abs(count) <= static_cast<double>(max_values)))
    throw ExprError("a range of more than a million values");
  List values;
  for (double i = 0; i < count; ++i) values.emplace_back(begin + i * step);
  return values;
}

/// Adds or multiplies all values; one that is left out for some parameters counts as `neutral` there.
template<class Combine>
FormulaValue folded(const List& all, FormulaValue start, std::int64_t neutral, Combine combine) {
  for (const FormulaValue& value : all) {
    const Listed* listed = value.conditional();
    start =
        combine(start, listed == nullptr
                           ? value
                           : FormulaValue(if_else(listed->condition, listed->value.expr(), Expr(neutral))));
  }
  return start;
}

FormulaValue sum(const List& given) {
  if (!given.front().is_list()) return folded(given, std::int64_t{0}, 0, plus);
  return folded(given.front().list(), given.size() > 1 ? given[1] : FormulaValue(std::int64_t{0}), 0, plus);
}

FormulaValue product(const List& given) {
  return folded(operands(given), std::int64_t{1}, 1, times);
}

/// Returns `any` and `all` of one value: a truth value.
FormulaValue truth_of(const FormulaValue& value) {
  if (!value.is_expr()) return value.to_bool();
  return is_truth(value.expr()) ? value : FormulaValue(!!value.expr());
}

FormulaValue any(const List& given) {
  FormulaValue found(false);
  for (const FormulaValue& one : operands(given)) {
    const Listed* listed = one.conditional();
    found = either(found, listed == nullptr ? truth_of(one)
                                            : both(FormulaValue(listed->condition), truth_of(listed->value)));
    if (!found.is_expr() && found.to_bool()) break;
  }
  return truth_of(found);
}

FormulaValue all(const List& given) {
  FormulaValue hold(true);
  for (const FormulaValue& one : operands(given)) {
    const Listed* listed = one.conditional();
    hold = both(hold, listed == nullptr
                          ? truth_of(one)
                          : either(negation(FormulaValue(listed->condition)), truth_of(listed->value)));
    if (!hold.is_expr() && !hold.to_bool()) break;
  }
  return truth_of(hold);
}

FormulaValue sorted(const List& given) {
  List all = given.front().list();
  const auto depends = [](const FormulaValue& one) {
    return one.conditional() != nullptr || (one.is_expr() && !one.expr().variables().empty());
  };
  if (std::ranges::any_of(all, depends))
    throw ExprError("'sorted' takes no values that depend on parameters");
  std::ranges::stable_sort(
      all, [](const FormulaValue& a, const FormulaValue& b) { return compare(Op::less, a, b).to_bool(); });
  return all;
}

FormulaValue power_of(const List& given) {
  return arithmetic(Op::power, given[0], given[1]);
}

FormulaValue absolute(const List& given) {
  const FormulaValue& value = given.front();
  return value.is_expr() || value.real() < 0 ? arithmetic(Op::absolute, value) : value;
}

FormulaValue ceiling_of_quotient(const List& given) {
  if (is_symbolic(given)) return search::ceil_div(given[0].expr(), given[1].expr());
  const FormulaValue zero = std::int64_t{0};
  const FormulaValue negated = arithmetic(Op::subtract, zero, given[0]);
  return arithmetic(Op::subtract, zero, arithmetic(Op::floor_divide, negated, given[1]));
}

/// How many numbers a range has whose bounds depend on parameters.
FormulaValue length_of(const SymbolicRange& range) {
  if (range.values) return Expr(static_cast<std::int64_t>(range.values->size()));
  return max(Expr(0), search::ceil_div(range.end - range.begin, range.step));
}

FormulaValue length(const List& given) {
  const FormulaValue& value = given.front();
  if (value.range() != nullptr) return length_of(*value.range());
  if (value.is_text()) return static_cast<std::int64_t>(value.text().size());
  if (!value.is_list()) throw ExprError("'len' takes a list");
  std::int64_t certain = 0;
  std::optional<Expr> count;
  for (const FormulaValue& one : value.list()) {
    if (one.conditional() == nullptr) {
      ++certain;
      continue;
    }
    const Expr counted = if_else(one.conditional()->condition, Expr(1), Expr(0));
    count = count ? *std::move(count) + counted : counted;
  }
  if (!count) return certain;
  return certain > 0 ? *count + Expr(certain) : *count;
}

Expr floor_of(Expr value) {
  return floor_div(std::move(value), Expr(1));
}

FormulaValue floor_function(const List& given) {
  if (is_symbolic(given)) return floor_of(given.front().expr());
  return given.front().is_real() ? whole_part(std::floor(given.front().real())) : whole_number(given.front());
}

FormulaValue ceil_function(const List& given) {
  if (is_symbolic(given)) return -floor_of(-given.front().expr());
  return given.front().is_real() ? whole_part(std::ceil(given.front().real())) : whole_number(given.front());
}

FormulaValue to_whole(const List& given) {
  const FormulaValue& value = given.front();
  if (value.is_expr()) {
    const Expr expr = value.expr();
    return if_else(expr >= 0, floor_of(expr), -floor_of(-expr));
  }
  return value.is_real() ? whole_part(std::trunc(value.real())) : whole_number(value);
}

FormulaValue to_real(const List& given) {
  const FormulaValue& value = given.front();
  const bool is_word = value.is_text() || (value.is_expr() && value.expr().op() == Op::literal &&
                                           value.expr().literal().is_text());
  if (is_word) {
    const std::string word = value.scalar().as_text();
    const double infinity = std::numeric_limits<double>::infinity();
    if (word != "inf" && word != "-inf") throw ExprError("'float' takes a number or 'inf'");
    const double real = word == "inf" ? infinity : -infinity;
    return value.is_expr() ? FormulaValue(Expr(real)) : FormulaValue(real);
  }
  return value.is_expr() ? FormulaValue(value.expr() * Expr(1.0)) : FormulaValue(value.real());
}

FormulaValue round_function(const List& given) {
  if (is_symbolic(given)) return arithmetic(Op::round, given.front());
  // Rounds to even, as Python does.
  return given.front().is_real() ? whole_part(std::nearbyint(given.front().real()))
                                 : whole_number(given.front());
}

FormulaValue binary_logarithm(const List& given) {
  return arithmetic(Op::log2, given.front());
}

FormulaValue square_root(const List& given) {
  if (is_symbolic(given)) return Expr::node(Op::power, {given.front().expr(), Expr(0.5)});
  const double value = given.front().real();
  if (!(value >= 0)) throw ExprError("the square root of a negative number");
  return std::sqrt(value);
}

FormulaValue divided(const List& given) {
  return {List{arithmetic(Op::floor_divide, given[0], given[1]), arithmetic(Op::modulo, given[0], given[1])},
          Shape::tuple};
}

FormulaValue common_divisor(const List& given) {
  if (given.empty()) return std::int64_t{0};
  FormulaValue divisor = given.front();
  if (given.size() == 1) return arithmetic(Op::absolute, divisor);
  for (std::size_t i = 1; i < given.size(); ++i) divisor = arithmetic(Op::common_divisor, divisor, given[i]);
  return divisor;
}

FormulaValue copied(const List& given, Shape shape) {
  List all = given.empty() ? List() : given.front().list();
  if (shape == Shape::set) return distinct(all);
  return {std::move(all), shape};
}

FormulaValue reversed(const List& given) {
  List all = given.front().list();
  std::ranges::reverse(all);
  return all;
}

FormulaValue zipped(const List& given) {
  List rows;
  for (std::size_t i = 0; !given.empty(); ++i) {
    List row;
    for (const FormulaValue& one : given) {
      if (i >= one.list().size()) return rows;
      row.push_back(one.list()[i]);
    }
    rows.push_back({std::move(row), Shape::tuple});
  }
  return rows;
}

FormulaValue numbered(const List& given) {
  List rows;
  for (const FormulaValue& one : given.front().list())
    rows.push_back({List{static_cast<std::int64_t>(rows.size()), one}, Shape::tuple});
  return rows;
}

FormulaValue to_truth(const List& given) {
  return given.front().is_expr() ? FormulaValue(!!given.front().expr()) : given.front().to_bool();
}

struct Function {
  std::size_t min_operands, max_operands;
  FormulaValue (*compute)(const List&);
};

const std::map<std::string, Function, std::less<>>& functions() {
  static const std::map<std::string, Function, std::less<>> all_functions = {
      {"abs", {1, 1, absolute}},
      {"all", {1, 1, all}},
      {"any", {1, 1, any}},
      {"arange", {1, 3, arange}},
      {"array", {1, 1, [](const List& a) { return copied(a, Shape::list); }}},
      {"bool", {1, 1, to_truth}},
      {"ceil", {1, 1, ceil_function}},
      {"ceil_div", {2, 2, ceiling_of_quotient}},
      {"divmod", {2, 2, divided}},
      {"enumerate", {1, 1, numbered}},
      {"float", {1, 1, to_real}},
      {"floor", {1, 1, floor_function}},
      {"gcd", {0, any_number, common_divisor}},
      {"int", {1, 1, to_whole}},
      {"len", {1, 1, length}},
      {"list", {0, 1, [](const List& a) { return copied(a, Shape::list); }}},
      {"log2", {1, 1, binary_logarithm}},
      {"max", {1, any_number, [](const List& a) { return extreme(a, Op::maximum); }}},
      {"min", {1, any_number, [](const List& a) { return extreme(a, Op::minimum); }}},
      {"pow", {2, 2, power_of}},
      {"prod", {1, any_number, product}},
      {"range", {1, 3, range}},
      {"reversed", {1, 1, reversed}},
      {"round", {1, 1, round_function}},
      {"set", {0, 1, [](const List& a) { return copied(a, Shape::set); }}},
      {"sorted", {1, 1, sorted}},
      {"sqrt", {1, 1, square_root}},
      {"sum", {1, any_number, sum}},
      {"tuple", {0, 1, [](const List& a) { return copied(a, Shape::tuple); }}},
      {"zip", {0, any_number, zipped}},
  };
  return all_functions;
}

bool takes(std::size_t min, std::size_t max, std::size_t count) {
  return count >= min && count <= max;
}

FormulaValue call(const ScalarFunction& function, const List& given) {
  if (is_symbolic(given)) {
    std::vector<Expr> all{Expr(std::string(function.name))};
    for (const FormulaValue& one : given) all.push_back(one.expr());
    return Expr::node(Op::call, std::move(all));
  }
  std::vector<Value> values;
  for (const FormulaValue& one : given) values.push_back(one.scalar());
  std::vector<Scalar> scalars;
  for (const Value& value : values) scalars.push_back(Scalar::of(value));
  return FormulaValue(function.compute(scalars).value());
}

/// Definitions for Python call some functions by their module.
std::string_view without_module(std::string_view name) {
  for (const std::string_view module : {"math.", "np.", "numpy."})
    if (name.starts_with(module)) return name.substr(module.size());
  return name;
}

}  // namespace

bool is_function(std::string_view name) {
  const std::string_view bare = without_module(name);
  return functions().contains(bare) || scalar_function(bare) != nullptr;
}

FormulaValue call_function(std::string_view name, const List& given) {
  const std::string_view bare = without_module(name);
  const auto function = functions().find(bare);
  if (function != functions().end() &&
      takes(function->second.min_operands, function->second.max_operands, given.size()))
    return function->second.compute(given);
  const ScalarFunction* scalar = scalar_function(bare);
  if (scalar == nullptr || !takes(scalar->min_operands, scalar->max_operands, given.size()))
    throw ExprError("'" + std::string(name) + "' does not take " + std::to_string(given.size()) +
                    " operands");
  return call(*scalar, given);
}

std::string names_of_functions() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) names.push_back(name);
  for (const ScalarFunction& function : scalar_functions())
    if (!functions().contains(function.name)) names.emplace_back(function.name);
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::optional<double> constant_without_module(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<double> constant_of_module(std::string_view name) {
  const std::string_view bare = without_module(name);
  if (bare.size() == name.size()) return std::nullopt;
  if (bare == "e") return std::numbers::e;
  return constant_without_module(bare);
}

}  // namespace tune::search
