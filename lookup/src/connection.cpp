// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/connection.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "lookup/src/checked_pages.hpp"

namespace tune::lookup {
namespace {

Error error_of(int code, const std::string& file) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return {Code::not_a_database, file + " is not a tune database: name another file"};
    case SQLITE_CORRUPT:
      return {Code::damaged,
              file + " is damaged: restore a copy, or copy the sound results with 'tune db salvage'"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return {Code::busy, file + " is in use: try again, or wait longer for it"};
    case SQLITE_ERROR:  // a table or column that is not there
      return {Code::damaged, file + " is not as tune writes it: restore a copy"};
    default:
      return {Code::unreadable, file + " cannot be read (error " + std::to_string(code) +
                                    "): check its permissions and its disk"};
  }
}

[[noreturn]] void fail_with(Code code, const std::string& message) {
  throw Failed({code, message}, SQLITE_ERROR);
}

void check_file(const std::string& file) {
  struct stat info = {};
  if (file.empty() || ::stat(file.c_str(), &info) != 0)
    fail_with(Code::missing, "there is no database " + file + ": tune something first, or name another file");
  if (S_ISDIR(info.st_mode)) fail_with(Code::not_a_database, file + " is a folder: name a file in it");
  if (!S_ISREG(info.st_mode))  // a pipe would wait
    fail_with(Code::not_a_database, file + " is not a regular file: name another one");
}

}  // namespace

std::string immutable_uri(const std::string& path) {
  std::string absolute = path;
  char folder[4096];
  if (path.front() != '/' && ::getcwd(folder, sizeof folder) != nullptr)
    absolute = std::string(folder) + "/" + path;
  std::string uri = "file:";
  for (const char c : absolute) {
    char escaped[4];
    if (c == '%' || c == '?' || c == '#') {
      std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      uri += escaped;
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

bool has_pending_log(const std::string& file) {
  struct stat info = {};
  return ::stat((file + "-wal").c_str(), &info) == 0 && info.st_size > 0;
}

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_, index, value);
  return *this;
}

Statement& Statement::bind(int index, const std::string& value) {
  sqlite3_bind_text(statement_, index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw Failed(error_of(code, file_), code);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr
             ? std::string()
             : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

bool FileState::operator==(const FileState& other) const {
  return device == other.device && inode == other.inode && bytes == other.bytes && seconds == other.seconds &&
         nanoseconds == other.nanoseconds;
}

FileState state_of(const std::string& file) {
  struct stat info = {};
  if (::stat(file.c_str(), &info) != 0) return {};
  return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino), info.st_size,
          info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

bool is_quiet_file_of_another_user(const std::string& file) {
  struct stat info = {};
  // The administrator's files get the owner of the database.
  if (::geteuid() == 0 || ::stat(file.c_str(), &info) != 0 || info.st_uid == ::geteuid()) return false;
  return !has_pending_log(file) && ::stat((file + "-shm").c_str(), &info) != 0;
}

Connection::Connection(std::string file, bool immutable, int patience_ms)
    : owned_(true), file_(std::move(file)), patience_ms_(patience_ms) {
  check_file(file_);
  // A recording may still be being made.
  open_readable(immutable && !has_pending_log(file_));
}

void Connection::open_readable(bool immutable) {
  quiet_.reset();
  if (!immutable && is_quiet_file_of_another_user(file_)) {
    quiet_ = state_of(file_);
    immutable = true;
  }
  try {
    open(immutable);
    check_content();
  } catch (const Failed& failed) {
    close();
    // The log of a database needs files beside it, which a folder that cannot be written refuses. A database
    // without pending commits can be read without them.
    const int code = failed.sqlite_code() & 0xff;
    const bool refused = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR;
    if (immutable || !refused || has_pending_log(file_)) throw;
    try {
      open(true);
      check_content();
    } catch (...) {
      close();
      throw;
    }
  }
}

void Connection::renew() {
  if (!quiet_ || (state_of(file_) == *quiet_ && is_quiet_file_of_another_user(file_))) return;
  close();
  open_readable(false);
}

void Connection::confirm() const {
  if (quiet_ && !(state_of(file_) == *quiet_))
    fail_with(Code::busy, file_ + " was written while it was read: try again");
}

Connection::~Connection() {
  close();
}

void Connection::close() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  if (owned_) sqlite3_close(handle_);
  if (owned_) handle_ = nullptr;
}

void Connection::open(bool immutable) {
  // Without SQLite's own locks: a connection is of one thread at a time, which costs us one lock, not one a
  // call.
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_URI : 0);
  const std::string name = immutable ? immutable_uri(file_) : file_;
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, checked_pages_vfs());
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle_, patience_ms_);
}

void Connection::check_content() {
  const auto number = [this](const char* sql) {
    Statement statement = prepare(sql);
    return statement.step() ? statement.integer(0) : 0;
  };
  const std::int64_t version = number("PRAGMA user_version");
  if (number("PRAGMA application_id") != application_id) {
    if (version != 0 || number("SELECT COUNT(*) FROM sqlite_master") != 0)
      fail_with(Code::not_a_database, file_ + " is not a tune database: name another file");
    fail_with(Code::missing, file_ + " holds no results yet: tune something first");
  }
  if (version > newest_schema)
    fail_with(Code::newer_schema, file_ + " was made by a newer tune (schema " + std::to_string(version) +
                                      ", this library reads up to " + std::to_string(newest_schema) +
                                      "): update the library");
  if (version < oldest_schema)
    fail_with(Code::older_schema, file_ + " was made by an older tune (schema " + std::to_string(version) +
                                      ", this library needs " + std::to_string(oldest_schema) +
                                      "): any tuning run updates it");
  schema_ = static_cast<int>(version);
}

Statement Connection::prepare(const char* sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (statement == nullptr) {
    const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) fail(code);
  }
  return {handle_, statement, file_};
}

void Connection::fail(int code) const {
  throw Failed(error_of(code, file_), code);
}

Snapshot::Snapshot(Connection& connection) : connection_(connection) {
  if (connection_.in_transaction()) return;
  connection_.renew();
  connection_.prepare("BEGIN").step();
  mine_ = true;
}

Snapshot::~Snapshot() {
  try {
    if (mine_) connection_.prepare("COMMIT").step();
  } catch (const Failed&) {  // nothing was written
  }
}

}  // namespace tune::lookup
