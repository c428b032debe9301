// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/space/parameter.hpp"

namespace tune::search {

/// Lets people write texts without quotes, `loader == async`: a name that is neither a parameter nor a
/// constant but a value of some parameter becomes that text, and so does one that is compared with a
/// parameter of which it is a value (`last_axis == transform`, where there is a parameter `transform` too).
/// Throws ExprError for a name that is none of these; it names the nearest one.
Expr bind_names(const Expr& expr, const SpaceDefinition& definition);

/// Every name that an expression over the definition may mention: its parameters and constants.
std::vector<std::string> known_names(const SpaceDefinition& definition);

/// Throws std::invalid_argument (ExprError for an expression) that names the parameter or constraint and what
/// is wrong with it: a name that cannot be one or is there twice, no values, a value twice, a value that
/// would read back differently from a configuration's text, a default that is not among the values, a
/// condition over a later parameter, an unknown name in an expression.
void check_definition(const SpaceDefinition& definition);

/// Keeps only one value of a parameter, which becomes its default; the conditions of other parameters stay. A
/// number that only differs in kind will do: 1 for true, 2 for 2.0.
/// Throws std::invalid_argument that names the nearest parameter, or lists the valid values.
SpaceDefinition pin(SpaceDefinition definition, std::string_view name, const Value& value);

/// Adds a person's condition as a required constraint, with names bound as in `bind_names` and the reason
/// `--where ...`: `loader == async` leaves no configuration without a loader.
SpaceDefinition restrict_to(SpaceDefinition definition, const Expr& where);

}  // namespace tune::search
