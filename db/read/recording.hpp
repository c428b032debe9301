// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/session/store.hpp"

namespace tune::db {

/// The evaluations of one workload, which answer instead of the device.
struct Recording {
  Instance instance;
  DeviceProperties device;
  Toolchain toolchain;
  std::vector<Evaluation> evaluations;  ///< the current one of each configuration, failures included
  CacheState cache = CacheState::cold;
  Origin origin = Origin::measured;
  std::vector<std::string> recorded = {};                          ///< when each of the evaluations was made
  std::vector<std::pair<std::string, std::int64_t>> extents = {};  ///< under the names that are stored
};

/// Returns the recording of the instance with the most measurements, or nothing where the database has none.
/// Replayed results never count. `imported`: where nothing was measured, what another program measured of a
/// problem of this name and size counts, if its settings are among those of the instance: other programs know
/// neither the names of the extents nor settings. Throws Error.
std::optional<Recording> find_recording(const Database& database, const Instance& instance,
                                        CacheState cache = CacheState::cold, bool imported = false);

/// Returns the recording of the workload of that number (Workload::id), in the order of list_results, or
/// nothing where it has no evaluations. Throws Error.
std::optional<Recording> recording_of(const Database& database, std::int64_t workload);

/// Returns the numbers of the current evaluations of a workload in the order in which they were recorded.
/// Throws Error.
std::vector<std::int64_t> recorded_order(const Database& database, std::int64_t workload);

/// Calls `take` with each of these evaluations and when it was made; one without samples has its median.
/// Leaves out rows with a text that cannot be read, which are noted in the database. Throws Error.
void each_recorded(const Database& database, const std::vector<std::int64_t>& evaluations,
                   const std::function<void(const Evaluation&, const std::string& recorded)>& take);

/// Returns the recordings of all workloads that were measured, here or by another program, in order of
/// arrival. Throws Error.
std::vector<Recording> all_recordings(const Database& database);

/// Returns the instances of the problem that have measurements, as `512x512x512 radius=1,...`; those of other
/// programs with `(imported)` behind. Sorted, without repetition.
std::vector<std::string> recorded_instances(const Database& database, const std::string& problem);

}  // namespace tune::db
