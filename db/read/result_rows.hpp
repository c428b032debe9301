// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>

#include "db/read/queries.hpp"

/// Reads rows of the schema's views into the structs of queries.hpp: for the .cpp files of this folder only.
namespace tune::db {

Workload workload_info(SQLite::Statement& row);
WorkloadCost workload_cost(SQLite::Statement& row);
/// Reads a row of `results`, `best_by_versions` or `best`.
ResultRow result_row(SQLite::Statement& row);
/// Reads the columns of these names; the confidence follows from the number of rounds.
MedianInterval rerank_interval(SQLite::Statement& row, const char* median, const char* low, const char* high,
                               std::int64_t rounds);
/// Reads a row of `run_overview`.
RunSummary run_summary(SQLite::Statement& row);

}  // namespace tune::db
