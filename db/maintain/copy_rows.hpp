// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/content_hash.hpp"

/// Copies rows of any table from one database to another: for the .cpp files of this folder only. All throw
/// SQLite::Exception.
namespace tune::db {

/// Returns the table's columns in order, without those named.
std::vector<std::string> columns_of(SQLite::Database& connection, const std::string& table,
                                    std::initializer_list<std::string_view> without = {});

/// Returns `a, b, c`, each behind `prefix`.
std::string listed(const std::vector<std::string>& columns, const std::string& prefix = {});

/// Returns `INSERT INTO table (columns) VALUES (?, ...)`.
std::string insert_sql(const std::string& table, const std::vector<std::string>& columns);

/// Binds the value of a row's column, of whatever type, as the statement's parameter.
void bind_column(SQLite::Statement& statement, int index, const SQLite::Column& value);

/// Returns a digest of the `count` columns from `first` on, with their types.
ContentDigest row_digest(SQLite::Statement& row, int first, int count);

}  // namespace tune::db
