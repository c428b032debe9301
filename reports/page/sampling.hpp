// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reports/page/value_table.hpp"

namespace tune::reports {

/// The measurements that a page shows one by one.
struct ShownRows {
  std::vector<std::size_t> rows;  ///< increasing: the best first
  /// For each row, whether it was taken at equal steps through the ranking: distributions and medians follow
  /// from these alone. True for all where no row was left out.
  std::vector<bool> even;
};

/// All rows, or about `max_count`: the best, the best with each value and each pair of values of parameters
/// (as far as there is room), the winner's neighbours, those that no other beats in both time and error, and
/// a uniform part of the rest.
ShownRows shown_rows(const ValueTable& table, std::size_t max_count);

/// The rows that each of several sections may show, about `max_count` in sum: small sections show all of
/// theirs, large ones equally many.
std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& rows, std::size_t max_count);

}  // namespace tune::reports
