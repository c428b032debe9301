// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/formula_value.hpp"

#include <cmath>

#include "search/expressions/expr.hpp"

namespace tune::definition {
namespace {

using search::ExprError;

/// Beyond it a real number is no exact whole number.
constexpr double max_integer = 9007199254740992.0;

[[noreturn]] void refuse(const std::string& wanted, const FormulaValue& found) {
  throw ExprError("expected " + wanted + ", found " + kind_of(found));
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

}  // namespace tune::definition
