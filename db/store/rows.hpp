// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"

/// Reading and writing of columns by name: for the .cpp files of this folder only. All throw
/// SQLite::Exception.
namespace tune::db {

double real(SQLite::Statement& row, const char* column);
std::int64_t integer(SQLite::Statement& row, const char* column);
std::string text(SQLite::Statement& row, const char* column);
std::optional<double> optional_real(SQLite::Statement& row, const char* column);
std::optional<std::int64_t> optional_integer(SQLite::Statement& row, const char* column);
std::string text_or_empty(SQLite::Statement& row, const char* column);

/// Nothing where the evaluation has none.
std::optional<KernelResources> resources(SQLite::Statement& row);
/// False where it is not known.
bool flag(SQLite::Statement& row, const char* column);
/// Without samples; defaults for what is not known.
Timing timing(SQLite::Statement& row);
PhaseTimes phase_times(SQLite::Statement& row);
std::optional<Failure> failure(SQLite::Statement& row);

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<double>& value);
void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<std::int64_t>& value);

/// In the order taken.
std::vector<double> samples(SQLite::Database& connection, std::int64_t evaluation);

/// Runs a statement that returns no rows and makes it ready for the next use.
void run(SQLite::Statement& statement);

}  // namespace tune::db
