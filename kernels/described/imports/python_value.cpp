// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/python_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char digits[40];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), value);
  std::string text(std::begin(digits), error == std::errc() ? end : std::begin(digits));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string quoted_text(std::string_view text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') all += '\\';
    all += c;
  }
  return all + "'";
}

}  // namespace

Value Value::none() {
  Value value;
  value.kind = Kind::none;
  return value;
}

Value Value::of(bool flag) {
  Value value;
  value.kind = Kind::boolean;
  value.flag = flag;
  return value;
}

Value Value::of(std::int64_t whole) {
  Value value;
  value.kind = Kind::whole;
  value.whole = whole;
  return value;
}

Value Value::of(double real) {
  Value value;
  value.kind = Kind::real;
  value.real = real;
  return value;
}

Value Value::of(std::string text) {
  Value value;
  value.kind = Kind::text;
  value.text = std::move(text);
  return value;
}

Value Value::unknown(std::string_view text) {
  Value value;
  value.text = text;
  return value;
}

Value Value::symbol(std::string formula, Binding binding) {
  Value value;
  value.kind = Kind::symbol;
  value.formula = std::move(formula);
  value.binding = binding;
  return value;
}

Value Value::object(std::string path) {
  Value value;
  value.kind = Kind::object;
  value.text = std::move(path);
  return value;
}

Value Value::sequence(Kind kind, Items items) {
  Value value;
  value.kind = kind;
  value.items = std::make_shared<Items>(std::move(items));
  return value;
}

Value Value::dict() {
  Value value;
  value.kind = Kind::dict;
  value.pairs = std::make_shared<Pairs>();
  return value;
}

Value Value::of(Array array) {
  Value value;
  value.kind = Kind::array;
  value.array = std::make_shared<const Array>(std::move(array));
  return value;
}

Value* Value::find(std::string_view key) const {
  if (kind != Kind::dict) return nullptr;
  const auto found = std::ranges::find_if(
      *pairs, [&](const auto& pair) { return pair.first.is(Kind::text) && pair.first.text == key; });
  return found == pairs->end() ? nullptr : &found->second;
}

void Value::set(Value key, Value value) const {
  if (value.is(Kind::list) && key.is(Kind::text)) value.origin = key.text;
  const auto found = std::ranges::find_if(*pairs, [&](const auto& pair) { return equal(pair.first, key); });
  if (found == pairs->end())
    pairs->emplace_back(std::move(key), std::move(value));
  else
    found->second = std::move(value);
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_whole() && b.is_whole()) return a.integer() == b.integer();
    return a.number() == b.number();
  }
  if (a.kind != b.kind) return false;
  if (a.is(Value::Kind::text) || a.is(Value::Kind::object)) return a.text == b.text;
  if (a.is_sequence()) return std::ranges::equal(*a.items, *b.items, equal);
  return a.is(Value::Kind::none);
}

Truth truth(const Value& value) {
  const auto of = [](bool is) { return is ? Truth::yes : Truth::no; };
  switch (value.kind) {
    case Value::Kind::none:
      return Truth::no;
    case Value::Kind::boolean:
    case Value::Kind::whole:
    case Value::Kind::real:
      return of(value.number() != 0);
    case Value::Kind::text:
      return of(!value.text.empty());
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set:
      return of(!value.items->empty());
    case Value::Kind::dict:
      return of(!value.pairs->empty());
    case Value::Kind::function:
      return Truth::yes;
    default:
      return Truth::unknown;
  }
}

std::string formula_of(const Value& value, Binding least) {
  if (!value.follows()) {
    std::string literal = literal_of(value);
    return literal.starts_with('-') && least > Binding::unary_minus ? "(" + literal + ")" : literal;
  }
  return value.binding < least ? "(" + value.formula + ")" : value.formula;
}

std::string literal_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::none:
      return "None";
    case Value::Kind::boolean:
      return value.flag ? "True" : "False";
    case Value::Kind::whole:
      return std::to_string(value.whole);
    case Value::Kind::real:
      return std::isfinite(value.real) ? real_text(value.real) : std::string();
    case Value::Kind::text:
      return quoted_text(value.text);
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set: {
      std::vector<std::string> all;
      for (const Value& one : *value.items) {
        all.push_back(formula_of(one));
        if (all.back().empty()) return {};
      }
      return "[" + joined(all) + "]";
    }
    default:
      return {};
  }
}

std::string text_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::text:
      return value.text;
    case Value::Kind::symbol:
      return value.formula;
    case Value::Kind::real:
      return real_text(value.real);
    default:
      return literal_of(value);
  }
}

}  // namespace tune::described::python
