// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/maintain/merge.hpp"

namespace tune::db {

/// The results of another program for one workload.
struct ImportedRun {
  /// Takes an evaluation and its time of day, which is empty where it is unknown.
  using Take = std::function<void(const Evaluation&, const std::string& recorded)>;

  WorkloadKey key;             ///< of origin `imported`
  std::string program;         ///< name and version
  std::string started, ended;  ///< the first and the last known time of day; empty where there is none
  std::int64_t count = 0;      ///< of evaluations
  std::function<void(const Take&)> each;  ///< passes all evaluations, which need not lie in memory
  Objective objective = Objective::time;
};

/// Stores it as a run, in one transaction. Evaluations that the database has already (with the same workload,
/// configuration, time or failure, times of the phases and time of day) are not stored again: importing a
/// file twice changes nothing, and one that has grown adds its new results. Memory: 32 bytes for each
/// evaluation that the database has of this run, and not more than 100 MB beside. Throws Error; the database
/// is unchanged then.
MergeResult import_run(Database& target, const ImportedRun& run, const SourceLabel& label);

}  // namespace tune::db
