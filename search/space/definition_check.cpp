// SPDX-License-Identifier: Apache-2.0
#include "search/space/definition_check.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "search/expressions/expr_syntax.hpp"
#include "search/expressions/nearest.hpp"
#include "search/space/bind_names.hpp"
#include "search/space/configuration.hpp"

namespace tune::search {

namespace {

[[noreturn]] void fail(const Parameter& parameter, const std::string& what) {
  throw std::invalid_argument("parameter '" + parameter.name + "' " + what);
}

/// Databases and command lines hold configurations as text.
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
  for (auto value = parameter.values.begin(); value != parameter.values.end(); ++value) {
    if (std::find(parameter.values.begin(), value, *value) != value) {
      fail(parameter, "has the value '" + value->to_string() + "' twice");
    }
    if (!survives_text(parameter, *value)) {
      fail(parameter, "has the value '" + value->to_string() + "', which would read back as something else");
    }
  }
  if (std::ranges::find(parameter.values, parameter.default_value) == parameter.values.end()) {
    fail(parameter, "has the default '" + parameter.default_value.to_string() + "', which is not one of " +
                        list_values(parameter));
  }
}

void check_names(const Expr& expr, const std::set<std::string>& allowed, const SpaceDefinition& definition,
                 const std::string& where) {
  for (const std::string& name : expr.variables()) {
    if (allowed.contains(name)) continue;
    const auto all = known_names(definition);
    if (std::ranges::find(all, name) != all.end()) {
      throw ExprError(where + " mentions '" + name + "', which is declared later");
    }
    throw ExprError(where + " mentions '" + name + "', which is neither a parameter nor a constant" +
                    did_you_mean(name, all));
  }
}

}  // namespace

void check_definition(const SpaceDefinition& definition) {
  std::set<std::string> names;
  for (const auto& [name, value] : definition.constants) names.insert(name);
  for (const Parameter& parameter : definition.parameters) {
    if (!is_variable_name(parameter.name)) fail(parameter, "cannot have that name");
    if (parameter.exists_if) {
      check_names(*parameter.exists_if, names, definition, "the condition of '" + parameter.name + "'");
    }
    if (!names.insert(parameter.name).second)
      fail(parameter, "is named like another parameter or a constant");
    check_values(parameter);
  }
  for (const Constraint& constraint : definition.constraints) {
    check_names(constraint.rule, names, definition, "the constraint '" + constraint.rule.to_string() + "'");
  }
}

}  // namespace tune::search
