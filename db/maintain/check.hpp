// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "db/store/database.hpp"

namespace tune::db {

/// What is wrong in a database, each one line that names table and row.
struct Findings {
  std::vector<std::string> lines;
  std::size_t left_out = 0;  ///< more of a kind that has been shown `max_per_kind` times
  static constexpr std::size_t max_per_kind = 10;
  std::size_t count() const { return lines.size() + left_out; }
};

/// Looks at everything: SQLite's own structure, foreign keys, and that the rows agree with each other (times
/// with samples, keys with configurations and facts, finals with their rounds, dates). Reads one unchanging
/// state; changes nothing. A file so damaged that it cannot be read on gives a finding that says so. Throws
/// Error only for what makes it impossible to look at all.
Findings check_database(const Database& database);

}  // namespace tune::db
