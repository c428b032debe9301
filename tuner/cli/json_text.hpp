// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "search/space/value.hpp"

namespace tune::cli {

/// A value as JSON of its own type.
nlohmann::ordered_json json_value(const search::Value& value);

/// Named values as one object, in their order.
nlohmann::ordered_json json_object(const std::vector<std::pair<std::string, search::Value>>& pairs);

}  // namespace tune::cli
