// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"

namespace tune::cli {

/// A value as JSON of its own type.
nlohmann::ordered_json json_value(const search::Value& value);

/// As the program prints it: indented, with what is not UTF-8 (a path may be anything) replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// Named values as one object, in their order.
nlohmann::ordered_json json_object(const std::vector<std::pair<std::string, search::Value>>& pairs);

}  // namespace tune::cli
