// SPDX-License-Identifier: Apache-2.0
#include "search/space/restrict.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/expressions/nearest.hpp"
#include "search/expressions/scalar.hpp"
#include "search/space/bind_names.hpp"

namespace tune::search {

namespace {

/// What people type need not have the kind of the value that they mean: 1 for true, 2 for 2.0.
auto means(const Value& typed) {
  return [&typed](const Value& value) { return equal(Scalar::of(typed), Scalar::of(value)); };
}

}  // namespace

SpaceDefinition pin(SpaceDefinition definition, std::string_view name, const Value& value) {
  const auto parameter = std::ranges::find(definition.parameters, name, &Parameter::name);
  if (parameter == definition.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& other : definition.parameters) names.push_back(other.name);
    throw std::invalid_argument("there is no parameter '" + std::string(name) + "'" +
                                did_you_mean(name, names));
  }
  auto kept = std::ranges::find(parameter->values, value);
  if (kept == parameter->values.end()) kept = std::ranges::find_if(parameter->values, means(value));
  if (kept == parameter->values.end()) {
    throw std::invalid_argument("'" + value.to_string() + "' is no value of " + parameter->name +
                                "; it takes " + list_values(*parameter));
  }
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
