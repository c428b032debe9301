// SPDX-License-Identifier: Apache-2.0
#include "db/store/database_error.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

Error not_a_database(const std::filesystem::path& path) {
  return Error(format("{} is not a tune database: name another file with --db", path.string()));
}

Error to_error(const SQLite::Exception& exception, const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string detail = one_line(exception.what());
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return not_a_database(path);
    case SQLITE_CORRUPT:
      return Error(
          format("{} is damaged ({}): restore a copy, or save what can be read with"
                 " `sqlite3 {} .recover | sqlite3 new.db`",
                 file, detail, file));
    case SQLITE_FULL:
      return Error(
          format("no room to write {}: free disk space and start again;"
                 " everything recorded before is kept",
                 file));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Error(
          format("{} cannot be written ({}): change its permissions or those of its folder,"
                 " or name another file with --db",
                 file, detail));
    case SQLITE_CANTOPEN:
      return Error(
          format("cannot open {} ({}): see that it can be read and that its folder can be"
                 " written, or name another file with --db",
                 file, detail));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Error(
          format("{} is in use ({}): another process holds it; end that one, or name another file"
                 " with --db",
                 file, detail));
    case SQLITE_IOERR:
      return Error(
          format("reading or writing {} failed ({}): see that its disk has room and works;"
                 " network file systems without locks cannot hold a database",
                 file, detail));
    case SQLITE_CONSTRAINT:
      return Error(
          format("{} refused a record ({}): this is an error in tune, please report it", file, detail));
    default:
      return Error(format("the database {} failed: {}", file, detail));
  }
}

}  // namespace tune::db
