// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "search/space/configuration.hpp"

namespace tune::reports {

/// A value of its own type.
nlohmann::ordered_json to_json(const search::Value& value);
/// Members in the order of declaration.
nlohmann::ordered_json to_json(const search::Configuration& configuration);

}  // namespace tune::reports
