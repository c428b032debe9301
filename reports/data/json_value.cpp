// SPDX-License-Identifier: Apache-2.0
#include "reports/data/json_value.hpp"

#include <nlohmann/json.hpp>
namespace tune::reports {

nlohmann::ordered_json to_json(const search::Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_real()) return value.as_real();
  return value.as_text();
}

nlohmann::ordered_json to_json(const search::Configuration& configuration) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : configuration.entries()) object[name] = to_json(value);
  return object;
}

}  // namespace tune::reports
