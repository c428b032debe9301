// SPDX-License-Identifier: Apache-2.0
// Stored winners measured again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "db/read/best.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/recheck.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::run {

/// A stored winner, with its problem and database.
struct StoredWorkload {
  std::shared_ptr<const Problem> problem;
  Instance instance;
  db::BestCandidate candidate;
  std::size_t database = 0;
};

/// The result of a check.
struct StoredCheck {
  Instance instance;
  RecheckVerdict verdict;
  std::string skipped;  ///< the reason where it was not measured; else empty
  double seconds = 0;   ///< duration of the run
  /// What its results were compared with, for users; empty where it is not known.
  std::string compared_with = {};
  std::string notice = {};  ///< what users should know about the check: Evaluator::notice
};

/// Returns the winner and the default of the space with their recorded times, or Failure{constraint} where
/// the winner is not valid any more.
Result<StoredWinner> stored_winner(const StoredWorkload& workload, const db::Database& database,
                                   const DeviceProperties& device);

/// Measures a stored winner again on the backend.
StoredCheck check_stored_workload(const StoredWorkload& workload, const db::Database& database,
                                  Backend& backend, const KernelSources& sources, const RecheckLimits& limits,
                                  const std::function<bool()>& stop);

}  // namespace tune::run
