// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/random.hpp"
#include "search/space/row_graph.hpp"

namespace tune::search {

/// What each digit of each column costs: [column][digit], not negative, infinite where it must not be.
using DigitCosts = std::vector<std::vector<double>>;

/// The row with the least sum of costs among those that `allowed` lets through (all where it is empty); one
/// of equals at random, each with the same chance. Nothing where all rows cost infinitely much or are not
/// allowed.
///
/// Branch and bound over the graph's paths: the cheapest digits first, and no branch that is certainly dearer
/// than the best row so far. After about `steps` steps (branches taken, rows looked at) it stops with the
/// best row so far, if any, which then need not be the cheapest.
std::optional<RowGraph::Row> cheapest_row(const RowGraph& rows, const DigitCosts& costs, Random& random,
                                          std::size_t steps,
                                          const std::function<bool(RowGraph::Row)>& allowed);

}  // namespace tune::search
