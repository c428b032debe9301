// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "db/store/sqlite_store.hpp"

namespace tune::db {

/// The row of `run_sources` for merged runs.
struct SourceLabel {
  std::string file;
  std::string format = "tune";
  bool has_runs = true;  ///< its numbers of runs are meaningful
};

/// Counts of what was added and what was there already.
struct MergeResult {
  std::int64_t runs = 0, known_runs = 0;
  std::int64_t evaluations = 0, known_evaluations = 0;
  std::int64_t samples = 0;
  std::int64_t rerank = 0;  ///< places
  /// Differences between the two databases under one key, each one line. Both values are kept where a table
  /// has room for both (runs, devices), else the target's.
  std::vector<std::string> conflicts;
};

/// Adds every run of `source` with its evaluations, samples and re-ranking to `target`, without duplicates,
/// in one transaction. Rows of the target are not changed or removed. A run that both have is completed: with
/// later evaluations, samples, its end.
///
/// Two runs are the same if everything fixed at their beginning is equal (workload, device properties,
/// options, machine state, host, versions, time of day) and no evaluation contradicts it. Two evaluations are
/// the same if their runs are and their contents (configuration, outcome, figures, time of day) are equal.
/// Numbers and names of files do not count, so that neither the order of merging nor a repetition matters.
///
/// Throws Error; the target is unchanged then.
MergeResult merge_database(Database& target, const Database& source, const SourceLabel& label,
                           const Clock& clock = utc_now);

/// Opens a file to merge from, of any released schema: one of an older program is copied to `scratch`, a file
/// that is not there yet, and the copy brought up to date. The caller removes it, with the log beside it.
Database open_source(const std::filesystem::path& file, const std::filesystem::path& scratch);

}  // namespace tune::db
