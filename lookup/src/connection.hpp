// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lookup/include/tune/lookup.hpp"

/// For the .cpp files of this folder and for db/read/best.cpp; this header is not installed.
namespace tune::lookup {

/// Ends a search; the library catches it.
class Failed : public std::exception {
 public:
  Failed(Error error, int sqlite_code) : error_(std::move(error)), sqlite_code_(sqlite_code) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }
  int sqlite_code() const { return sqlite_code_; }

 private:
  Error error_;
  int sqlite_code_;
};

/// A prepared statement between two uses. Columns count from 0, parameters from 1. Throws Failed.
class Statement {
 public:
  Statement(sqlite3* handle, sqlite3_stmt* statement, const std::string& file)
      : handle_(handle), statement_(statement), file_(file) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_reset(statement_); }

  Statement& bind(int index, std::int64_t value);
  /// The text must outlive this object.
  Statement& bind(int index, const std::string& value);
  bool step();
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;

 private:
  sqlite3* handle_;
  sqlite3_stmt* statement_;
  const std::string& file_;
};

/// What a file is at one moment: equal as long as nobody has replaced it or written to it.
struct FileState {
  std::uint64_t device = 0, inode = 0;
  std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileState& other) const;
};
FileState state_of(const std::string& file);

/// True for a file of another user that nobody has open and whose log is empty. A reader that opens it in the
/// usual way leaves files beside it that the owner cannot write, and so locks the owner out; opened as
/// immutable, it has to be compared with its state before and after.
bool is_quiet_file_of_another_user(const std::string& file);

/// Versions of the schema that the library reads.
constexpr int oldest_schema = 2;
constexpr int newest_schema = TUNE_LOOKUP_SCHEMA;  // by the build: as many as there are files in db/schema

/// An open database, and the statements prepared on it. One thread at a time.
class Connection {
 public:
  /// Uses a handle that the caller opened, and closes after this object's end.
  Connection(sqlite3* handle, std::string file) : handle_(handle), file_(std::move(file)) {}
  /// Opens a file for reading. An `immutable` file never changes, so that no lock is taken. Throws Failed for
  /// a file that is missing, of another schema, not a tune database, damaged or busy.
  Connection(std::string file, bool immutable, int patience_ms);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  const std::string& file() const { return file_; }
  /// Returns the version of the file's schema.
  int schema() const { return schema_; }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  /// Prepares a text, which must live as long as the program, once. A text has one use at a time.
  Statement prepare(const char* sql);
  /// To be called before and after what reads a file that was opened as immutable although it may change:
  /// opens it anew where it has changed, and throws Failed where it changed meanwhile.
  void renew();
  void confirm() const;
  /// Throws the error of the last call on the handle.
  [[noreturn]] void fail(int code) const;

 private:
  void open_readable(bool immutable);
  void open(bool immutable);
  void check_content();
  void close();

  sqlite3* handle_ = nullptr;
  bool owned_ = false;
  std::string file_;
  int patience_ms_ = 0;
  int schema_ = newest_schema;
  std::optional<FileState> quiet_;  ///< of a file that was opened as immutable although it may change
  std::map<const char*, sqlite3_stmt*> statements_;
};

/// Keeps what a search sees unchanged until the end of this object, whatever is written meanwhile. Does
/// nothing within another transaction.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

 private:
  Connection& connection_;
  bool mine_ = false;
};

/// Marks a file as ours (`PRAGMA application_id`), as in db/store/schema.hpp: the letters `tune`.
constexpr int application_id = 0x74756e65;

/// Returns a `file:` URI with which SQLite opens this path as immutable.
std::string immutable_uri(const std::string& path);
/// True when the write-ahead log beside the file has commits that are not in it yet.
bool has_pending_log(const std::string& file);

}  // namespace tune::lookup
