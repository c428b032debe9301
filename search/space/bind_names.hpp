// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/space/parameter.hpp"

namespace tune::search {

/// Lets people write texts without quotes, `loader == async`: a name that is neither a parameter nor a
/// constant but a value of some parameter becomes that text, and so does one that is compared with a
/// parameter of which it is a value (`last_axis == transform`, where there is a parameter `transform` too).
/// Throws ExprError for a name that is none of these; it names the nearest one.
Expr bind_names(const Expr& expr, const SpaceDefinition& definition);

/// Every name that an expression over the definition may mention: its parameters and constants.
std::vector<std::string> known_names(const SpaceDefinition& definition);

}  // namespace tune::search
