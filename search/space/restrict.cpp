// SPDX-License-Identifier: Apache-2.0
#include "search/space/restrict.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/space/bind_names.hpp"
#include "search/space/nearest.hpp"

namespace tune::search {

SpaceDefinition pin(SpaceDefinition definition, std::string_view name, const Value& value) {
  const auto parameter = std::ranges::find(definition.parameters, name, &Parameter::name);
  if (parameter == definition.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& other : definition.parameters) names.push_back(other.name);
    throw std::invalid_argument("there is no parameter '" + std::string(name) + "'" +
                                did_you_mean(name, names));
  }
  if (std::ranges::find(parameter->values, value) == parameter->values.end()) {
    throw std::invalid_argument("'" + value.to_string() + "' is no value of " + parameter->name +
                                "; it takes " + list_values(*parameter));
  }
  parameter->values = {value};
  parameter->default_value = value;
  return definition;
}

SpaceDefinition restrict_to(SpaceDefinition definition, const Expr& where) {
  Expr bound = bind_names(where, definition);
  definition.constraints.push_back({std::move(bound), "--where " + where.to_string()});
  return definition;
}

}  // namespace tune::search
