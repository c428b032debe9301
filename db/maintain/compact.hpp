// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "db/store/database.hpp"

namespace tune::db {

/// What to drop before the file is written anew.
struct CompactOptions {
  bool without_samples = false;  ///< medians, finals and their rounds stay
  /// Evaluations that a later one of the same configuration and work has replaced, but for those in finals:
  /// no ranking, lookup or continued run changes by it.
  bool drop_superseded = false;
};

struct CompactResult {
  std::int64_t evaluations = 0;                     ///< dropped
  std::int64_t samples = 0;                         ///< dropped, those of dropped evaluations included
  std::uint64_t bytes_before = 0, bytes_after = 0;  ///< of the file and its log
  std::string notice;  ///< something that a person should know, one line; empty as a rule
};

/// Drops what was asked for in one transaction, and writes the file anew without gaps, in place: other
/// processes wait for it, or read on. Asks for the room on the disk before it changes anything. Throws Error;
/// the database is sound then and holds all that it held, or, where only the writing anew failed, all but
/// what was to be dropped (which the message says).
CompactResult compact_database(Database& database, const CompactOptions& options);

}  // namespace tune::db
