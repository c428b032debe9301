// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernels/described/formula.hpp"
#include "search/expressions/scalar.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using search::Expr;
using search::ExprError;
using search::Scalar;
using List = FormulaValue::List;
using Function = FormulaValue (*)(const List&);

/// Larger real numbers are not exact whole numbers.
constexpr double max_integer = 9007199254740992.0;

[[noreturn]] void refuse(const std::string& wanted, const FormulaValue& found) {
  throw ExprError("expected " + wanted + ", found " + kind_of(found));
}

/// Returns the numbers for `min`, `max` and `sum`: one list, or the arguments themselves.
const List& operands(const List& arguments) {
  return arguments.size() == 1 && arguments.front().is_list() ? arguments.front().list() : arguments;
}

const FormulaValue& only(const List& arguments) {
  if (arguments.size() != 1)
    throw ExprError(format("expected one value in the brackets, found {}", arguments.size()));
  return arguments.front();
}

FormulaValue extreme(const List& arguments, Expr::Op op) {
  const List& all = operands(arguments);
  if (all.empty()) throw ExprError("min and max need a value");
  FormulaValue best = all.front();
  for (const FormulaValue& value : all) best = arithmetic(op, best, value);
  return best;
}

FormulaValue whole_part(double real) {
  if (!(std::abs(real) <= max_integer)) throw ExprError("a number beyond 2^53");
  return static_cast<std::int64_t>(real);
}

FormulaValue range(const List& arguments) {
  if (arguments.empty() || arguments.size() > 3) throw ExprError("range takes one to three whole numbers");
  const std::int64_t begin = arguments.size() == 1 ? 0 : arguments[0].integer();
  const std::int64_t end = arguments.size() == 1 ? arguments[0].integer() : arguments[1].integer();
  const std::int64_t step = arguments.size() == 3 ? arguments[2].integer() : 1;
  if (step == 0) throw ExprError("range with a step of 0");
  List values;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    values.emplace_back(i);
    if (values.size() > max_values) throw ExprError("a range of more than a million values");
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return values;
}

/// As in numpy: like range, but for real numbers too; the end is never reached.
FormulaValue arange(const List& arguments) {
  const bool all_integers =
      std::ranges::none_of(arguments, [](const FormulaValue& value) { return value.is_real(); });
  if (all_integers) return range(arguments);
  if (arguments.empty() || arguments.size() > 3) throw ExprError("arange takes one to three numbers");
  const double begin = arguments.size() == 1 ? 0 : arguments[0].real();
  const double end = arguments.size() == 1 ? arguments[0].real() : arguments[1].real();
  const double step = arguments.size() == 3 ? arguments[2].real() : 1;
  const double count = std::ceil((end - begin) / step);
  if (!(std::abs(count) <= static_cast<double>(max_values)))
    throw ExprError("a range of more than a million values");
  List values;
  for (double i = 0; i < count; ++i) values.emplace_back(begin + i * step);
  return values;
}

FormulaValue product(const List& arguments) {
  FormulaValue all = std::int64_t{1};
  for (const FormulaValue& value : operands(arguments)) all = times(all, value);
  return all;
}

FormulaValue sorted(const List& arguments) {
  List all = only(arguments).list();
  std::ranges::stable_sort(all, [](const FormulaValue& a, const FormulaValue& b) {
    return compare(Expr::Op::less, a, b).to_bool();
  });
  return all;
}

FormulaValue power_of(const List& arguments) {
  if (arguments.size() != 2) throw ExprError("pow takes two numbers");
  return arithmetic(Expr::Op::power, arguments[0], arguments[1]);
}

FormulaValue sum(const List& arguments) {
  FormulaValue all = std::int64_t{0};
  for (const FormulaValue& value : operands(arguments)) all = plus(all, value);
  return all;
}

FormulaValue absolute(const List& arguments) {
  const FormulaValue& value = only(arguments);
  return value.real() < 0 ? arithmetic(Expr::Op::subtract, std::int64_t{0}, value) : value;
}

FormulaValue ceil_div(const List& arguments) {
  if (arguments.size() != 2) throw ExprError("ceil_div takes two numbers");
  const FormulaValue zero = std::int64_t{0};
  const FormulaValue negated = arithmetic(Expr::Op::subtract, zero, arguments[0]);
  return arithmetic(Expr::Op::subtract, zero, arithmetic(Expr::Op::floor_divide, negated, arguments[1]));
}

FormulaValue length(const List& arguments) {
  const FormulaValue& value = only(arguments);
  return static_cast<std::int64_t>(value.is_text() ? value.text().size() : value.list().size());
}

FormulaValue to_whole(const List& arguments) {
  const FormulaValue& value = only(arguments);
  return value.is_real() ? whole_part(std::trunc(value.real())) : FormulaValue(value.integer());
}

FormulaValue log2_of(const List& arguments) {
  const double value = only(arguments).real();
  if (!(value > 0)) throw ExprError("the logarithm of a number that is not positive");
  return std::log2(value);
}

FormulaValue sqrt_of(const List& arguments) {
  const double value = only(arguments).real();
  if (!(value >= 0)) throw ExprError("the square root of a negative number");
  return std::sqrt(value);
}

FormulaValue divided(const List& arguments) {
  if (arguments.size() != 2) throw ExprError("divmod takes two numbers");
  return List{arithmetic(Expr::Op::floor_divide, arguments[0], arguments[1]),
              arithmetic(Expr::Op::modulo, arguments[0], arguments[1])};
}

FormulaValue common_divisor(const List& arguments) {
  if (arguments.size() != 2) throw ExprError("gcd takes two numbers");
  return arithmetic(Expr::Op::common_divisor, arguments[0], arguments[1]);
}

/// Each value once, in the order in which they come.
FormulaValue distinct(const List& arguments) {
  List all;
  std::set<std::string> seen;
  for (const FormulaValue& value : only(arguments).list())
    if (seen.insert(value.scalar().to_string()).second) all.push_back(value);
  return all;
}

const std::map<std::string, Function, std::less<>>& functions() {
  static const std::map<std::string, Function, std::less<>> all = {
      {"abs", absolute},
      {"all",
       [](const List& a) {
         return FormulaValue(std::ranges::all_of(only(a).list(), &FormulaValue::to_bool));
       }},
      {"any",
       [](const List& a) {
         return FormulaValue(std::ranges::any_of(only(a).list(), &FormulaValue::to_bool));
       }},
      {"arange", arange},
      {"array", [](const List& a) { return FormulaValue(only(a).list()); }},
      {"bool", [](const List& a) { return FormulaValue(only(a).to_bool()); }},
      {"ceil", [](const List& a) { return whole_part(std::ceil(only(a).real())); }},
      {"ceil_div", ceil_div},
      {"divmod", divided},
      {"float", [](const List& a) { return FormulaValue(only(a).real()); }},
      {"floor", [](const List& a) { return whole_part(std::floor(only(a).real())); }},
      {"gcd", common_divisor},
      {"int", to_whole},
      {"len", length},
      {"list", [](const List& a) { return FormulaValue(a.empty() ? List() : only(a).list()); }},
      {"log2", log2_of},
      {"max", [](const List& a) { return extreme(a, Expr::Op::maximum); }},
      {"min", [](const List& a) { return extreme(a, Expr::Op::minimum); }},
      {"pow", power_of},
      {"prod", product},
      {"range", range},
      // Rounds to even, as Python does.
      {"round", [](const List& a) { return whole_part(std::nearbyint(only(a).real())); }},
      {"set", distinct},
      {"sorted", sorted},
      {"sqrt", sqrt_of},
      {"sum", sum},
      {"tuple", [](const List& a) { return FormulaValue(a.empty() ? List() : only(a).list()); }},
  };
  return all;
}

/// Definitions for Python call some functions by their module.
std::string_view without_prefix(std::string_view name) {
  for (const std::string_view module : {"math.", "np.", "numpy."})
    if (name.starts_with(module)) return name.substr(module.size());
  return name;
}

}  // namespace

FormulaValue::FormulaValue(const search::Value& value) {
  if (value.is_bool())
    data = value.as_bool();
  else if (value.is_int())
    data = value.as_int();
  else if (value.is_real())
    data = value.as_real();
  else
    data = value.as_text();
}

FormulaValue FormulaValue::of_number(double number) {
  constexpr double max = 0x1p62;
  if (std::floor(number) == number && std::abs(number) <= max) return static_cast<std::int64_t>(number);
  return number;
}

const FormulaValue::List& FormulaValue::list() const {
  if (!is_list()) refuse("a list", *this);
  return std::get<List>(data);
}

const std::string& FormulaValue::text() const {
  if (!is_text()) refuse("a text", *this);
  return std::get<std::string>(data);
}

std::int64_t FormulaValue::integer() const {
  if (const bool* boolean = std::get_if<bool>(&data)) return *boolean ? 1 : 0;
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&data)) return *integer;
  if (const double* real = std::get_if<double>(&data)) {
    if (std::nearbyint(*real) == *real && std::abs(*real) <= max_integer)
      return static_cast<std::int64_t>(*real);
    throw ExprError("expected a whole number, found " + search::Value(*real).to_string());
  }
  refuse("a whole number", *this);
}

double FormulaValue::real() const {
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (!is_number()) refuse("a number", *this);
  return static_cast<double>(integer());
}

bool FormulaValue::to_bool() const {
  if (is_list()) return !list().empty();
  if (is_text()) return !text().empty();
  return real() != 0;
}

search::Value FormulaValue::scalar() const {
  if (const bool* boolean = std::get_if<bool>(&data)) return *boolean;
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&data)) return *integer;
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (is_text()) return text();
  refuse("a single value", *this);
}

std::string kind_of(const FormulaValue& value) {
  if (value.is_list()) return "a list";
  if (value.is_text()) return "a text";
  if (std::holds_alternative<bool>(value.data)) return "a truth value";
  return "a number";
}

FormulaValue arithmetic(Expr::Op op, const FormulaValue& a, const FormulaValue& b) {
  const search::Value left = a.scalar(), right = b.scalar();
  return FormulaValue(search::apply(op, Scalar::of(left), Scalar::of(right)).value());
}

FormulaValue arithmetic(Expr::Op op, const FormulaValue& a) {
  const search::Value value = a.scalar();
  return FormulaValue(search::apply(op, Scalar::of(value)).value());
}

FormulaValue plus(const FormulaValue& a, const FormulaValue& b) {
  if (a.is_text() && b.is_text()) return a.text() + b.text();
  if (!a.is_list() || !b.is_list()) return arithmetic(Expr::Op::add, a, b);
  List all = a.list();
  all.insert(all.end(), b.list().begin(), b.list().end());
  if (all.size() > max_values) throw ExprError("a list of more than a million values");
  return all;
}

FormulaValue times(const FormulaValue& a, const FormulaValue& b) {
  if (b.is_list() && !a.is_list()) return times(b, a);
  if (!a.is_list()) return arithmetic(Expr::Op::multiply, a, b);
  const std::int64_t count = std::max<std::int64_t>(0, b.integer());
  if (count > 0 && a.list().size() > max_values / static_cast<std::size_t>(count))
    throw ExprError("a list of more than a million values");
  List all;
  for (std::int64_t i = 0; i < count; ++i) all.insert(all.end(), a.list().begin(), a.list().end());
  return all;
}

FormulaValue compare(Expr::Op op, const FormulaValue& a, const FormulaValue& b) {
  if (!a.is_list() && !b.is_list()) return arithmetic(op, a, b);
  if (op == Expr::Op::equal) return a == b;
  if (op == Expr::Op::not_equal) return !(a == b);
  throw ExprError("lists can be compared for equality only");
}

FormulaValue element(const FormulaValue& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.list().size());
  const std::int64_t at = index < 0 ? size + index : index;
  if (at < 0 || at >= size) throw ExprError(format("there is no element {} of {}", index, size));
  return list.list()[static_cast<std::size_t>(at)];
}

FormulaValue slice(const FormulaValue& list, std::optional<std::int64_t> begin,
                   std::optional<std::int64_t> end, std::int64_t step) {
  if (step == 0) throw ExprError("the step of a slice cannot be 0");
  const List& all = list.list();
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
  return chosen;
}

bool is_function(std::string_view name) {
  return functions().contains(without_prefix(name));
}

FormulaValue call_function(std::string_view name, const List& arguments) {
  return functions().find(without_prefix(name))->second(arguments);
}

}  // namespace tune::described
