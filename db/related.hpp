// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "db/queries.hpp"

namespace tune::db {

/// What was measured of the same problem for other work: another size, setting, device or version.
struct RelatedWork {
  WorkInfo work;
  /// The current evaluation of each configuration: seconds, or nothing where it failed.
  std::vector<std::pair<Configuration, std::optional<double>>> results;
  /// How unlike the work asked about it is: 1 for each setting that differs or another vendor's or
  /// generation's device, less for devices of one architecture, a tenth for each doubling of the volume, a
  /// hundredth for other versions.
  double distance = 0;
};

/// The works with at least ten measurements, the most alike first and then the largest, at most `count`. The
/// work of `key` itself in this database is not among them: that is known, not related. Throws Error.
std::vector<RelatedWork> related_works(const Database& database, const WorkKey& key, std::size_t count);

}  // namespace tune::db
