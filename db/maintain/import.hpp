// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/maintain/merge.hpp"

namespace tune::db {

/// What another program measured of one work.
struct ImportedRun {
  WorkloadKey key;      ///< of origin `imported`
  std::string program;  ///< that made it
  std::vector<Evaluation> evaluations;
  std::vector<std::string> recorded;  ///< when each was made, empty texts where that is not known; or nothing
};

/// Stores it as a run, in one transaction. What the database has of it already (the same work, configuration,
/// outcome, samples' median and time of day) is not stored again: importing a file twice changes nothing, and
/// one that has grown adds what is new. Throws Error; the database is unchanged then.
MergeResult import_run(Database& target, const ImportedRun& run, const SourceLabel& label);

}  // namespace tune::db
