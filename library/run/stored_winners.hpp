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

/// A stored winner with its place.
struct StoredWorkload {
  std::shared_ptr<const Problem> problem;
  Instance instance;
  db::BestCandidate candidate;
  std::size_t database = 0;
};

/// What became of it.
struct StoredCheck {
  Instance instance;
  RecheckVerdict verdict;
  std::string skipped;  ///< why it was not measured; empty where it was
  double seconds = 0;   ///< that it took
};

/// What the winner and the default of the space are, and what of the default is recorded. Failure{constraint}
/// where the configuration is not valid any more.
Result<StoredWinner> stored_winner(const StoredWorkload& workload, const db::Database& database,
                                   const DeviceProperties& device);

/// Measures one of them again on the backend.
StoredCheck check_stored_workload(const StoredWorkload& workload, const db::Database& database,
                                  Backend& backend, const KernelSources& sources, const RecheckLimits& limits,
                                  const std::function<bool()>& stop);

}  // namespace tune::run
