// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/described/readers/t1.hpp"
#include "tuner/base/format.hpp"

namespace tune::definition::t1 {
namespace {

/// `[1, 2]`, a formula for it, `1, 2` without brackets, or one value alone.
FormulaValue::List read_list(const JsonField& field) {
  FormulaValue all;
  if (field.is_text() && field.text().find(',') != std::string::npos) {
    try {
      all = evaluate(field.text(), nothing);
    } catch (const search::ExprError&) {
      try {
        all = evaluate("[" + field.text() + "]", nothing);
      } catch (const search::ExprError&) {
        all = field.evaluated(nothing);  // its own error, with the place
      }
    }
  } else if (field.is_list()) {
    FormulaValue::List values;  // texts as they stand: names of choices, or numbers
    for (const JsonField& one : field.elements()) values.push_back(one.value());
    all = std::move(values);
  } else {
    all = field.evaluated(nothing);
  }
  if (!all.is_list()) all = FormulaValue::List{all};
  if (all.list().empty()) field.fail("expected a list of at least one value");
  return all.list();
}

bool is_number_text(const FormulaValue& value) {
  if (!value.is_text()) return true;
  try {
    return evaluate(value.text(), nothing).is_number();
  } catch (const search::ExprError&) {
    return false;
  }
}

/// A number that was written as a text.
FormulaValue as_number(const JsonField& field, const FormulaValue& value, const std::string& type) {
  if (!value.is_text()) return value;
  try {
    FormulaValue number = evaluate(value.text(), nothing);
    if (number.is_number()) return number;
  } catch (const search::ExprError&) {
  }
  field.fail(format("expected values of type {}, found '{}'", type, value.text()));
}

Value typed(const JsonField& field, const FormulaValue& given, const std::string& type) {
  if (given.is_list()) field.fail("expected values, found a list in the list");
  if (type == "string") return given.is_text() ? given.text() : given.scalar().to_string();
  const FormulaValue value = as_number(field, given, type);
  if (type == "bool") return value.to_bool();
  if (type == "float") return value.real();
  if (type == "uint" && value.real() < 0) field.fail("expected values that are not negative");
  // An int with a fraction is what it is; a whole number in any spelling is whole.
  if (value.is_real() && value.real() != static_cast<double>(static_cast<std::int64_t>(value.real())))
    return value.real();
  return value.integer();
}

std::string type_of(const JsonField& field, const std::vector<FormulaValue>& values) {
  const auto given = field.is_object() ? field.find("Type") : std::nullopt;
  if (!given) return std::ranges::all_of(values, is_number_text) ? "int" : "string";
  static const std::map<std::string, std::string> known = {
      {"int", "int"},       {"integer", "int"},   {"int32", "int"},         {"int64", "int"},
      {"long", "int"},      {"uint", "uint"},     {"unsigned", "uint"},     {"uint32", "uint"},
      {"uint64", "uint"},   {"size_t", "uint"},   {"float", "float"},       {"double", "float"},
      {"float32", "float"}, {"float64", "float"}, {"real", "float"},        {"bool", "bool"},
      {"boolean", "bool"},  {"string", "string"}, {"str", "string"},        {"enum", "string"},
      {"text", "string"},   {"number", "int"},    {"categorical", "string"}};
  const auto found = known.find(word(*given));
  if (found != known.end()) return found->second;
  given->fail(
      format("no parameter has the type '{}'; there are int, uint, float, bool, string", given->text()));
}

/// `field`: an object with Values, or the values themselves.
search::Parameter read_parameter(const std::string& name, const JsonField& field) {
  search::Parameter parameter;
  parameter.name = name;
  const JsonField values = field.is_object() ? field.at("Values") : field;
  const FormulaValue::List all = read_list(values);
  const std::string type = type_of(field, all);
  for (const FormulaValue& value : all) {
    Value one = typed(values, value, type);
    if (std::ranges::find(parameter.values, one) == parameter.values.end())
      parameter.values.push_back(std::move(one));
  }
  parameter.default_value = parameter.values.front();
  const auto chosen = field.is_object() ? field.find("Default") : std::nullopt;
  if (!chosen) return parameter;
  FormulaValue value = chosen->is_text() && type != "string" ? chosen->evaluated(nothing) : chosen->value();
  if (value.is_list() && !value.list().empty()) value = FormulaValue(value.list().front());
  const Value wanted = typed(*chosen, value, type);
  // Published definitions have defaults that are no value of their parameter: the first value serves then.
  if (std::ranges::find(parameter.values, wanted) != parameter.values.end()) parameter.default_value = wanted;
  return parameter;
}

void add_parameter(search::Parameter parameter, const JsonField& place, Definition& definition) {
  for (const search::Parameter& other : definition.parameters)
    if (other.name == parameter.name) place.fail(format("a second parameter '{}'", parameter.name));
  definition.parameters.push_back(std::move(parameter));
}

void add_condition(const JsonField& rule, Definition& definition) {
  search::Expr expression = rule.expression();
  for (const std::string& name : expression.variables())
    if (std::ranges::find(definition.parameters, name, &search::Parameter::name) ==
        definition.parameters.end())
      rule.fail(format("'{}' is no parameter", name));
  definition.constraints.push_back({std::move(expression), rule.formula()});
}

}  // namespace

void read_space(const JsonField& root, Definition& definition) {
  const JsonField space = root.at("ConfigurationSpace");
  const JsonField parameters = space.at("TuningParameters");
  if (parameters.is_object())
    for (const auto& [name, field] : parameters.members())
      add_parameter(read_parameter(name, field), field, definition);
  else
    for (const JsonField& field : parameters.elements()) {
      const JsonField name = field.at("Name");
      add_parameter(read_parameter(name.text(), field), name, definition);
    }
  if (definition.parameters.empty()) parameters.fail("expected a parameter");
  const auto conditions = space.find("Conditions");
  if (!conditions) return;
  for (const JsonField& field : conditions->one_or_more()) {
    if (field.is_text() && field.text().empty()) continue;
    if (!field.is_object()) {
      add_condition(field, definition);
      continue;
    }
    for (const JsonField& rule : field.at("Expression").one_or_more()) add_condition(rule, definition);
  }
}

}  // namespace tune::definition::t1
