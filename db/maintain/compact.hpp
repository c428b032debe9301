// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "db/store/database.hpp"

namespace tune::db {

/// The rows to drop before the file is written anew.
struct CompactOptions {
  bool without_samples = false;  ///< drops samples; medians and re-rankings with their rounds stay
  /// Drops evaluations that a later one of the same configuration and workload has replaced, but for
  /// re-ranked ones. No ranking, lookup or continued run changes by it.
  bool drop_superseded = false;
};

struct CompactResult {
  std::int64_t evaluations = 0;                     ///< dropped
  std::int64_t samples = 0;                         ///< dropped, those of dropped evaluations included
  std::uint64_t bytes_before = 0, bytes_after = 0;  ///< of the file and its log
  std::string notice;                               ///< one line for the user, mostly empty
};

/// Drops the rows in one transaction, and writes the file anew without gaps, in place: other processes wait
/// for it, or read on. Checks the room on the disk before it changes anything. Throws Error; the database is
/// sound then and unchanged, or, where only the writing anew failed, without the dropped rows (which the
/// message states).
CompactResult compact_database(Database& database, const CompactOptions& options);

}  // namespace tune::db
