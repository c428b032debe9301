// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/formula_value.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "search/expressions/scalar.hpp"

namespace tune::search {
namespace {

using List = FormulaValue::List;
using Shape = FormulaValue::Shape;
using Op = Expr::Op;

[[noreturn]] void refuse(const std::string& wanted, const FormulaValue& found) {
  throw ExprError("expected " + wanted + ", found " + kind_of(found));
}

[[noreturn]] void fail_wide() {
  throw ExprError("the result is beyond 64-bit integers");
}

/// Returns the value of an expression without parameters.
Value constant(const Expr& expr, const char* wanted) {
  if (!expr.variables().empty())
    throw ExprError(std::string("expected ") + wanted + " that does not depend on parameters, found '" +
                    expr.to_string() + "'");
  return expr.evaluate([](std::string_view) { return nullptr; });
}

/// The same value, without an expression.
std::optional<FormulaValue> computed(const FormulaValue& value, const char* wanted) {
  const Expr* expr = std::get_if<Expr>(&value.data);
  return expr == nullptr ? std::nullopt : std::optional(FormulaValue(constant(*expr, wanted)));
}

FormulaValue node(Op op, std::vector<Expr> operands) {
  return Expr::node(op, std::move(operands));
}

/// Where the value is there under a condition, `made` holds only then.
const FormulaValue& value_of(const FormulaValue& one) {
  return one.conditional() != nullptr ? one.conditional()->value : one;
}

/// `make`: a condition on the value; `otherwise`: what it is where the value is left out.
template<class Make>
FormulaValue where_listed(const FormulaValue& one, Make make, bool otherwise) {
  FormulaValue made = make(value_of(one));
  if (one.conditional() == nullptr || one.conditional()->repeats) return made;
  const FormulaValue condition(one.conditional()->condition);
  return otherwise ? either(negation(condition), made) : both(condition, made);
}

FormulaValue equality(const FormulaValue& a, const FormulaValue& b);

bool subset_shape(const FormulaValue& a, const FormulaValue& b) {
  return a.is_set() && b.is_set();
}

FormulaValue is_subset(const FormulaValue& a, const FormulaValue& b) {
  FormulaValue all(true);
  for (const FormulaValue& one : a.list())
    all = both(all, where_listed(
                        one, [&](const FormulaValue& value) { return member(value, b); }, true));
  return all;
}

const List& complete_list(const FormulaValue& value) {
  if (std::ranges::any_of(value.list(), [](const FormulaValue& one) { return one.conditional() != nullptr; }))
    throw ExprError("a list that leaves values out for some parameters has no order");
  return value.list();
}

FormulaValue equal_lists(const FormulaValue& a, const FormulaValue& b) {
  if (!a.is_list() || !b.is_list() || a.shape != b.shape) return false;
  if (a.is_set()) return both(is_subset(a, b), is_subset(b, a));
  const List &left = complete_list(a), &right = complete_list(b);
  if (left.size() != right.size()) return false;
  FormulaValue all(true);
  for (std::size_t i = 0; i < left.size(); ++i) all = both(all, equality(left[i], right[i]));
  return all;
}

/// A sum that counts conditions: `(1 if a != b else 0) + (1 if a != c else 0) + 1`.
bool add_counted(const Expr& expr, std::int64_t& most, std::vector<Expr>& conditions) {
  if (expr.op() == Op::add)
    return add_counted(expr.operands()[0], most, conditions) &&
           add_counted(expr.operands()[1], most, conditions);
  if (expr.op() == Op::literal && expr.literal().is_int()) {
    most += expr.literal().as_int();
    return true;
  }
  const bool counts = expr.op() == Op::conditional && expr.operands()[1].same_as(Expr(1)) &&
                      expr.operands()[2].same_as(Expr(0));
  if (!counts) return false;
  ++most;
  conditions.push_back(expr.operands()[0]);
  return true;
}

bool never_fails(const Expr& expr) {
  const bool logical = expr.op() == Op::not_equal || expr.op() == Op::logical_and ||
                       expr.op() == Op::logical_or || expr.op() == Op::logical_not;
  return expr.op() == Op::variable || expr.op() == Op::literal ||
         (logical && std::ranges::all_of(expr.operands(), never_fails));
}

/// `len({a, b, c}) == 3` is `b != a and c != a and c != b`, which takes less to compute and to count.
std::optional<Expr> all_counted(const Expr& count, const Expr& wanted) {
  if (wanted.op() != Op::literal || !wanted.literal().is_int() || count.op() == Op::literal)
    return std::nullopt;
  std::int64_t most = 0;
  std::vector<Expr> conditions;
  if (!add_counted(count, most, conditions) || most != wanted.literal().as_int() || conditions.size() < 2 ||
      !std::ranges::all_of(conditions, never_fails))
    return std::nullopt;
  Expr all = conditions.front();
  for (std::size_t i = 1; i < conditions.size(); ++i) all = all && conditions[i];
  return all;
}

FormulaValue equality(const FormulaValue& a, const FormulaValue& b) {
  if (a.is_list() || b.is_list()) return equal_lists(a, b);
  if (!a.is_expr() && !b.is_expr()) return arithmetic(Op::equal, a, b);
  const Expr left = a.expr(), right = b.expr();
  if (auto all = all_counted(left, right)) return *std::move(all);
  if (auto all = all_counted(right, left)) return *std::move(all);
  return node(Op::equal, {left, right});
}

/// The first values that differ decide.
FormulaValue ordered_lists(Op op, const List& a, const List& b, std::size_t from) {
  const bool or_equal = op == Op::less_equal || op == Op::greater_equal;
  const bool less = op == Op::less || op == Op::less_equal;
  if (from == a.size() || from == b.size())
    return a.size() == b.size() ? or_equal : (a.size() < b.size()) == less;
  const FormulaValue decided = compare(less ? Op::less : Op::greater, a[from], b[from]);
  return either(decided, both(equality(a[from], b[from]), ordered_lists(op, a, b, from + 1)));
}

std::string key_of(const FormulaValue& value) {
  if (value.is_list()) {
    std::string key = "[";
    for (const FormulaValue& one : value.list()) key += key_of(one) + ",";
    return key + "]";
  }
  const Value scalar = value.scalar();
  if (scalar.is_text()) return "'" + scalar.as_text();
  const double real = scalar.as_real();
  const bool whole = real == std::trunc(real) && std::abs(real) <= max_exact_integer;
  return whole ? Value(static_cast<std::int64_t>(real)).to_string() : scalar.to_string();
}

/// True where nothing of it depends on parameters.
bool is_concrete(const FormulaValue& value) {
  if (value.is_list()) return std::ranges::all_of(value.list(), is_concrete);
  if (value.conditional() != nullptr) return false;
  return !value.is_expr() || value.expr().variables().empty();
}

/// The values of `all` for which the condition holds.
template<class Condition>
void add_where(const List& all, Condition condition, List& kept) {
  for (const FormulaValue& one : all) {
    FormulaValue holds = condition(value_of(one));
    if (holds.is_expr() && holds.expr().variables().empty()) holds = FormulaValue(holds.to_bool());
    if (!holds.is_expr() && !holds.to_bool()) continue;
    if (one.conditional() != nullptr) holds = both(FormulaValue(one.conditional()->condition), holds);
    kept.push_back(holds.is_expr() ? FormulaValue::listed(holds.expr(), value_of(one)) : one);
  }
}

}  // namespace

FormulaValue::FormulaValue(const Value& value) {
  if (value.is_bool())
    data = value.as_bool();
  else if (value.is_int())
    data = value.as_int();
  else if (value.is_real())
    data = value.as_real();
  else
    data = value.as_text();
}

FormulaValue::FormulaValue(SymbolicRange range)
    : data(std::make_shared<const SymbolicRange>(std::move(range))) {}

FormulaValue FormulaValue::listed(Expr condition, FormulaValue value, bool repeats) {
  FormulaValue made;
  made.data = std::make_shared<const Listed>(Listed{std::move(condition), std::move(value), repeats});
  return made;
}

FormulaValue FormulaValue::of_whole(WholeNumber number) {
  const auto narrow = static_cast<std::int64_t>(number);
  if (narrow == number) return narrow;
  FormulaValue made;
  made.data = WideNumber{static_cast<std::int64_t>(number >> 64), static_cast<std::uint64_t>(number)};
  return made;
}

FormulaValue FormulaValue::of_number(double number) {
  constexpr double max = 0x1p64;
  if (std::floor(number) == number && std::abs(number) <= max)
    return of_whole(static_cast<WholeNumber>(number));
  return number;
}

bool FormulaValue::is_list() const {
  return std::holds_alternative<List>(data) || range() != nullptr;
}

bool FormulaValue::is_number() const {
  return std::holds_alternative<bool>(data) || std::holds_alternative<std::int64_t>(data) || is_real() ||
         is_wide();
}

const Listed* FormulaValue::conditional() const {
  const auto* listed = std::get_if<std::shared_ptr<const Listed>>(&data);
  return listed == nullptr ? nullptr : listed->get();
}

const SymbolicRange* FormulaValue::range() const {
  const auto* range = std::get_if<std::shared_ptr<const SymbolicRange>>(&data);
  return range == nullptr ? nullptr : range->get();
}

const FormulaValue::List& FormulaValue::list() const {
  if (const SymbolicRange* symbolic = range()) {
    if (symbolic->values) return *symbolic->values;
    const bool constant = symbolic->begin.variables().empty() && symbolic->end.variables().empty() &&
                          symbolic->step.variables().empty();
    throw ExprError(constant ? "a range of more than 1000 numbers"
                             : "a list cannot depend on parameters in its length");
  }
  if (!is_list()) refuse("a list", *this);
  return std::get<List>(data);
}

const std::string& FormulaValue::text() const {
  if (!is_text()) refuse("a text", *this);
  return std::get<std::string>(data);
}

WholeNumber FormulaValue::whole() const {
  if (const auto value = computed(*this, "a whole number")) return value->whole();
  if (const bool* boolean = std::get_if<bool>(&data)) return *boolean ? 1 : 0;
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&data)) return *integer;
  if (const WideNumber* wide = std::get_if<WideNumber>(&data))
    return (WholeNumber{wide->high} << 64) | WholeNumber{wide->low};
  if (const double* real = std::get_if<double>(&data)) {
    if (std::nearbyint(*real) == *real && std::abs(*real) <= max_exact_integer)
      return static_cast<std::int64_t>(*real);
    throw ExprError("expected a whole number, found " + Value(*real).to_string());
  }
  refuse("a whole number", *this);
}

std::int64_t FormulaValue::integer() const {
  const WholeNumber number = whole();
  if (static_cast<std::int64_t>(number) != number) fail_wide();
  return static_cast<std::int64_t>(number);
}

double FormulaValue::real() const {
  if (const auto value = computed(*this, "a number")) return value->real();
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (!is_number()) refuse("a number", *this);
  return static_cast<double>(whole());
}

bool FormulaValue::to_bool() const {
  if (const auto value = computed(*this, "a condition")) return value->to_bool();
  if (is_list()) return !list().empty();
  if (is_text()) return !text().empty();
  return real() != 0;
}

Value FormulaValue::scalar() const {
  if (is_expr()) return constant(std::get<Expr>(data), "a value");
  if (const bool* boolean = std::get_if<bool>(&data)) return *boolean;
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&data)) return *integer;
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (is_text()) return text();
  if (is_wide()) fail_wide();
  refuse("a single value", *this);
}

Expr FormulaValue::expr() const {
  return is_expr() ? std::get<Expr>(data) : Expr(scalar());
}

std::string kind_of(const FormulaValue& value) {
  if (value.is_set()) return "a set";
  if (value.is_list()) return "a list";
  if (value.conditional() != nullptr)
    return "a value that a comprehension leaves out for some parameters: its 'if' over parameters can only stand "
           "in any, all, len, prod, set and sum";
  if (value.is_text()) return "a text";
  if (value.is_expr()) {
    const Expr expr = value.expr();
    return expr.op() == Op::literal ? kind_of(FormulaValue(expr.literal())) : "'" + expr.to_string() + "'";
  }
  if (std::holds_alternative<bool>(value.data)) return "a truth value";
  return "a number";
}

FormulaValue arithmetic(Op op, const FormulaValue& a, const FormulaValue& b) {
  if (a.is_expr() || b.is_expr()) return node(op, {a.expr(), b.expr()});
  if (a.is_wide() || b.is_wide()) return wide_arithmetic(op, a, b);
  const Value left = a.scalar(), right = b.scalar();
  const Scalar result = apply(op, Scalar::of(left), Scalar::of(right));
  return result.is_huge() ? wide_arithmetic(op, a, b) : FormulaValue(result.value());
}

FormulaValue arithmetic(Op op, const FormulaValue& a) {
  if (a.is_expr()) return node(op, {a.expr()});
  if (!a.is_wide()) {
    const Value value = a.scalar();
    const Scalar result = apply(op, Scalar::of(value));
    if (!result.is_huge()) return FormulaValue(result.value());
  }
  return wide_arithmetic(op, a);
}

FormulaValue plus(const FormulaValue& a, const FormulaValue& b) {
  if (a.is_text() && b.is_text()) return a.text() + b.text();
  if (!a.is_list() || !b.is_list() || a.is_set() || b.is_set()) return arithmetic(Op::add, a, b);
  List all = a.list();
  all.insert(all.end(), b.list().begin(), b.list().end());
  if (all.size() > max_values) throw ExprError("a list of more than a million values");
  return {std::move(all), a.shape};
}

FormulaValue times(const FormulaValue& a, const FormulaValue& b) {
  if (b.is_list() && !a.is_list()) return times(b, a);
  if (!a.is_list() || a.is_set() || b.is_list()) return arithmetic(Op::multiply, a, b);
  const std::int64_t count = std::max<std::int64_t>(0, b.integer());
  if (count > 0 && a.list().size() > max_values / static_cast<std::size_t>(count))
    throw ExprError("a list of more than a million values");
  List all;
  for (std::int64_t i = 0; i < count; ++i) all.insert(all.end(), a.list().begin(), a.list().end());
  return {std::move(all), a.shape};
}

FormulaValue set_operation(Op op, const FormulaValue& a, const FormulaValue& b) {
  if (!a.is_set() || !b.is_set()) return arithmetic(op, a, b);
  const auto in = [](const FormulaValue& set) {
    return [&set](const FormulaValue& value) { return member(value, set); };
  };
  const auto not_in = [](const FormulaValue& set) {
    return [&set](const FormulaValue& value) { return negation(member(value, set)); };
  };
  List all;
  switch (op) {
    case Op::subtract:
      add_where(a.list(), not_in(b), all);
      break;
    case Op::bit_and:
      add_where(a.list(), in(b), all);
      break;
    case Op::bit_or:
      all = a.list();
      add_where(b.list(), not_in(a), all);
      break;
    case Op::bit_xor:
      add_where(a.list(), not_in(b), all);
      add_where(b.list(), not_in(a), all);
      break;
    default:
      return arithmetic(op, a, b);
  }
  return {std::move(all), Shape::set};
}

FormulaValue compare(Op op, const FormulaValue& a, const FormulaValue& b) {
  if (op == Op::equal) return equality(a, b);
  if (op == Op::not_equal)
    return a.is_list() || b.is_list() ? negation(equality(a, b)) : arithmetic(op, a, b);
  if (!a.is_list() && !b.is_list()) return arithmetic(op, a, b);
  if (!a.is_list() || !b.is_list() || a.shape != b.shape)
    throw ExprError("cannot compare " + kind_of(a) + " with " + kind_of(b));
  if (!subset_shape(a, b)) return ordered_lists(op, complete_list(a), complete_list(b), 0);
  const bool less = op == Op::less || op == Op::less_equal;
  const FormulaValue &small = less ? a : b, &large = less ? b : a;
  const FormulaValue contained = is_subset(small, large);
  if (op == Op::less_equal || op == Op::greater_equal) return contained;
  return both(contained, negation(is_subset(large, small)));
}

namespace {

FormulaValue in_range(const Expr& value, const SymbolicRange& range) {
  const Expr up = range.begin <= value && value < range.end && (value - range.begin) % range.step == 0;
  const Expr down = range.begin >= value && value > range.end && (range.begin - value) % -range.step == 0;
  if (!range.step.variables().empty()) return if_else(range.step > 0, up, down);
  return FormulaValue(range.step).real() > 0 ? up : down;
}

}  // namespace

FormulaValue member(const FormulaValue& value, const FormulaValue& list) {
  if (list.range() != nullptr && !value.is_list()) return in_range(value.expr(), *list.range());
  const List& all = list.list();
  const auto is_single = [](const FormulaValue& one) {
    return !one.is_list() && one.conditional() == nullptr;
  };
  if (is_single(value) && std::ranges::all_of(all, is_single)) {
    const bool symbolic =
        value.is_expr() || std::ranges::any_of(all, [](const FormulaValue& one) { return one.is_expr(); });
    if (!symbolic)
      return std::ranges::any_of(all,
                                 [&](const FormulaValue& one) { return equality(value, one).to_bool(); });
    std::vector<Expr> choices;
    for (const FormulaValue& one : all) choices.push_back(one.expr());
    return in(value.expr(), std::move(choices));
  }
  FormulaValue any(false);
  for (const FormulaValue& one : all)
    any = either(any, where_listed(
                          one, [&](const FormulaValue& choice) { return equality(value, choice); }, false));
  return any;
}

FormulaValue negation(const FormulaValue& a) {
  if (a.is_expr()) return !a.expr();
  return !a.to_bool();
}

FormulaValue both(const FormulaValue& a, const FormulaValue& b) {
  if (!a.is_expr()) return a.to_bool() ? b : FormulaValue(false);
  if (!b.is_expr() && !b.is_list()) return b.to_bool() ? a : FormulaValue(false);
  return a.expr() && b.expr();
}

FormulaValue either(const FormulaValue& a, const FormulaValue& b) {
  if (!a.is_expr()) return a.to_bool() ? FormulaValue(true) : b;
  if (!b.is_expr() && !b.is_list()) return b.to_bool() ? FormulaValue(true) : a;
  return a.expr() || b.expr();
}

namespace {

FormulaValue differs_from_all(const FormulaValue& value, const List& others) {
  FormulaValue differs(true);
  for (const FormulaValue& other : others) {
    if (is_concrete(value) && is_concrete(value_of(other)) && key_of(value) != key_of(value_of(other)))
      continue;
    const auto unequal = [&](const FormulaValue& b) { return compare(Op::not_equal, value, b); };
    differs = both(differs, where_listed(other, unequal, true));
  }
  return differs;
}

}  // namespace

FormulaValue distinct(const List& all) {
  List once;
  if (std::ranges::all_of(all, is_concrete)) {
    std::set<std::string> seen;
    for (const FormulaValue& value : all)
      if (seen.insert(key_of(value)).second) once.push_back(value);
    return {std::move(once), Shape::set};
  }
  for (const FormulaValue& one : all) {
    const List earlier = once;
    add_where(
        {one}, [&](const FormulaValue& value) { return differs_from_all(value, earlier); }, once);
    const Listed* listed = once.back().conditional();
    if (once.size() > earlier.size() && listed != nullptr && one.conditional() == nullptr)
      once.back() = FormulaValue::listed(listed->condition, listed->value, true);
  }
  return {std::move(once), Shape::set};
}

FormulaValue element(const FormulaValue& list, const FormulaValue& index) {
  const List& all = complete_list(list);
  const auto size = static_cast<std::int64_t>(all.size());
  if (list.is_set()) throw ExprError("a set has no order");
  if (index.is_expr() && !index.expr().variables().empty()) {
    // A text where a number is needed is an error when it is reached.
    Expr chosen = -Expr("a subscript beyond the list");
    for (std::int64_t i = size; i-- > 0;)
      chosen = if_else(index.expr() == Expr(i) || index.expr() == Expr(i - size),
                       all[static_cast<std::size_t>(i)].expr(), chosen);
    return chosen;
  }
  const std::int64_t given = index.integer();
  const std::int64_t at = given < 0 ? size + given : given;
  if (at < 0 || at >= size)
    throw ExprError("there is no element " + std::to_string(given) + " of " + std::to_string(size));
  return all[static_cast<std::size_t>(at)];
}

FormulaValue slice(const FormulaValue& list, std::optional<std::int64_t> begin,
                   std::optional<std::int64_t> end, std::int64_t step) {
  if (step == 0) throw ExprError("the step of a slice cannot be 0");
  if (list.is_set()) throw ExprError("a set has no order");
  const List& all = complete_list(list);
  const auto size = static_cast<std::int64_t>(all.size());
  // Places before the list and behind it, as far as a step in this direction may begin and end.
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  const auto place = [&](std::optional<std::int64_t> bound, std::int64_t otherwise) {
    if (!bound) return otherwise;
    return std::clamp(*bound < 0 ? *bound + size : *bound, lowest, highest);
  };
  List chosen;
  const std::int64_t last = place(end, step > 0 ? highest : lowest);
  for (std::int64_t at = place(begin, step > 0 ? lowest : highest); step > 0 ? at < last : at > last;) {
    chosen.push_back(all[static_cast<std::size_t>(at)]);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return {std::move(chosen), list.shape};
}

}  // namespace tune::search
