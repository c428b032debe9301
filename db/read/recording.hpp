// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/session/store.hpp"

namespace tune::db {

/// What was measured of one problem at one size on one device with one set of versions: answers instead of
/// the device.
struct Recording {
  Instance instance;
  DeviceProperties device;
  Toolchain toolchain;
  std::vector<Evaluation> evaluations;  ///< the current one of each configuration, failures included
  CacheState cache = CacheState::cold;
  Origin origin = Origin::measured;
  std::vector<std::string> recorded = {};  ///< when each of the evaluations was made
};

/// The recording of the instance with the most measurements; nothing where the database has none. Replayed
/// results never count. Throws Error.
std::optional<Recording> find_recording(const Database& database, const Instance& instance,
                                        CacheState cache = CacheState::cold);

/// The work of that number (Workload::id), the best evaluation first, as list_results has them; nothing where
/// it has none. Throws Error.
std::optional<Recording> recording_of(const Database& database, std::int64_t workload);

/// Every work that was measured, here or by another program, in the order in which they came. Throws Error.
std::vector<Recording> all_recordings(const Database& database);

/// Instances of the problem that have measurements, as `512x512x512 radius=1,...`. Sorted, without
/// repetition.
std::vector<std::string> recorded_instances(const Database& database, const std::string& problem);

}  // namespace tune::db
