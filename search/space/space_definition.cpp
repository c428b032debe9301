// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_definition.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "search/expressions/expr_syntax.hpp"
#include "search/expressions/formula_functions.hpp"
#include "search/expressions/nearest.hpp"
#include "search/expressions/rewrite.hpp"
#include "search/expressions/scalar.hpp"
#include "search/space/configuration.hpp"

namespace tune::search {

std::string list_values(const Parameter& parameter) {
  std::string text;
  for (const Value& value : parameter.values) {
    if (!text.empty()) text += ", ";
    text += value.to_string();
  }
  return text;
}

namespace {

using Op = Expr::Op;

bool has_text(const SpaceDefinition& definition, const Expr& parameter, const std::string& text) {
  if (parameter.op() != Op::variable || parameter.name() == text) return false;
  const auto found = std::ranges::find(definition.parameters, parameter.name(), &Parameter::name);
  return found != definition.parameters.end() &&
         std::ranges::find(found->values, Value(text)) != found->values.end();
}

/// Reads `expr` by the parameter that it is compared with: names that are values of that parameter are these
/// values, whatever else has the name.
Expr as_value_of(const Expr& expr, const Expr& parameter, const SpaceDefinition& definition) {
  if (expr.op() == Op::variable && has_text(definition, parameter, expr.name())) return Expr(expr.name());
  if (expr.op() != Op::list) return expr;
  std::vector<Expr> operands;
  for (const Expr& operand : expr.operands()) operands.push_back(as_value_of(operand, parameter, definition));
  return Expr::node(Op::list, std::move(operands));
}

Expr compared_with_values(const Expr& expr, const SpaceDefinition& definition) {
  if (expr.operands().empty()) return expr;
  std::vector<Expr> operands;
  for (const Expr& operand : expr.operands()) operands.push_back(compared_with_values(operand, definition));
  const bool equality = expr.op() == Op::equal || expr.op() == Op::not_equal;
  if (equality || expr.op() == Op::in || expr.op() == Op::not_in)
    operands[1] = as_value_of(operands[1], operands[0], definition);
  if (equality) operands[0] = as_value_of(operands[0], operands[1], definition);
  return Expr::node(expr.op(), std::move(operands));
}

}  // namespace

std::vector<std::string> known_names(const SpaceDefinition& definition) {
  std::vector<std::string> names;
  for (const Parameter& parameter : definition.parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : definition.constants) names.push_back(name);
  return names;
}

Expr bind_names(const Expr& expr, const SpaceDefinition& definition) {
  const std::vector<std::string> names = known_names(definition);
  std::vector<std::string> texts;
  for (const Parameter& parameter : definition.parameters) {
    for (const Value& value : parameter.values) {
      if (value.is_text()) texts.push_back(value.as_text());
    }
  }
  return replace_variables(
      compared_with_values(expr, definition), [&](const std::string& name) -> std::optional<Value> {
        if (std::ranges::find(names, name) != names.end()) return std::nullopt;
        if (std::ranges::find(texts, name) != texts.end()) return Value(name);
        if (const auto constant = constant_without_module(name)) return Value(*constant);
        std::vector<std::string> known = names;
        known.insert(known.end(), texts.begin(), texts.end());
        throw ExprError("'" + name + "' is neither a parameter, a constant nor a value of a parameter" +
                        did_you_mean(name, known));
      });
}

namespace {

[[noreturn]] void fail(const Parameter& parameter, const std::string& what) {
  throw std::invalid_argument("parameter '" + parameter.name + "' " + what);
}

bool survives_text(const Parameter& parameter, const Value& value) {
  const Configuration written{{parameter.name, value}};
  try {
    return Configuration::parse(written.key()) == written;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

void check_values(const Parameter& parameter) {
  if (parameter.values.empty()) fail(parameter, "has no values");
  std::unordered_set<std::string> texts;  // equal values have equal texts, and others are told apart by them
  for (const Value& value : parameter.values) {
    if (!survives_text(parameter, value))
      fail(parameter, "has the value '" + value.to_string() + "', which would read back as something else");
    if (!texts.insert(Configuration{{parameter.name, value}}.key()).second)
      fail(parameter, "has the value '" + value.to_string() + "' twice");
  }
  if (std::ranges::find(parameter.values, parameter.default_value) == parameter.values.end())
    fail(parameter, "has the default '" + parameter.default_value.to_string() + "', which is not one of " +
                        list_values(parameter));
}

/// Returns what is wrong with a name that the expression mentions; empty where they are all allowed.
std::string wrong_name(const Expr& expr, const std::set<std::string>& allowed,
                       const SpaceDefinition& definition, const std::string& where) {
  for (const std::string& name : expr.variables()) {
    if (allowed.contains(name)) continue;
    const auto all = known_names(definition);
    if (std::ranges::find(all, name) != all.end())
      return where + " mentions '" + name + "', which is declared later";
    return where + " mentions '" + name + "', which is neither a parameter nor a constant" +
           did_you_mean(name, all);
  }
  return {};
}

}  // namespace

void check_parameter(const Parameter& parameter) {
  if (!is_variable_name(parameter.name))
    fail(parameter,
         "cannot have that name: use letters, digits and '_', no digit first, and no word such as 'and'");
  check_values(parameter);
}

void check_definition(const SpaceDefinition& definition) {
  std::set<std::string> names;
  for (const auto& [name, value] : definition.constants) names.insert(name);
  for (const Parameter& parameter : definition.parameters) {
    check_parameter(parameter);
    if (parameter.exists_if) {
      const std::string wrong =
          wrong_name(*parameter.exists_if, names, definition, "the condition of '" + parameter.name + "'");
      if (!wrong.empty()) throw ExprError(wrong);
    }
    if (!names.insert(parameter.name).second)
      fail(parameter, "is named like another parameter or a constant");
  }
  for (std::size_t i = 0; i < definition.constraints.size(); ++i) {
    const Expr& rule = definition.constraints[i].rule;
    const std::string wrong =
        wrong_name(rule, names, definition, "the constraint '" + rule.to_string() + "'");
    if (!wrong.empty()) throw ConstraintError(wrong, i);
  }
}

const Value* meant_value(const Parameter& parameter, const Value& typed) {
  auto found = std::ranges::find(parameter.values, typed);
  if (found == parameter.values.end())
    found = std::ranges::find_if(
        parameter.values, [&](const Value& value) { return equal(Scalar::of(typed), Scalar::of(value)); });
  return found == parameter.values.end() ? nullptr : &*found;
}

SpaceDefinition pin(SpaceDefinition definition, std::string_view name, const Value& value) {
  const auto parameter = std::ranges::find(definition.parameters, name, &Parameter::name);
  if (parameter == definition.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& other : definition.parameters) names.push_back(other.name);
    throw std::invalid_argument("there is no parameter '" + std::string(name) + "'" +
                                did_you_mean(name, names));
  }
  const Value* const kept = meant_value(*parameter, value);
  if (kept == nullptr)
    throw std::invalid_argument("'" + value.to_string() + "' is not a value of " + parameter->name +
                                "; it takes " + list_values(*parameter));
  parameter->values = {Value(*kept)};
  parameter->default_value = parameter->values.front();
  return definition;
}

SpaceDefinition restrict_to(SpaceDefinition definition, const Expr& where) {
  Expr bound = bind_names(where, definition);
  definition.constraints.push_back({std::move(bound), "--where " + where.to_string(), true});
  return definition;
}

}  // namespace tune::search
