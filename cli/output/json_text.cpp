// SPDX-License-Identifier: Apache-2.0
#include "cli/output/json_text.hpp"

namespace tune::cli {

nlohmann::ordered_json json_value(const search::Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_real()) return value.as_real();
  return value.as_text();
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json json_object(const std::vector<std::pair<std::string, search::Value>>& pairs) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = json_value(value);
  return object;
}

}  // namespace tune::cli
