// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/check/recheck.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/problem_selection.hpp"
#include "db/read/best.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// --stored and what belongs to it.
struct StoredCheckOptions {
  bool stored = false;
  RecheckLimits limits = {};
  bool names_threshold = false;
  std::string junit;  ///< file; empty for none

  void add_to(OptionTable& table);
  /// Throws UsageError for what belongs to --stored without it.
  void check() const;
};

/// What `tune check --stored` is asked for.
struct StoredCheckRequest {
  const ProblemOptions& problem;
  const std::string& device;
  const StoredCheckOptions& options;
  const ProcessOptions& process;
  const std::string& kernel_folder;
  const CacheOptions& cache;
  const std::string& database;
  Format format;
};

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

/// `tune check --stored`: returns the exit status.
int check_stored(const StoredCheckRequest& request);

}  // namespace tune::cli
