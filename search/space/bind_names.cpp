// SPDX-License-Identifier: Apache-2.0
#include "search/space/bind_names.hpp"

#include <algorithm>

#include "search/expressions/nearest.hpp"
#include "search/expressions/rewrite.hpp"

namespace tune::search {
namespace {

using Op = Expr::Op;

bool has_text(const SpaceDefinition& definition, const Expr& parameter, const std::string& text) {
  if (parameter.op() != Op::variable || parameter.name() == text) return false;
  const auto found = std::ranges::find(definition.parameters, parameter.name(), &Parameter::name);
  return found != definition.parameters.end() &&
         std::ranges::find(found->values, Value(text)) != found->values.end();
}

/// `expr` as what it is compared with asks for: names that are values of that parameter are its values,
/// whatever else has the name.
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
        std::vector<std::string> known = names;
        known.insert(known.end(), texts.begin(), texts.end());
        throw ExprError("'" + name + "' is neither a parameter, a constant nor a value of a parameter" +
                        did_you_mean(name, known));
      });
}

}  // namespace tune::search
