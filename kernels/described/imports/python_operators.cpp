// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/python_operators.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/described/imports/python_array.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

Binding binding_of(std::string_view op) {
  const search::InfixOperator* const known = search::infix_operator(op);
  return known == nullptr ? Binding::anything : known->binding;
}

/// The formula of `a op b`; empty where one has none, or it is too long.
std::string composed(std::string_view op, const Value& a, const Value& b) {
  const Binding binding = binding_of(op);
  const bool is_power = op == "**";
  const std::string left =
      formula_of(a, is_power || binding == Binding::comparison ? search::tighter(binding) : binding);
  const std::string right = formula_of(b, is_power ? binding : search::tighter(binding));
  if (left.empty() || right.empty()) return {};
  std::string all = format("{} {} {}", left, op, right);
  return all.size() > longest_formula ? std::string() : all;
}

bool is_number(const Value& value, double number) {
  return value.is_number() && !value.follows() && value.number() == number;
}

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
    if (result == 0 || (result == 1 && base == 1)) break;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  }
  return result;
}

std::optional<std::int64_t> whole_result(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  constexpr std::int64_t bits = 63;
  if (op == "+") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "-") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "*") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "**" && b >= 0) return power(a, b);
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == ">>" && b >= 0) return b >= bits ? (a < 0 ? -1 : 0) : a >> b;
  if (op == "<<" && b >= 0 && b < bits)
    return __builtin_mul_overflow(a, std::int64_t{1} << b, &result) || b == bits - 1 ? std::nullopt
                                                                                     : std::optional(result);
  if ((op == "//" || op == "%") && b != 0) {
    if (b == -1) return op == "%" ? std::optional<std::int64_t>(0) : whole_result("-", 0, a);
    const std::int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    return op == "//" ? quotient : a - quotient * b;
  }
  return std::nullopt;
}

std::optional<double> real_result(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" && b != 0) return a / b;
  if (op == "**") return std::pow(a, b);
  if (op == "//" && b != 0) return std::floor(a / b);
  if (op == "%" && b != 0) return a - std::floor(a / b) * b;
  return std::nullopt;
}

Value number_result(std::string_view op, const Value& a, const Value& b, std::string_view text) {
  Value result;
  if (a.is_whole() && b.is_whole() && op != "/")
    if (const auto whole = whole_result(op, a.integer(), b.integer())) result = Value::of(*whole);
  if (result.is(Kind::unknown))
    if (const auto real = real_result(op, a.number(), b.number()); real && std::isfinite(*real))
      result = Value::of(*real);
  if (result.is(Kind::unknown)) return Value::unknown(text);
  result.type = !a.type.empty() ? a.type : b.type;
  if (result.is(Kind::real) != result.type.starts_with("float")) result.type.clear();
  if (!a.follows() && !b.follows()) return result;
  if (((op == "*" || op == "/" || op == "//") && is_number(b, 1)) ||
      ((op == "+" || op == "-") && is_number(b, 0)))
    result.formula = a.formula, result.binding = a.binding;
  else if ((op == "*" && is_number(a, 1)) || (op == "+" && is_number(a, 0)))
    result.formula = b.formula, result.binding = b.binding;
  else
    result.formula = composed(op, a, b), result.binding = binding_of(op);
  return result;
}

Value repeated(const Value& value, std::int64_t times, std::string_view text) {
  times = std::max<std::int64_t>(0, times);
  const std::size_t size = value.is(Kind::text) ? value.text.size() : value.items->size();
  if (size > 0 && static_cast<std::uint64_t>(times) > longest_value / size) return Value::unknown(text);
  if (value.is(Kind::text)) {
    std::string all;
    for (std::int64_t i = 0; i < times; ++i) all += value.text;
    return Value::of(std::move(all));
  }
  Value::Items all;
  for (std::int64_t i = 0; i < times && size > 0; ++i)
    all.insert(all.end(), value.items->begin(), value.items->end());
  return Value::sequence(value.kind, std::move(all));
}

bool may_be_symbolic(const Value& value) {
  return value.is(Kind::symbol) || value.is_number() || value.is(Kind::text) || value.is(Kind::none);
}

std::optional<int> order(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_whole() && b.is_whole())
      return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
    return a.number() < b.number() ? -1 : a.number() > b.number() ? 1 : 0;
  }
  if (a.is(Kind::text) && b.is(Kind::text)) return a.text.compare(b.text);
  return std::nullopt;
}

/// Nothing where it is not known.
std::optional<bool> contains(const Value& all, const Value& one) {
  if (all.is(Kind::text) && one.is(Kind::text)) return all.text.find(one.text) != std::string::npos;
  if (all.is(Kind::dict))
    return std::ranges::any_of(*all.pairs, [&](const auto& pair) { return equal(pair.first, one); });
  if (!all.is_sequence() || one.is(Kind::unknown) || one.is(Kind::symbol)) return std::nullopt;
  return std::ranges::any_of(*all.items, [&](const Value& item) { return equal(item, one); });
}

}  // namespace

Value binary(std::string_view op, const Value& a, const Value& b, std::string_view text) {
  if (a.is(Kind::array) || b.is(Kind::array)) return array_binary(op, a, b, text);
  if (a.is_number() && b.is_number()) return number_result(op, a, b, text);
  if (op == "%" && a.is(Kind::text)) return formatted(a, b, text);
  if ((a.is(Kind::symbol) || b.is(Kind::symbol)) && may_be_symbolic(a) && may_be_symbolic(b)) {
    if (op == "+" && (a.is(Kind::text) || b.is(Kind::text))) return Value::of(text_of(a) + text_of(b));
    if (op == "*" && is_number(a, 1)) return b;
    if ((op == "*" || op == "/" || op == "//") && is_number(b, 1)) return a;
    std::string formula = composed(op, a, b);
    return formula.empty() ? Value::unknown(text) : Value::symbol(std::move(formula), binding_of(op));
  }
  if (op == "+" && a.is(Kind::text) && b.is(Kind::text) && a.text.size() + b.text.size() <= longest_value)
    return Value::of(a.text + b.text);
  if (op == "/" && a.is(Kind::text) && b.is(Kind::text))  // of pathlib
    return Value::of(b.text.starts_with('/') || a.text.empty() ? b.text : a.text + "/" + b.text);
  if (op == "+" && a.is_sequence() && a.kind == b.kind &&
      a.items->size() + b.items->size() <= longest_value) {
    Value::Items all = *a.items;
    all.insert(all.end(), b.items->begin(), b.items->end());
    return Value::sequence(a.kind, std::move(all));
  }
  if (op == "*") {
    if ((a.is(Kind::text) || a.is(Kind::list) || a.is(Kind::tuple)) && b.is_whole())
      return repeated(a, b.integer(), text);
    if ((b.is(Kind::text) || b.is(Kind::list) || b.is(Kind::tuple)) && a.is_whole())
      return repeated(b, a.integer(), text);
  }
  if (op == "|" && a.is(Kind::dict) && b.is(Kind::dict)) {
    Value all = Value::dict();
    for (const Value* one : {&a, &b})
      for (const auto& [key, value] : *one->pairs) all.set(key, value);
    return all;
  }
  return Value::unknown(text);
}

Value compared(std::string_view op, const Value& a, const Value& b, std::string_view text) {
  if (op == "in" || op == "not in") {
    if (const auto is_in = contains(b, a)) return Value::of(*is_in == (op == "in"));
  } else if (op == "is" || op == "is not") {
    if (b.is(Kind::none) && !a.is(Kind::unknown) && !a.is(Kind::symbol) && !a.is(Kind::object))
      return Value::of(a.is(Kind::none) == (op == "is"));
  } else if (op == "==" || op == "!=") {
    const auto is_open = [](const Value& one) {
      return one.is(Kind::unknown) || one.is(Kind::symbol) || one.is(Kind::array) || one.is(Kind::object);
    };
    if (!is_open(a) && !is_open(b)) return Value::of(equal(a, b) == (op == "=="));
  } else if (const auto known = order(a, b)) {
    return Value::of(op == "<"    ? *known < 0
                     : op == "<=" ? *known <= 0
                     : op == ">"  ? *known > 0
                                  : *known >= 0);
  }
  const bool is_list = b.is_sequence() && (op == "in" || op == "not in");
  if ((!a.is(Kind::symbol) && !b.is(Kind::symbol)) || !may_be_symbolic(a) || !(may_be_symbolic(b) || is_list))
    return Value::unknown(text);
  std::string formula = composed(op, a, b);
  return formula.empty() ? Value::unknown(text) : Value::symbol(std::move(formula), Binding::comparison);
}

Value unary(std::string_view op, const Value& a, std::string_view text) {
  if (op == "not") {
    if (const Truth is = truth(a); is != Truth::unknown) return Value::of(is == Truth::no);
    return a.is(Kind::symbol)
               ? Value::symbol("not " + formula_of(a, Binding::logical_not), Binding::logical_not)
               : Value::unknown(text);
  }
  if (op == "+") return a;
  if (op == "-" && (a.is_number() || a.is(Kind::array))) {
    Value result = binary("-", Value::of(std::int64_t{0}), a, text);
    if (a.follows()) {
      result.formula = "-" + formula_of(a, Binding::unary_minus);
      result.binding = Binding::unary_minus;
    }
    if (a.is(Kind::real)) result.real = -a.real;
    return result;
  }
  if (op == "-" && a.is(Kind::symbol))
    return Value::symbol("-" + formula_of(a, Binding::unary_minus), Binding::unary_minus);
  if (op == "~" && a.is_whole()) return Value::of(~a.integer());
  return Value::unknown(text);
}

Value chosen(const Value& condition, const Value& a, const Value& b) {
  const std::string of = formula_of(condition, Binding::logical_or),
                    rule = formula_of(condition, Binding::logical_and);
  const auto is = [](const Value& value, bool flag) { return value.is(Kind::boolean) && value.flag == flag; };
  if (!condition.is(Kind::symbol) || of.empty()) return Value::unknown({});
  const Value negated = unary("not", condition, {});
  if (is(a, false) && is(b, true)) return negated;
  if (is(a, true) && is(b, false)) return condition;
  const auto joined_by = [](const Value& left, std::string_view word, const Value& right) {
    const Binding binding = word == "and" ? Binding::logical_and : Binding::logical_or;
    const std::string first = formula_of(left, binding), second = formula_of(right, binding);
    return first.empty() || second.empty() || first.size() + second.size() > longest_formula
               ? Value::unknown({})
               : Value::symbol(format("{} {} {}", first, word, second), binding);
  };
  if (is(a, false)) return joined_by(negated, "and", b);
  if (is(b, false)) return joined_by(condition, "and", a);
  if (is(a, true)) return joined_by(condition, "or", b);
  if (is(b, true)) return joined_by(negated, "or", a);
  const std::string left = formula_of(a, Binding::logical_or), right = formula_of(b, Binding::conditional);
  if (left.empty() || right.empty() || left.size() + right.size() > longest_formula)
    return Value::unknown({});
  return Value::symbol(format("{} if {} else {}", left, of, right), Binding::conditional);
}

Value with_call(Value value, std::string_view function, std::string_view arguments) {
  value.formula = arguments.empty() || arguments.size() > longest_formula
                      ? std::string()
                      : format("{}({})", function, arguments);
  value.binding = Binding::primary;
  if (value.formula.empty() && value.is(Kind::symbol)) return Value::unknown({});
  return value;
}

Value element(const Value& object, const Value& index, std::string_view text) {
  if (object.is(Kind::dict)) {
    for (const auto& [key, value] : *object.pairs)
      if (equal(key, index)) return value;
    return Value::unknown(text);
  }
  if (!index.is_whole()) return Value::unknown(text);
  std::int64_t at = index.integer();
  const auto wrapped = [&](std::size_t size) {
    if (at < 0) at += static_cast<std::int64_t>(size);
    return at >= 0 && static_cast<std::size_t>(at) < size;
  };
  if (object.is_sequence() && wrapped(object.items->size()))
    return (*object.items)[static_cast<std::size_t>(at)];
  if (object.is(Kind::text) && wrapped(object.text.size()))
    return Value::of(std::string(1, object.text[static_cast<std::size_t>(at)]));
  return Value::unknown(text);
}

Value formatted(const Value& pattern, const Value& values, std::string_view text) {
  const Value::Items items = values.is(Kind::tuple) ? *values.items : Value::Items{values};
  std::string all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern.text.size(); ++i) {
    if (pattern.text[i] != '%') {
      all += pattern.text[i];
      continue;
    }
    if (i + 1 < pattern.text.size() && pattern.text[i + 1] == '%') {
      all += '%';
      ++i;
      continue;
    }
    const Value* value = nullptr;
    std::size_t end = i + 1;
    if (end < pattern.text.size() && pattern.text[end] == '(') {
      const std::size_t close = pattern.text.find(')', end);
      if (close == std::string::npos) return Value::unknown(text);
      value = values.find(pattern.text.substr(end + 1, close - end - 1));
      end = close + 1;
    } else if (next < items.size()) {
      value = &items[next++];
    }
    while (end < pattern.text.size() &&
           std::string_view("0123456789.-+ #l").find(pattern.text[end]) != std::string_view::npos)
      ++end;
    const std::string shown = value == nullptr ? std::string() : text_of(*value);
    if (end >= pattern.text.size() || shown.empty() || all.size() + shown.size() > longest_value)
      return Value::unknown(text);
    all += shown;
    i = end;
  }
  return Value::of(std::move(all));
}

}  // namespace tune::described::python
