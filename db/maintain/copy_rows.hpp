// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Rows of any table from one database to another: for the .cpp files of this folder only. All throw
/// SQLite::Exception.
namespace tune::db {

/// The table's columns in order, but for those named.
std::vector<std::string> columns_of(SQLite::Database& connection, const std::string& table,
                                    std::initializer_list<std::string_view> without = {});

/// `a, b, c`, each behind `prefix`.
std::string listed(const std::vector<std::string>& columns, const std::string& prefix = {});

/// `INSERT INTO table (columns) VALUES (?, ...)`.
std::string insert_sql(const std::string& table, const std::vector<std::string>& columns);

/// The value of the row's column as the statement's parameter, of whatever type it is.
void bind_column(SQLite::Statement& statement, int index, const SQLite::Column& value);

/// Tells contents of rows apart: a hash of the columns from `first` on, `count` of them, with their types.
std::string row_hash(SQLite::Statement& row, int first, int count);

}  // namespace tune::db
