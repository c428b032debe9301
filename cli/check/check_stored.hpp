// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/input/device_choice.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/stored.hpp"
#include "library/run/stored_winners.hpp"
#include "tuner/evaluation/recheck.hpp"

namespace tune::cli {

/// --stored and the options that need it.
struct StoredCheckOptions {
  bool stored = false;
  RecheckLimits limits = {};
  bool names_threshold = false;
  std::string junit;  ///< file; empty for none

  void add_to(OptionTable& table);
  /// Throws UsageError for such an option without --stored.
  void check() const;
};

/// The options of `tune check --stored`.
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

/// Returns the winner of each size and settings that the databases have of this device, of the problem that
/// the options name or of all. Adds to `skipped` what is stored but cannot be measured, with the reason.
std::vector<run::StoredWorkload> stored_workloads(const ProblemOptions& options,
                                                  const StoredDatabases& databases,
                                                  const DeviceProperties& device,
                                                  std::vector<run::StoredCheck>& skipped);

/// `tune check --stored`: returns the exit status.
int check_stored(const StoredCheckRequest& request);

}  // namespace tune::cli
