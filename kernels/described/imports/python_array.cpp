// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/python_array.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;
using Contents = ArrayContents;

bool is_range(const Contents& contents) {
  return contents.kind == Contents::Kind::random || contents.kind == Contents::Kind::constant;
}

Contents unknown(std::string_view text) {
  Contents contents;
  contents.why = text;
  return contents;
}

Contents contents_of(const Value& value) {
  if (value.is(Kind::array)) return value.array->contents;
  if (value.is_number()) return {Contents::Kind::constant, value.number(), value.number(), {}, {}, nullptr};
  return {};
}

/// The range of what an operator makes of two ranges; random numbers between its bounds.
Contents combined(std::string_view op, const Contents& a, const Contents& b, std::string_view text) {
  if (op == "*" && b.kind == Contents::Kind::constant && b.low == 1) return a;
  if ((op == "+" || op == "-") && b.kind == Contents::Kind::constant && b.low == 0 && b.high == 0) return a;
  if (!is_range(a) || !is_range(b)) return unknown(text);
  const double a_high = a.kind == Contents::Kind::constant ? a.low : a.high,
               b_high = b.kind == Contents::Kind::constant ? b.low : b.high;
  std::array<double, 4> ends = {};
  if (op == "+")
    ends = {a.low + b.low, a_high + b_high, a.low + b.low, a_high + b_high};
  else if (op == "-")
    ends = {a.low - b_high, a_high - b.low, a.low - b_high, a_high - b.low};
  else if (op == "*")
    ends = {a.low * b.low, a.low * b_high, a_high * b.low, a_high * b_high};
  else if (op == "/" && b.low * b_high > 0)
    ends = {a.low / b.low, a.low / b_high, a_high / b.low, a_high / b_high};
  else
    return unknown(text);
  const auto [low, high] = std::ranges::minmax(ends);
  if (!std::isfinite(low) || !std::isfinite(high)) return unknown(text);
  const bool is_constant = a.kind == Contents::Kind::constant && b.kind == Contents::Kind::constant;
  return {is_constant ? Contents::Kind::constant : Contents::Kind::random, low, high, {}, {}, nullptr};
}

bool is_whole_type(const std::string& type) {
  return type.starts_with("int") || type.starts_with("uint") || type == "bool";
}

std::string common_type(const Value& a, const Value& b, std::string_view op) {
  const auto type_of = [](const Value& value) {
    return value.is(Kind::array) ? value.array->type : value.type.empty() ? std::string() : value.type;
  };
  const std::string left = type_of(a), right = type_of(b);
  const bool has_real = a.is(Kind::real) || b.is(Kind::real) || op == "/";
  std::string type = a.is(Kind::array) ? left : right;
  if (a.is(Kind::array) && b.is(Kind::array) && (is_whole_type(left) || right == "float64") && left != right)
    type = right;
  return has_real && is_whole_type(type) ? "float64" : type;
}

}  // namespace

Value array_binary(std::string_view op, const Value& a, const Value& b, std::string_view text) {
  const bool is_both = a.is(Kind::array) && b.is(Kind::array);
  if (a.is(Kind::list) || b.is(Kind::list)) {  // of sorted(array), or what numpy makes of a list
    const Value& list = a.is(Kind::list) ? a : b;
    const Value& other = a.is(Kind::list) ? b : a;
    if (op != "+" || other.array->shape.size() != 1) return Value::unknown(text);
    Array all = *other.array;
    all.shape.front() =
        binary("+", all.shape.front(), Value::of(static_cast<std::int64_t>(list.items->size())), text);
    all.contents = unknown(text);
    return Value::of(std::move(all));
  }
  const Value& shaped = !is_both                                         ? (a.is(Kind::array) ? a : b)
                        : a.array->shape.size() >= b.array->shape.size() ? a
                                                                         : b;
  Array result;
  result.shape = shaped.array->shape;
  result.type = common_type(a, b, op);
  result.contents = op == "+" && is_both && contents_of(a).kind == Contents::Kind::constant
                        ? combined(op, contents_of(b), contents_of(a), text)
                        : combined(op, contents_of(a), contents_of(b), text);
  // `rand(n) * size`: up to the size.
  const Value& factor = a.is(Kind::array) ? b : a;
  const Contents unit = contents_of(a.is(Kind::array) ? a : b);
  if (op == "*" && factor.follows() && unit.kind == Contents::Kind::random && unit.low == 0 && unit.high == 1)
    result.contents.bound = std::make_shared<const Value>(factor);
  return Value::of(std::move(result));
}

Value array_of_function(std::string_view function, const Value& array, std::string_view text) {
  Array result = *array.array;
  const Contents& of = array.array->contents;
  const bool is_magnitude = function == "absolute" || function == "abs" || function == "fabs";
  if (is_whole_type(result.type) && !is_magnitude) result.type = "float64";
  if (is_magnitude && is_range(of)) {
    result.contents = of;
    if (of.kind == Contents::Kind::random && of.low < 0)
      result.contents.low = of.high < 0 ? -of.high : 0, result.contents.high = std::max(-of.low, of.high);
    if (of.kind == Contents::Kind::constant) result.contents.low = result.contents.high = std::abs(of.low);
  } else if (function == "sin" || function == "cos" || function == "tanh") {
    result.contents = {Contents::Kind::random, -1, 1, {}, {}, nullptr};
  } else if (function != "ascontiguousarray" && function != "copy") {
    result.contents = unknown(text);
  }
  return Value::of(std::move(result));
}

Value array_of_list(const Value& list, std::string_view text) {
  Array result;
  result.type = "int64";
  bool is_known = true;
  const auto add = [&](const auto& self, const Value& value, std::size_t depth) -> void {
    if (!value.is(Kind::list) && !value.is(Kind::tuple)) {
      is_known = is_known && value.is_number() && result.shape.size() == depth;
      if (!value.is_number()) return;
      if (value.is(Kind::real)) result.type = "float64";
      result.contents.listed.push_back(value.number());
      return;
    }
    constexpr std::size_t deepest = 4;
    const auto size = static_cast<std::int64_t>(value.items->size());
    if (depth == deepest) is_known = false;
    if (!is_known) return;
    if (result.shape.size() == depth && result.contents.listed.empty())
      result.shape.push_back(Value::of(size));
    else
      is_known = depth < result.shape.size() && result.shape[depth].whole == size;
    for (const Value& one : *value.items) self(self, one, depth + 1);
  };
  add(add, list, 0);
  if (!is_known || result.shape.empty()) return Value::unknown(text);
  result.contents.kind = Contents::Kind::listed;
  return Value::of(std::move(result));
}

Value elements_of(const Array& array, std::string_view text) {
  Value product = Value::of(std::int64_t{1});
  for (const Value& extent : array.shape) product = binary("*", product, extent, text);
  return product;
}

std::string type_named_by(const Value& value) {
  std::string name = value.text;
  if (!value.is(Kind::object) && !value.is(Kind::text)) return {};
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  static const std::pair<std::string_view, std::string_view> other[] = {
      {"float", "float64"}, {"double", "float64"}, {"single", "float32"},     {"half", "float16"},
      {"int", "int64"},     {"intc", "int32"},     {"uintc", "uint32"},       {"bool_", "bool"},
      {"f4", "float32"},    {"f8", "float64"},     {"i4", "int32"},           {"i8", "int64"},
      {"u4", "uint32"},     {"u1", "uint8"},       {"ubyte", "uint8"},        {"byte", "int8"},
      {"f", "float32"},     {"d", "float64"},      {"complex", "complex128"}, {"csingle", "complex64"}};
  for (const auto& [from, to] : other)
    if (name == from) return std::string(to);
  for (const std::string_view known :
       {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
        "uint64", "bool", "complex64", "complex128"})
    if (name == known) return name;
  return {};
}

Value bytes_of_element(const std::string& type, std::string_view text) {
  if (type == "bool") return Value::of(std::int64_t{1});
  const std::size_t digits = type.find_first_of("0123456789");
  const Value bits =
      digits == std::string::npos
          ? Value()
          : Follower::expression(type.substr(digits), [](std::string_view) { return Value(); });
  return bits.is(Kind::whole) ? Value::of(bits.whole / 8) : Value::unknown(text);
}

Value array_of_parts(const Value::Items& parts, std::string_view text) {
  if (parts.empty() || !parts.front().is(Kind::array)) return Value::unknown(text);
  Array all = *parts.front().array;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool fits = parts[i].is(Kind::array) && parts[i].array->shape.size() == all.shape.size();
    if (!fits || all.shape.empty()) return Value::unknown(text);
    all.shape.front() = binary("+", all.shape.front(), parts[i].array->shape.front(), text);
    all.type = common_type(Value::of(all), parts[i], "+");
  }
  if (parts.size() > 1) all.contents = unknown(text);
  return Value::of(std::move(all));
}

Value with_type(const Value& array, std::string type) {
  Array result = *array.array;
  Contents& is = result.contents;
  const bool is_cut = is_whole_type(type) && type != "bool" && result.type.starts_with("float");
  if (is_cut && is.kind == Contents::Kind::random && is.high - is.low > 1) {  // the bound itself never comes
    is.high -= 1;
    if (is.bound != nullptr)
      is.bound = std::make_shared<const Value>(binary("-", *is.bound, Value::of(std::int64_t{1}), {}));
  }
  result.type = std::move(type);
  return Value::of(std::move(result));
}

std::vector<Value> shape_from(const Value& value) {
  if (value.is_sequence()) return *value.items;
  return {value};
}

}  // namespace tune::described::python
