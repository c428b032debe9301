// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reports/page/effects.hpp"

namespace tune::reports {

/// Which measurements a page shows one by one.
struct ShownRows {
  std::vector<std::size_t> rows;  ///< increasing: the best first
  /// Of each of them, whether it is one of those taken at equal steps through the ranking: what is said of
  /// all (distributions, medians) follows from these. All are where nothing was left out.
  std::vector<bool> even;
};

/// All, or about `most` of them: the best, the best with each value and each pair of values of parameters (as
/// far as there is room), the winner's neighbours, those that no other beats in both time and error, and of
/// the rest a uniform part.
ShownRows shown_rows(const Section& section, const ValueTable& table, std::size_t max_count);

/// How many rows each of several sections may show, so that all show about `most` in sum: small ones all of
/// theirs, large ones equally many.
std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& rows, std::size_t max_count);

}  // namespace tune::reports
