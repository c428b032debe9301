// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/space/row_graph.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// Thrown where a space has more states than may be looked at.
struct TooManyStates {};

/// The work of counting: parts of constraints that are computed, words that describe states, and
/// `steps_of_a_state` for each new state. A step takes some 10 ns, whatever the constraints are.
inline constexpr std::uint64_t default_max_steps = 60'000'000;

/// Thrown where whoever watches wants the counting to end.
struct Stopped {};

/// Is called now and then while a space is counted, with the steps so far (see default_max_steps). Returns
/// false to end the counting.
using CountWatch = std::function<bool(std::uint64_t steps)>;

/// Builds the valid configurations of a definition that `check_definition` accepts, in lexical order. A
/// column holds the index of the parameter's value; where the parameter is conditional, 0 means that it does
/// not exist and the index is one larger.
///
/// Parameters are assigned one after the other in declaration order. A constraint is checked when its last
/// parameter is assigned, and the conditions that follow from it for the first few as soon as these are, so
/// that a branch is left as early as possible. Answers are remembered by the values of the parameters that a
/// check mentions, and completions by the state of the construction (see SpaceStates): no state is completed
/// twice, so that the work does not grow with the number of valid configurations.
///
/// Throws ExprError for a constraint that cannot be evaluated (it names the constraint and the assignment),
/// TooManyStates beyond `limit` of them or `max_steps` steps, Stopped where `watch` says so, and
/// TooManyRows beyond RowGraph::max_rows, with their number.
RowGraph build_graph(const SpaceDefinition& definition, std::size_t limit,
                     std::uint64_t max_steps = default_max_steps, const CountWatch& watch = {});

/// An order of parameters, by number.
struct ParameterOrder {
  std::vector<std::size_t> parameters;
  /// About the steps of counting in this order. Rarely too few; where constraints leave little of the
  /// combinations that they remember, many times too many.
  double expected_steps = 0;
};

/// Returns the order in which the fewest steps are expected, of several that were tried: parameters of one
/// constraint stand near each other, unless it remembers one number of all of them.
ParameterOrder narrow_order(const SpaceDefinition& definition);

/// Returns SpaceDefinition::counting_order, by number.
std::vector<std::size_t> counting_order(const SpaceDefinition& definition);

/// Returns the order in which the constraints mention the parameters, the longest constraint first. A
/// parameter stands behind those of its condition.
std::vector<std::size_t> order_of_mention(const SpaceDefinition& definition);

}  // namespace tune::search
