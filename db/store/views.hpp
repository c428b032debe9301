// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace SQLite {
class Database;
}

namespace tune::db {

/// The schema's views hold no data, and SQLite reads their texts whenever a file is opened: a third of a
/// lookup. So a file may do without them (`tune db export --without-views`); who opens it with this library
/// has them. All throw SQLite::Exception.

bool has_views(SQLite::Database& connection);

enum class ViewPlace {
  file,        ///< for everybody who opens it
  connection,  ///< for this connection alone: a file that may not be written
};

/// Makes those of this program's schema where the file has none. The file's schema is the newest.
void make_views(SQLite::Database& connection, ViewPlace place);

/// Takes them out of the file.
void drop_views(SQLite::Database& connection);

}  // namespace tune::db
