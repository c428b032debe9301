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

/// Returns all migrations in order.
std::vector<Migration> migrations();
/// Returns the schema that this program writes: the version of the last migration.
int schema_version();

/// Applies the migrations above the database's version, all in one transaction; safe when several processes
/// open a new file at once. Before, a file whose pages have no room for checksums is written anew with it.
/// Does nothing where the schema is current. Throws SQLite::Exception.
void migrate(SQLite::Database& connection, std::span<const Migration> steps);

/// Makes SQLite leave room for the checksums of pages (lookup/src/checked_pages.hpp) in a new file, or in one
/// that is written anew. Returns true on the first call for a connection whose file has pages that lack it.
bool request_checksums(SQLite::Database& connection);

/// The schema's views hold no data, and SQLite reads their texts whenever a file is opened: a third of a
/// lookup. So a file may be without them (`tune db export --without-views`); this library makes them when it
/// opens it. All throw SQLite::Exception.

bool has_views(SQLite::Database& connection);

enum class ViewPlace {
  file,        ///< stored in the file
  connection,  ///< for this connection alone, where the file cannot be written
};

/// Makes the views of this program's schema where the file has none. The file's schema is the newest.
void make_views(SQLite::Database& connection, ViewPlace place);

/// Removes the views from the file.
void drop_views(SQLite::Database& connection);

}  // namespace tune::db
