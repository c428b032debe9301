// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/compact.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <filesystem>
#include <system_error>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::db {
namespace fs = std::filesystem;
namespace {

/// Returns the bytes of the file and its log.
std::uint64_t bytes_of(const Database& database) {
  return file_bytes(database.path()) + file_bytes(database.path().string() + "-wal");
}

/// SQLite builds the new file in a temporary one, and copies it through the log.
void check_room(const Database& database) {
  const fs::path folder = fs::absolute(database.path()).parent_path();
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  const std::uint64_t wanted = bytes_of(database);
  if (error || space.available >= wanted) return;
  throw Error(format("no room to compact {}: it takes {} for a while, {} has {} free; nothing was changed",
                     database.path().string(), bytes_text(static_cast<double>(wanted)), folder.string(),
                     bytes_text(static_cast<double>(space.available))));
}

/// Children are deleted before their parents. Re-ranked evaluations stay: without them a run's ranking would
/// change.
void drop_superseded(SQLite::Database& connection) {
  connection.exec(R"(
CREATE TEMP TABLE superseded AS
SELECT id FROM evaluations WHERE id NOT IN (SELECT id FROM current_evaluations)
                             AND id NOT IN (SELECT evaluation FROM finals);
DELETE FROM samples WHERE evaluation IN (SELECT id FROM temp.superseded);
DELETE FROM run_evaluations WHERE evaluation IN (SELECT id FROM temp.superseded);
DELETE FROM evaluations WHERE id IN (SELECT id FROM temp.superseded);
DROP TABLE temp.superseded;
)");
}

void drop(Database& database, const CompactOptions& options, CompactResult& result) {
  if (!options.without_samples && !options.drop_superseded) return;
  database.write(
      [&](SQLite::Database& connection) {
        const auto count = [&connection](const char* table) {
          return connection.execAndGet(format("SELECT COUNT(*) FROM {}", table)).getInt64();
        };
        const std::int64_t evaluations = count("evaluations"), samples = count("samples");
        if (options.drop_superseded) drop_superseded(connection);
        if (options.without_samples) connection.exec("DELETE FROM samples");
        result.evaluations = evaluations - count("evaluations");
        result.samples = samples - count("samples");
      },
      Sync::now);
}

void write_anew(Database& database, const CompactResult& dropped) {
  try {
    database.connection().exec("VACUUM");
  } catch (const SQLite::Exception& exception) {
    const int code = exception.getErrorCode();
    const bool room = code == SQLITE_FULL || code == SQLITE_IOERR;
    const std::string what =
        room ? format(
                   "no room to rewrite {}: free disk space (also in /var/tmp, or name another folder with "
                   "SQLITE_TMPDIR) and compact it again",
                   database.path().string())
             : std::string(to_error(exception, database.path()).what());
    if (dropped.evaluations + dropped.samples == 0) throw Error(what + "; nothing was changed");
    throw Error(format("{}; the data are dropped, but the disk space is not free yet", what));
  }
}

}  // namespace

CompactResult compact_database(Database& database, const CompactOptions& options) {
  CompactResult result;
  result.bytes_before = bytes_of(database);
  check_room(database);
  drop(database, options, result);
  write_anew(database, result);
  try {
    SQLite::Statement checkpoint(database.connection(), "PRAGMA wal_checkpoint(TRUNCATE)");
    if (checkpoint.executeStep() && checkpoint.getColumn(0).getInt() != 0)
      result.notice = "another process is reading it: the file gets smaller when that one ends";
  } catch (const SQLite::Exception& exception) {
    throw to_error(exception, database.path());
  }
  result.bytes_after = bytes_of(database);
  return result;
}

}  // namespace tune::db
