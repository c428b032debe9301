// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/scope.hpp"

#include <cmath>

#include "library/tuner/convert.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

using definition::FormulaValue;

/// Functions give real numbers; whole ones are whole.
FormulaValue value_of(double number) {
  constexpr double max = 0x1p62;
  if (std::floor(number) == number && std::abs(number) <= max) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

std::string word_of(const search::Value& value) {
  return value.is_bool() ? (value.as_bool() ? "1" : "0") : value.to_string();
}

ExpressionScope::ExpressionScope(const Spec& spec, const Instance& instance)
    : spec_(spec), sizes_(sizes_of(instance)) {
  FormulaValue::List extents;
  for (const auto& [name, extent] : instance.extents) {
    add(name, extent);
    extents.emplace_back(extent);
  }
  values_.insert_or_assign("ProblemSize", FormulaValue(std::move(extents)));
  for (const auto& [name, value] : instance.settings) add(name, value);
  for (const search::Parameter& parameter : spec.parameters) {
    FormulaValue::List all;
    for (const search::Value& value : parameter.values) all.push_back(FormulaValue(value));
    values_.insert_or_assign(parameter.name, FormulaValue(std::move(all)));
  }
}

ExpressionScope::ExpressionScope(const Spec& spec, const Instance& instance,
                                 const search::Configuration& configuration)
    : ExpressionScope(spec, instance) {
  for (const search::Parameter& parameter : spec.parameters) values_.erase(parameter.name);
  for (const auto& [name, value] : configuration.entries()) add(name, value);
  configuration_ = to_values(configuration);
}

void ExpressionScope::add(const std::string& name, const search::Value& value) {
  values_.insert_or_assign(name, FormulaValue(value));
  words_.insert_or_assign(name, word_of(value));
}

void ExpressionScope::fail(const std::string& what, const std::string& reason) const {
  throw UsageError(format("{}: {}: {}", spec_.name, what, reason));
}

FormulaValue ExpressionScope::formula(const std::string& text, const std::string& what) const {
  try {
    return definition::evaluate(text, [this](std::string_view name) -> const FormulaValue* {
      const auto found = values_.find(name);
      return found == values_.end() ? nullptr : &found->second;
    });
  } catch (const search::ExprError& error) {
    fail(what, format("'{}': {}", text, error.what()));
  }
}

FormulaValue ExpressionScope::value(const Number& number, const std::string& what) const {
  if (const auto* constant = std::get_if<double>(&number.value)) return value_of(*constant);
  if (const auto* text = std::get_if<std::string>(&number.value)) return formula(*text, what);
  return value_of(call(std::get<Number::Function>(number.value), what));
}

FormulaValue ExpressionScope::value(const SizeNumber& number, const std::string& what) const {
  if (const auto* constant = std::get_if<double>(&number.value)) return value_of(*constant);
  if (const auto* text = std::get_if<std::string>(&number.value)) return formula(*text, what);
  const auto& function = std::get<SizeNumber::Function>(number.value);
  return value_of(call([&](const Configuration&, const Sizes& sizes) { return function(sizes); }, what));
}

double ExpressionScope::real(const SizeNumber& number, const std::string& what) const {
  const FormulaValue result = value(number, what);
  if (!result.is_number()) fail(what, format("{} where a number is wanted", definition::kind_of(result)));
  return result.real();
}

std::int64_t ExpressionScope::integer(const Number& number, const std::string& what) const {
  try {
    return value(number, what).integer();
  } catch (const search::ExprError& error) {
    fail(what, error.what());
  }
}

}  // namespace tune::api
