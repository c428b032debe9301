// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/space/parameter.hpp"

namespace tune::search {

/// Throws std::invalid_argument (ExprError for an expression) that names the parameter or constraint and what
/// is wrong with it: a name that cannot be one or is there twice, no values, a value twice, a value that
/// would read back differently from a configuration's text, a default that is not among the values, a
/// condition over a later parameter, an unknown name in an expression.
void check_definition(const SpaceDefinition& definition);

}  // namespace tune::search
