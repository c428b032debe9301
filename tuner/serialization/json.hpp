// SPDX-License-Identifier: Apache-2.0
// Values as JSON for databases, files, reports and the command line.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"

namespace tune {

/// Lists and objects in each other that a file may have: readers call themselves for each.
inline constexpr std::size_t max_json_depth = 100;

/// Returns a value with its own type.
inline nlohmann::ordered_json json_value(const search::Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_real()) return value.as_real();
  return value.as_text();
}

/// Returns named values as one object, in their order.
inline nlohmann::ordered_json json_object(const std::vector<std::pair<std::string, search::Value>>& pairs) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = json_value(value);
  return object;
}

/// Returns indented JSON with a line break at the end. Bytes that are not UTF-8 (in a path or a compiler's
/// log) become U+FFFD. Where a terminal might obey a character, all but ASCII is escaped.
std::string json_text(const nlohmann::ordered_json& json);

/// Says what is wrong with a text that is not JSON, where the parser named a byte of it (from 1): for
/// messages.
std::string json_mistake(std::string_view text, std::size_t byte);

}  // namespace tune
