// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "search/space/parameter.hpp"

namespace tune::search {

/// Keeps only one value of a parameter, which becomes its default; the conditions of other parameters stay. A
/// number that only differs in kind will do: 1 for true, 2 for 2.0.
/// Throws std::invalid_argument that names the nearest parameter, or lists the valid values.
SpaceDefinition pin(SpaceDefinition definition, std::string_view name, const Value& value);

/// Adds a person's condition as a required constraint, with names bound as in `bind_names` and the reason
/// `--where ...`: `loader == async` leaves no configuration without a loader.
SpaceDefinition restrict_to(SpaceDefinition definition, const Expr& where);

}  // namespace tune::search
