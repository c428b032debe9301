// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/space/packed_rows.hpp"
#include "search/space/parameter.hpp"

namespace tune::search {

/// For each column of such rows, one more than its largest digit.
std::vector<PackedRows::Digit> radices_of(const SpaceDefinition& definition);

/// The valid configurations of a definition that `check_definition` accepts, in lexical order. A column holds
/// the index of the parameter's value; where the parameter is conditional, 0 means that it does not exist and
/// the index is one larger.
///
/// Parameters are assigned one after the other in declaration order. A constraint is checked when its last
/// parameter is assigned, and what follows from it for the first few as soon as these are, so that a branch
/// is left as early as possible. Answers are remembered by the values of the parameters that a check
/// mentions.
///
/// Throws ExprError for a constraint that cannot be evaluated (it names the constraint and the assignment),
/// and std::length_error where more than `limit` configurations are valid.
PackedRows build_rows(const SpaceDefinition& definition, std::uint64_t limit);

}  // namespace tune::search
