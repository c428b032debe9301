// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/random.hpp"
#include "search/space/packed_rows.hpp"

namespace tune::search {

/// What each digit of each column costs: [column][digit], not negative, infinite where it must not be.
using DigitCosts = std::vector<std::vector<double>>;

/// The row with the least sum of costs among those that `allowed` lets through (all where it is empty); one
/// of equals at random, each with the same chance. Nothing where all rows cost infinitely much or are not
/// allowed.
///
/// Branch and bound over the table, which is a tree with one level a column: the cheapest digits first, and
/// no branch that is certainly dearer than the best row so far. After about `steps` steps (ranges narrowed,
/// rows looked at) it stops with the best row so far, if any, which then need not be the cheapest.
std::optional<PackedRows::Row> cheapest_row(const PackedRows& rows, const DigitCosts& costs, Random& random,
                                            std::size_t steps,
                                            const std::function<bool(PackedRows::Row)>& allowed);

}  // namespace tune::search
