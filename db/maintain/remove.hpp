// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/session/store.hpp"

namespace tune::db {

struct RemovalResult {
  std::int64_t runs = 0, evaluations = 0, samples = 0;  ///< removed
  std::int64_t kept = 0;  ///< evaluations that other runs saw too; they belong to the first of those now
};

/// Removes runs with all that belongs to them alone, in one transaction; with `try_only` says what it would
/// remove. Throws Error for a run that does not exist, or that may still be going on: without an end, and
/// with a result of the last ten minutes.
RemovalResult remove_runs(Database& database, const std::vector<RunId>& runs, bool try_only);

}  // namespace tune::db
