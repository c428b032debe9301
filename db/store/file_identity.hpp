// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace SQLite {
class Database;
}  // namespace SQLite

namespace tune::db {

/// Tells an open database from another file that was copied over it, which leaves its name and inode. The
/// schema cookie of a file's header (bytes 40 to 43) begins at a random number and grows by one with each
/// change of the schema; SQLite itself only asks whether it changed. A copy of a database has its number, but
/// the change counter (bytes 24 to 27) of an older one is smaller.
/// All throw SQLite::Exception.
class FileIdentity {
 public:
  /// Gives the file a random number if it has none, and remembers it. For a connection that writes.
  void begin(SQLite::Database& connection);
  /// True where the file on disk, read past SQLite's cache, is still that of `begin`.
  bool holds(SQLite::Database& connection);

 private:
  std::uint32_t number_ = 0;  ///< 0: not known
  std::uint32_t seen_ = 0;    ///< in the file, when it was last looked at
  std::uint32_t changes_ = 0;
};

/// Lets SQLite count the next transaction of this connection as a change. With a write-ahead log it counts
/// all transactions as one while it has the first page in memory.
void count_next_change(SQLite::Database& connection);

/// Gives a copy that is a database of its own another number.
void give_new_identity(SQLite::Database& connection);

/// Makes the transaction write the first page, so that each log has the number of its file. 4 KiB of log.
void put_identity_into_log(SQLite::Database& connection);

/// True where the log beside the file is that of another database: what SQLite reads through it has another
/// number than the file. The connection then never writes the log into the file.
bool has_foreign_log(SQLite::Database& connection);

/// From now on the connection leaves the file as it is when it is closed.
void never_checkpoint(SQLite::Database& connection);

}  // namespace tune::db
