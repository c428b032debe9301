// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <string>

/// The parts of a check: for the .cpp files of this folder only. Each calls `found(kind, line)`; kinds group
/// lines that are alike. Throw SQLite::Exception.
namespace tune::db {

using Found = std::function<void(const std::string& kind, const std::string& line)>;

/// Devices, toolchains, instances and works: keys agree with what they stand for.
void check_facts(SQLite::Database& connection, const Found& found);
/// Runs: dates, options, what they saw.
void check_runs(SQLite::Database& connection, const Found& found);
/// Evaluations and samples.
void check_evaluations(SQLite::Database& connection, const Found& found);
/// Finals and their rounds.
void check_rerank(SQLite::Database& connection, const Found& found);

}  // namespace tune::db
