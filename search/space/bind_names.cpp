// SPDX-License-Identifier: Apache-2.0
#include "search/space/bind_names.hpp"

#include <algorithm>

#include "search/space/nearest.hpp"
#include "search/space/rewrite.hpp"

namespace tune::search {

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
  return replace_variables(expr, [&](const std::string& name) -> std::optional<Value> {
    if (std::ranges::find(names, name) != names.end()) return std::nullopt;
    if (std::ranges::find(texts, name) != texts.end()) return Value(name);
    std::vector<std::string> known = names;
    known.insert(known.end(), texts.begin(), texts.end());
    throw ExprError("'" + name + "' is neither a parameter, a constant nor a value of a parameter" +
                    did_you_mean(name, known));
  });
}

}  // namespace tune::search
