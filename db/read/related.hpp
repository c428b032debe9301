// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "db/read/queries.hpp"

namespace tune::db {

/// Other work of the same problem that was measured: another size, setting, device or version.
struct RelatedWorkload {
  Workload workload;
  std::size_t configurations = 0;  ///< that were evaluated
  /// How unlike the work asked about it is: 1 for each setting that differs or another vendor's or
  /// generation's device, less for devices of one architecture, a tenth for each doubling of the volume, a
  /// hundredth for other versions.
  double distance = 0;
  /// Of the same size, settings and model of device: only versions, or what the cache held, differ.
  bool same_but_versions = false;
};

/// The works with at least ten measurements, or with one where they are the same but for versions, the most
/// alike first and then the largest. The work of `key` itself in this database is not among them: that is
/// known, not related. Throws Error.
std::vector<RelatedWorkload> related_workloads(const Database& database, const WorkloadKey& key);

/// What came out of a configuration: the median of its samples in seconds, or nothing where it failed. Not
/// what finals said: they timed a few again at another moment, and these are to be compared with each other.
using RelatedResult = std::pair<Configuration, std::optional<double>>;

/// The current evaluation of each configuration of that work. Where there are more than `most`, half as many
/// of the fastest and, of all others, some that are spread evenly over the order in which they came; together
/// hardly more than `most`. Throws Error.
std::vector<RelatedResult> related_results(const Database& database, const Workload& workload,
                                           std::size_t max_count);

}  // namespace tune::db
