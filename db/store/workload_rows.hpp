// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>

#include "tuner/session/store.hpp"

/// Rows that runs share: found, or made where they are missing. For the .cpp files of this folder, inside a
/// transaction. All throw SQLite::Exception.
namespace tune::db {

/// The snapshot of a device with exactly these facts.
std::int64_t device_row(SQLite::Database& connection, const DeviceProperties& properties);
/// The work that the key names, with its instance and toolchain.
std::int64_t workload_row(SQLite::Database& connection, const WorkloadKey& key);
/// The same without making it.
std::optional<std::int64_t> find_workload(SQLite::Database& connection, const WorkloadKey& key);

}  // namespace tune::db
