// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "db/store/sqlite_store.hpp"

namespace tune::db {

/// What `run_sources` says of runs that come along.
struct SourceLabel {
  std::string file;
  std::string format = "tune";
  bool has_runs = true;  ///< whether its numbers of runs mean something to a person
};

/// What came along, and what was there already.
struct MergeResult {
  std::int64_t runs = 0, known_runs = 0;
  std::int64_t evaluations = 0, known_evaluations = 0;
  std::int64_t samples = 0;
  std::int64_t rerank = 0;  ///< places
  /// Facts that differ between the two under one key, each one line. Both are kept where a table has room for
  /// both (runs, devices), else what was there.
  std::vector<std::string> conflicts;
};

/// Brings every run of `source` with its evaluations, samples and finals into `target`, what is there already
/// only once, in one transaction. Nothing of the target is changed or removed, but what it lacks of a run
/// that both have is added: evaluations that came later, samples, its end.
///
/// Two runs are the same if all that was known when they began is equal (work, device facts, options, machine
/// state, host, versions, time of day) and no evaluation contradicts it; two evaluations are the same if
/// their runs are and all they hold (configuration, outcome, figures, time of day) is equal. Neither numbers
/// nor names of files count, so that the order of merging does not matter, nor how often.
///
/// Throws Error; the target is unchanged then.
MergeResult merge_database(Database& target, const Database& source, const SourceLabel& label,
                           const Clock& clock = utc_now);

/// Opens a file to merge from, of any released schema: one of an older program is copied to `scratch`, a file
/// that is not there yet, and the copy brought up to date. The caller removes it, with what stands beside it.
Database open_source(const std::filesystem::path& file, const std::filesystem::path& scratch);

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
