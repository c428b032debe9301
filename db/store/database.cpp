// SPDX-License-Identifier: Apache-2.0
#include "db/store/database.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <pwd.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "db/store/json.hpp"
#include "db/store/schema.hpp"
#include "lookup/src/checked_pages.hpp"
#include "lookup/src/connection.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

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

/// A file beside it has up to 8 characters more.
bool is_too_long(const fs::path& path) {
  constexpr std::size_t longest_name = 255 - 8, longest_path = 4095 - 8;
  if (path.native().size() > longest_path) return true;
  return std::ranges::any_of(path, [](const fs::path& part) { return part.native().size() > longest_name; });
}

/// Refuses names that SQLite would take for something else than a file.
void check_name(const fs::path& path) {
  if (path == in_memory) return;
  const std::string name = path.string();
  if (name.starts_with("file:")) throw UsageError(format("{} is a URI: name a file with --db", name));
  if (is_too_long(path))
    throw UsageError(format("{} is too long for the name of a file: name another one", shortened(name)));
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw UsageError(format("{} is a folder: name a file in it with --db", name));
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw UsageError(format("{} is not a regular file: name another one with --db", name));
}

/// The administrator may write to any file; one that nobody may write to is meant to stay as it is.
bool is_write_protected(const fs::path& path) {
  std::error_code error;
  const fs::perms all = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  const fs::perms permissions = fs::status(path, error).permissions();
  return !error && fs::exists(path, error) && (permissions & all) == fs::perms::none;
}

}  // namespace

Error not_a_database(const std::filesystem::path& path) {
  return UsageError(format("{} is not a tune database: name another file with --db", path.string()));
}

namespace {

/// The error where files beside the database, which another user made, keep this one from writing.
std::optional<Error> log_of_another_user(const fs::path& path) {
  const std::string file = path.string();
  struct stat info = {};
  if (::stat((file + "-shm").c_str(), &info) != 0 || info.st_uid == ::geteuid() ||
      ::access((file + "-shm").c_str(), W_OK) == 0)
    return std::nullopt;
  const passwd* owner = ::getpwuid(info.st_uid);
  return Error(format(
      "{} cannot be written: {}-wal and {}-shm belong to {}; once nobody reads the database, remove {}", file,
      file, file, owner == nullptr ? format("user {}", info.st_uid) : std::string(owner->pw_name),
      lookup::has_pending_log(file) ? "them after that user has run 'tune db compact'" : "both"));
}

}  // namespace

Error to_error(const SQLite::Exception& exception, const std::filesystem::path& path) {
  const std::string file = path.string();
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return not_a_database(path);
    case SQLITE_CORRUPT:
      return Error(format(
          "{} is damaged: 'tune db salvage {} --out NEW' copies the sound results; or restore a copy{}", file,
          file, lookup::has_pending_log(file) ? " and remove " + file + "-wal and -shm" : ""));
    case SQLITE_FULL:
      return Error(
          format("no room to write {} or temporary files (TMPDIR): free disk space and start again;"
                 " everything recorded before is kept",
                 file));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      if (auto locked_out = log_of_another_user(path)) return *std::move(locked_out);
      return Error(
          format("{} cannot be written: change its permissions or those of its folder,"
                 " or name another file with --db",
                 file));
    case SQLITE_CANTOPEN:
      if (auto locked_out = log_of_another_user(path)) return *std::move(locked_out);
      return Error(format(
          "cannot open {}: make it readable and its folder writable, or name another file with --db", file));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Error(format(
          "{} is in use: another process holds it; end that one, or name another file with --db", file));
    case SQLITE_IOERR:
      return Error(
          format("reading or writing {} failed: check that its disk has room and works; network file systems "
                 "without locks cannot hold a database",
                 file));
    case SQLITE_NOMEM:
      return Error(format("out of memory while {} was read: end other programs", file));
    case SQLITE_CONSTRAINT:
      return Error(format("{} refused a record ({}): this is an error in tune, please report it", file,
                          one_line(exception.what())));
    default:
      return Error(format(
          "{} is not as tune writes it (error {} of its reader): 'tune db salvage {} --out NEW' saves the "
          "sound results; or restore a copy",
          file, exception.getExtendedErrorCode(), file));
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
  check_name(path_);
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
  if (access_ == OpenMode::read_only || access_ == OpenMode::inspect) {
    open_for_reading();
  } else {
    connect(access_ == OpenMode::immutable);
    check_content();
  }
  if (access_ == OpenMode::read_write) {
    prepare_for_writing();
    return;
  }
  const bool is_older = connection_->execAndGet("PRAGMA user_version").getInt() < schema_version();
  if (is_older && access_ == OpenMode::inspect) return;
  if (is_older) read_as_copy();
  make_views(*connection_, ViewPlace::connection);
}

/// A reader must not change the file: it reads a copy in memory that has today's schema.
void Database::read_as_copy() {
  auto copy = std::make_unique<SQLite::Database>(std::string(in_memory),
                                                 SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(*copy, *connection_).executeStep();
  migrate(*copy, migrations());
  connection_ = std::move(copy);
}

void Database::open_for_reading() {
  quiet_.reset();
  if (lookup::is_quiet_file_of_another_user(path_.string()))
    quiet_ = std::make_unique<lookup::FileState>(lookup::state_of(path_.string()));
  connect(quiet_ != nullptr);
  try {
    check_content();
  } catch (const SQLite::Exception& exception) {
    // A write-ahead log needs files beside the database, which a folder that cannot be written, or a full
    // disk (SQLITE_IOERR), refuses. A database without pending commits can be read without them.
    const int code = exception.getErrorCode();
    const bool refused = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR;
    if (quiet_ || !refused || lookup::has_pending_log(path_.string())) throw;
    connect(true);
    check_content();
  }
}

/// Opens a quiet file anew where its owner has written to it or has opened it.
void Database::renew() const {
  const std::string file = path_.string();
  if (!quiet_ || (lookup::state_of(file) == *quiet_ && lookup::is_quiet_file_of_another_user(file))) return;
  auto& self = const_cast<Database&>(*this);  // what is read is the same database
  self.open();
  ++self.renewals_;
}

void Database::confirm() const {
  if (quiet_ && !(lookup::state_of(path_.string()) == *quiet_))
    throw Error(format("{} was written while it was read: start again", path_.string()));
}

void Database::connect(bool immutable) {
  const auto patience = static_cast<int>(patience_.count());
  if (immutable) {
    connection_ = std::make_unique<SQLite::Database>(lookup::immutable_uri(path_),
                                                     SQLite::OPEN_READONLY | SQLite::OPEN_URI, patience,
                                                     lookup::checked_pages_vfs());
  } else {
    const int flags = access_ == OpenMode::read_write ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                                                      : SQLite::OPEN_READONLY;
    connection_ =
        std::make_unique<SQLite::Database>(path_.string(), flags, patience, lookup::checked_pages_vfs());
  }
}

void Database::check_content() const {
  // One snapshot: another process may be making the tables of a new file.
  const SQLite::Transaction snapshot(*connection_);
  const int version = connection_->execAndGet("PRAGMA user_version").getInt();
  if (version < 0) throw SQLite::Exception("a schema of a number below 0", SQLITE_CORRUPT);
  const int id = connection_->execAndGet("PRAGMA application_id").getInt();
  const bool empty = connection_->execAndGet("SELECT COUNT(*) FROM sqlite_schema").getInt() == 0;
  if (id != application_id && !(empty && id == 0 && version == 0)) throw not_a_database(path_);
  if (version > schema_version())
    throw Error(
        format("{} was made by a newer tune (schema {}, this program reads "
               "up to {}): update tune, or name another file with --db",
               path_.string(), version, schema_version()));
  if (access_ != OpenMode::immutable && has_foreign_log(*connection_)) {
    never_checkpoint(*connection_);
    throw Error(
        format("{0}-wal is the log of another database: remove {0}-wal and {0}-shm, or put the file and its"
               " log there together",
               path_.string()));
  }
  if (access_ == OpenMode::read_write || version == schema_version()) return;
  if (access_ == OpenMode::inspect && version > 0) return;
  if (version == 0)
    throw Error(format("{} holds no results yet: tune something first, or name another file with --db",
                       path_.string()),
                Exit::no_answer);
  if (file_bytes(path_) <= max_copied_bytes) return;
  throw Error(
      format("{} was made by an older tune (schema {}, this program needs {}): `tune db compact {}`"
             " or any tuning run updates it",
             path_.string(), version, schema_version(), path_.string()));
}

void Database::prepare_for_writing() {
  refuse_recording();
  if (is_write_protected(path_) || sqlite3_db_readonly(connection_->getHandle(), "main") == 1)
    throw Error(format("{} cannot be written: change its permissions, or name another file with --db",
                       path_.string()));
  if (connection_->execAndGet("PRAGMA page_count").getInt() == 0) request_checksums(*connection_);
  write_ahead_log_ = use_write_ahead_log();
  if (!write_ahead_log_ && path_ != in_memory)
    notice_ = format(
        "{}: its file system allows no write-ahead log: results are safe, but readers wait for writers",
        path_.string());
  connection_->exec("PRAGMA synchronous = FULL");
  migrate(*connection_, migrations());  // may copy tables that others refer to
  make_views(*connection_, ViewPlace::file);
  connection_->exec("PRAGMA foreign_keys = ON");
  log_inode_ = lookup::state_of(path_.string() + "-wal").inode;
  if (path_ != in_memory) identity_.begin(*connection_);
}

void Database::refuse_recording() const {
  if (!connection_->tableExists("properties")) return;
  if (connection_->execAndGet("SELECT COUNT(*) FROM properties WHERE name = 'recording'").getInt() == 0)
    return;
  throw Error(
      format(
          "{} is a recording, which is never changed: name another file with --db, or copy it with 'tune db "
          "export --db {} --out NEW'",
          path_.string(), path_.string()),
      Exit::usage);
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
  check_place();
  try {
    synchronise(now);
    if (now) count_next_change(*connection_);
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::IMMEDIATE);
    put_identity_into_log(*connection_);
    operation(*connection_);
    transaction.commit();
  } catch (...) {
    rethrow();
  }
  if (!now) return;
  last_sync_ = start;
  check_place();
}

/// Throws where the file is not the one that was opened, or its log is not. The log goes, lest it damage a
/// file in its place.
void Database::check_place() {
  int moved = 0;
  if (sqlite3_file_control(connection_->getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK)
    moved = 0;
  const std::uint64_t log_inode = lookup::state_of(path_.string() + "-wal").inode;
  if (log_inode_ == 0) log_inode_ = log_inode;
  const bool other_log = log_inode != log_inode_;
  if (moved == 0 && !other_log && identity_.holds(*connection_)) return;
  never_checkpoint(*connection_);
  if (log_inode != 0 && !other_log) {
    std::error_code ignored;
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(path_.string() + suffix, ignored);
  }
  throw Error(format(
      "{} was moved, replaced or deleted while tune wrote to it{}: the last results are lost; keep the file "
      "in place, and start again",
      path_.string(), moved == 0 && other_log ? ", or its log " + path_.string() + "-wal was" : ""));
}

void Database::read(const Operation& operation) const {
  if (sqlite3_get_autocommit(connection_->getHandle()) == 0) {
    operation(*connection_);  // the outer call names the file in an error
    return;
  }
  try {
    renew();
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::DEFERRED);
    operation(*connection_);
    transaction.commit();
    confirm();
  } catch (...) {
    rethrow();
  }
}

void Database::leave_out(const std::string& row) const {
  left_out_.insert(row);
}

std::string Database::left_out() const {
  if (left_out_.empty()) return {};
  return format(
      "{} of {} cannot be read and {} left out: 'tune db check {}' names the rows, 'tune db salvage {}"
      " --out NEW' saves the others",
      counted(left_out_.size(), "row"), path_.string(), left_out_.size() == 1 ? "is" : "are", path_.string(),
      path_.string());
}

std::int64_t Database::data_version() const {
  std::int64_t version = 0;
  read([&](SQLite::Database& connection) {
    version = connection.execAndGet("PRAGMA data_version").getInt64();
  });
  return version + (renewals_ << 32);
}

void Database::rethrow() const {
  try {
    throw;
  } catch (const SQLite::Exception& exception) {
    throw to_error(exception, path_);
  } catch (const UnreadableText& error) {
    throw error.in(path_);
  } catch (const std::invalid_argument& error) {  // of a configuration, a name, a value
    throw Error(
        format("{}: the database has a value that tune did not write ({}): 'tune db check' looks for others, "
               "'tune db salvage' saves the rest",
               path_.string(), shortened(error.what(), 100)));
  }
}

}  // namespace tune::db
