// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace SQLite {
class Database;
}

namespace tune::db {

/// One numbered file of db/schema, embedded in the program.
struct Migration {
  int version = 0;        ///< the number in front of its name: `PRAGMA user_version` after it
  std::string_view name;  ///< `0001_initial.sql`
  std::string_view sql;
};

/// Marks a file as ours (`PRAGMA application_id`): the letters `tune`.
inline constexpr int application_id = 0x74756e65;

/// All migrations in order.
std::vector<Migration> migrations();
/// The schema that this program writes: the version of the last migration.
int schema_version();

/// Applies the migrations above the database's version, each in one transaction; safe when several processes
/// open a new file at once. Does nothing where the schema is current. Throws SQLite::Exception.
void migrate(SQLite::Database& connection, std::span<const Migration> steps);

}  // namespace tune::db
