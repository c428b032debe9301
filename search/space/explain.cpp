// SPDX-License-Identifier: Apache-2.0
// The part of SearchSpace that tells people why a configuration is not valid.
#include <algorithm>

#include "search/expressions/nearest.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

namespace {

std::string unknown_parameter(const SpaceDefinition& definition, const Configuration& configuration) {
  std::vector<std::string> names;
  for (const Parameter& parameter : definition.parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : configuration.entries()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return "'" + name + "' is not a parameter" + did_you_mean(name, names);
  }
  return "";
}

std::string wrong_value(const Parameter& parameter, const Value* value, const Lookup& lookup) {
  // The parameters in the condition were declared, and so explained, before.
  const bool exists = !parameter.exists_if || parameter.exists_if->partially_evaluate(lookup) == Tribool::yes;
  if (!exists) {
    if (value == nullptr) return "";
    return parameter.name + " exists only where " + parameter.exists_if->to_string();
  }
  if (value == nullptr) return parameter.name + " is missing";
  if (std::ranges::find(parameter.values, *value) != parameter.values.end()) return "";
  return parameter.name + " cannot be " + value->to_string() + "; it takes " + list_values(parameter);
}

std::string broken(const Constraint& constraint, const Lookup& lookup) {
  const auto names = constraint.rule.variables();
  const bool applies =
      std::ranges::all_of(names, [&lookup](const std::string& name) { return lookup(name) != nullptr; });
  const bool holds = applies
                         ? constraint.rule.evaluate(lookup).as_bool()
                         : !constraint.required || constraint.rule.partially_evaluate(lookup) == Tribool::yes;
  if (holds) return "";
  const std::string rule = constraint.rule.to_string();
  return constraint.reason.empty() ? "broken: " + rule : constraint.reason + " (broken: " + rule + ")";
}

}  // namespace

std::string SearchSpace::explain(const Configuration& configuration) const {
  if (find(configuration)) return "";
  const Lookup lookup = [&](std::string_view name) -> const Value* {
    if (const Value* value = configuration.find(name)) return value;
    const auto constant = definition_.constants.find(name);
    return constant == definition_.constants.end() ? nullptr : &constant->second;
  };
  if (std::string reason = unknown_parameter(definition_, configuration); !reason.empty()) return reason;
  for (const Parameter& parameter : parameters()) {
    std::string reason = wrong_value(parameter, configuration.find(parameter.name), lookup);
    if (!reason.empty()) return reason;
  }
  for (const Constraint& constraint : definition_.constraints) {
    try {
      if (std::string reason = broken(constraint, lookup); !reason.empty()) return reason;
    } catch (const ExprError& error) {
      return "cannot check '" + constraint.rule.to_string() + "': " + error.what();
    }
  }
  return "it is not one of the space's configurations";
}

}  // namespace tune::search
