// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "db/read/queries.hpp"

namespace tune::db {

/// Another workload of the same problem: of another size, setting, device or version.
struct RelatedWorkload {
  Workload workload;
  std::size_t configurations = 0;  ///< that were evaluated
  /// The distance from the workload asked about: 1 for each setting that differs or another vendor's or
  /// generation's device, less for devices of one architecture, a tenth for each doubling of the volume in
  /// the same shape and more in another one (as lookups count it), a hundredth for other versions, and
  /// for boards of this model that fit less; a twentieth where another program measured it. Of its device
  /// only the name is known.
  double distance = 0;
  /// True for the same size, settings and device model: only versions, or the cache state, differ.
  bool same_but_versions = false;
  /// Rows of `devices` whose results are used: of a workload on this device model with ten measurements on
  /// boards that fit better than its others, those boards alone. Empty: all.
  std::vector<std::int64_t> devices = {};
};

/// Returns the workloads with at least ten measurements, or with one where they are the same but for
/// versions, the most similar first and then the largest. The workload of `key` itself is not among them.
/// Throws Error.
std::vector<RelatedWorkload> related_workloads(const Database& database, const WorkloadKey& key);

/// A configuration with the median of its samples in seconds, or nothing where it failed. Times of a
/// re-ranking are not used: they were taken at another moment, and these times are compared with each other.
using RelatedResult = std::pair<Configuration, std::optional<double>>;

/// Returns the current evaluation of each configuration of that workload. Where there are more than
/// `max_count`, returns half as many of the fastest and, of all others, some that are spread evenly over the
/// order of arrival; together hardly more than `max_count`. Throws Error.
std::vector<RelatedResult> related_results(const Database& database, const RelatedWorkload& related,
                                           std::size_t max_count);

}  // namespace tune::db
