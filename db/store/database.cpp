// SPDX-License-Identifier: Apache-2.0
#include "db/store/database.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <thread>

#include "db/store/schema.hpp"
#include "lookup/src/connection.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {

namespace fs = std::filesystem;
namespace {

void make_folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder))
    throw Error(format("cannot make the folder {} for the database ({}): name another file with --db",
                       folder.string(), error.message()));
}

constexpr const char* in_memory = ":memory:";

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

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
          format("{} is in use ({}): another process holds it; end that one, or name another file with --db",
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

bool begins_as_database(std::string_view bytes) {
  return bytes.starts_with("SQLite format 3");
}

bool is_database(const fs::path& file) {
  constexpr std::size_t first_bytes = 16;
  std::string start(first_bytes, '\0');
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;  // reading a pipe would wait
  std::ifstream stream(file, std::ios::binary);
  return stream.read(start.data(), first_bytes) && begins_as_database(start);
}

std::uint64_t file_bytes(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

Database::Database(fs::path path, OpenMode access, std::chrono::milliseconds patience)
    : path_(std::move(path)), access_(access), patience_(patience) {
  if (fs::is_directory(path_))
    throw Error(format("{} is a folder: name a file in it with --db", path_.string()));
  std::error_code ignored;
  if (access_ == OpenMode::read_write) {
    make_folder_of(path_);
  } else if (!fs::exists(path_, ignored)) {
    throw Error(format("there is no database {}: tune something first, or name another file with --db",
                       path_.string()),
                Exit::no_answer);
  }
  try {
    open();
  } catch (...) {
    rethrow();
  }
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

void Database::open() {
  connect(access_ == OpenMode::immutable);
  try {
    check_content();
  } catch (const SQLite::Exception& exception) {
    // A write-ahead log needs files beside the database, which a folder that cannot be written, or a full
    // disk (SQLITE_IOERR), refuses. A database without pending commits can be read without them.
    const int code = exception.getErrorCode();
    const bool refused = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR;
    const bool reading = access_ == OpenMode::read_only || access_ == OpenMode::inspect;
    if (!reading || !refused || lookup::has_pending_log(path_)) throw;
    connect(true);
    check_content();
  }
  if (access_ == OpenMode::read_write)
    prepare_for_writing();
  else if (connection_->execAndGet("PRAGMA user_version").getInt() == schema_version())
    make_views(*connection_, ViewPlace::connection);
}

void Database::connect(bool immutable) {
  const auto patience = static_cast<int>(patience_.count());
  if (immutable) {
    connection_ = std::make_unique<SQLite::Database>(lookup::immutable_uri(path_),
                                                     SQLite::OPEN_READONLY | SQLite::OPEN_URI, patience);
  } else {
    const int flags = access_ == OpenMode::read_write ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                                                      : SQLite::OPEN_READONLY;
    connection_ = std::make_unique<SQLite::Database>(path_.string(), flags, patience);
  }
}

void Database::check_content() const {
  // One snapshot: another process may be making the tables of a new file.
  const SQLite::Transaction snapshot(*connection_);
  const int version = connection_->execAndGet("PRAGMA user_version").getInt();
  const int id = connection_->execAndGet("PRAGMA application_id").getInt();
  const bool empty = connection_->execAndGet("SELECT COUNT(*) FROM sqlite_schema").getInt() == 0;
  if (id != application_id && !(empty && id == 0 && version == 0)) throw not_a_database(path_);
  if (version > schema_version())
    throw Error(
        format("{} was made by a newer tune (schema {}, this program reads "
               "up to {}): update tune, or name another file with --db",
               path_.string(), version, schema_version()));
  if (access_ == OpenMode::read_write || version == schema_version()) return;
  if (access_ == OpenMode::inspect && version > 0) return;
  if (version == 0)
    throw Error(format("{} holds no results yet: tune something first, or name another file with --db",
                       path_.string()),
                Exit::no_answer);
  throw Error(
      format("{} was made by an older tune (schema {}, this program needs {}): `tune db compact {}`"
             " or any tuning run that uses it updates it",
             path_.string(), version, schema_version(), path_.string()));
}

void Database::prepare_for_writing() {
  if (sqlite3_db_readonly(connection_->getHandle(), "main") == 1)
    throw Error(format("{} cannot be written: change its permissions, or name another file with --db",
                       path_.string()));
  write_ahead_log_ = use_write_ahead_log();
  if (!write_ahead_log_ && path_ != in_memory)
    notice_ = format(
        "{}: its file system allows no write-ahead log; results are as safe, but readers wait for writers",
        path_.string());
  connection_->exec("PRAGMA synchronous = FULL");
  migrate(*connection_, migrations());  // may copy tables that others refer to
  make_views(*connection_, ViewPlace::file);
  connection_->exec("PRAGMA foreign_keys = ON");
}

bool Database::use_write_ahead_log() {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (;;) {
    try {
      return connection_->execAndGet("PRAGMA journal_mode = WAL").getString() == "wal";
    } catch (const SQLite::Exception& exception) {
      // SQLite does not wait when two processes switch a new file at the same moment.
      const bool busy = exception.getErrorCode() == SQLITE_BUSY || exception.getErrorCode() == SQLITE_LOCKED;
      if (!busy || std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

/// With a write-ahead log every commit reaches the operating system and the file stays sound whatever
/// happens; an fsync makes all commits before it survive the machine too. So one a second is enough. Without
/// the log, a commit that is not synchronised can damage the file.
void Database::synchronise(bool now) {
  connection_->exec(now || !write_ahead_log_ ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

void Database::write(const Operation& operation, Sync sync) {
  if (access_ != OpenMode::read_write) throw Error(format("{} was opened for reading only", path_.string()));
  const auto start = std::chrono::steady_clock::now();
  const bool now = sync == Sync::now || start - last_sync_ >= sync_interval;
  try {
    synchronise(now);
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::IMMEDIATE);
    operation(*connection_);
    transaction.commit();
  } catch (...) {
    rethrow();
  }
  if (now) last_sync_ = start;
}

void Database::read(const Operation& operation) const {
  try {
    if (sqlite3_get_autocommit(connection_->getHandle()) == 0) {
      operation(*connection_);
      return;
    }
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::DEFERRED);
    operation(*connection_);
    transaction.commit();
  } catch (...) {
    rethrow();
  }
}

std::int64_t Database::data_version() const {
  std::int64_t version = 0;
  read([&](SQLite::Database& connection) {
    version = connection.execAndGet("PRAGMA data_version").getInt64();
  });
  return version;
}

void Database::rethrow() const {
  try {
    throw;
  } catch (const SQLite::Exception& exception) {
    throw to_error(exception, path_);
  }
}

}  // namespace tune::db
