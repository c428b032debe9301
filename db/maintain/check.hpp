// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/store/database.hpp"

namespace tune::db {

/// The errors in a database, each one line that names table and row.
struct Findings {
  std::vector<std::string> lines;
  /// The rows of all findings: a table and the number of the row, or of the run for `finals` and
  /// `run_evaluations`.
  std::set<std::pair<std::string, std::int64_t>> rows;
  std::size_t left_out = 0;  ///< further lines of a kind with `max_per_kind` lines
  static constexpr std::size_t max_per_kind = 10;
  std::size_t count() const { return lines.size() + left_out; }
};

/// Checks everything: SQLite's own structure, foreign keys, and that the rows agree with each other (times
/// with samples, keys with configurations and properties, re-rankings with their rounds, dates). Reads one
/// unchanging state; changes nothing. Damage that ends the reading is a finding. Throws Error only where
/// nothing can be read.
Findings check_database(const Database& database);

/// The same without SQLite's own structure: quicker, and enough for rows that are copied elsewhere.
Findings check_rows(const Database& database);

}  // namespace tune::db
