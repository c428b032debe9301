// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "db/store/file_identity.hpp"
#include "tuner/base/error.hpp"

namespace SQLite {
class Database;
class Exception;
}  // namespace SQLite

namespace tune::lookup {
struct FileState;
}

namespace tune::db {

/// True when the file exists and is an SQLite database, of whatever program.
bool is_database(const std::filesystem::path& file);
/// True when these are the first bytes of one, or all of it.
bool begins_as_database(std::string_view bytes);

/// Returns the size of the file; 0 where there is none.
std::uint64_t file_bytes(const std::filesystem::path& file);

/// How a database is opened.
enum class OpenMode {
  read_write,  ///< makes the file, its folders and its tables where they are missing
  read_only,   ///< the file must be there; another process may be writing it
  inspect,     ///< read_only for a file of any released schema: for code that asks which tables exist
  immutable,   ///< a recording, which never changes: no lock is taken and no file is made beside it
};

/// When a commit survives a crash of the machine or a loss of power too, not only the end of the process.
enum class Sync {
  soon,  ///< within `Database::sync_interval` of steady writing: waiting for the disk costs 5 ms
  now,   ///< when `write` returns, and all commits before it
};

/// An open tune database: one SQLite file. Not thread-safe: a thread opens its own.
/// Every function throws Error, one line that names the file and the cure; SQLite's exceptions stay inside.
class Database {
 public:
  using Operation = std::function<void(SQLite::Database&)>;

  /// The time that a writer waits for another one before it gives up.
  static constexpr std::chrono::milliseconds default_patience{120'000};

  /// The time whose committed evaluations a crash of the machine may lose.
  static constexpr std::chrono::milliseconds sync_interval{1'000};

  /// A file of an older schema is read as a copy in memory up to this size; a larger one is refused.
  static constexpr std::uint64_t max_copied_bytes = std::uint64_t{1} << 30;

  /// `:memory:` is a database that ends with this object.
  explicit Database(std::filesystem::path path, OpenMode access = OpenMode::read_write,
                    std::chrono::milliseconds patience = default_patience);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  const std::filesystem::path& path() const { return path_; }
  OpenMode access() const { return access_; }
  /// Returns one line for the user that is not an error, mostly empty.
  const std::string& notice() const { return notice_; }

  /// Calls the operation in a transaction that holds the write lock from its start, and commits it. When this
  /// returns, the changes survive the end of the process at any moment; when it throws, nothing changed.
  void write(const Operation& operation, Sync sync = Sync::soon);
  /// Calls the operation on one unchanging state of the database, whatever others write meanwhile. May be
  /// nested.
  void read(const Operation& operation) const;
  /// Returns a number that differs once another connection has committed changes, however many.
  std::int64_t data_version() const;

  /// Notes a row that cannot be read and is left out of an answer, such as `evaluation 12`.
  void leave_out(const std::string& row) const;
  /// Returns one line for the user that counts the rows left out so far, mostly empty.
  std::string left_out() const;

  /// For the code of this folder and its tests. Throws SQLite::Exception.
  SQLite::Database& connection() const { return *connection_; }

 private:
  void open();
  void connect(bool immutable);
  void check_content() const;
  void prepare_for_writing();
  void refuse_recording() const;
  bool use_write_ahead_log();
  void synchronise(bool now);
  void check_place();
  void open_for_reading();
  void read_as_copy();
  void renew() const;
  void confirm() const;
  [[noreturn]] void rethrow() const;

  std::filesystem::path path_;
  OpenMode access_;
  std::chrono::milliseconds patience_;
  std::string notice_;
  bool write_ahead_log_ = false;
  std::chrono::steady_clock::time_point last_sync_;
  std::uint64_t log_inode_ = 0;  ///< of the log that this object opened for writing
  FileIdentity identity_;
  std::unique_ptr<SQLite::Database> connection_;
  /// Of a file of another user, which is opened as immutable although it may change.
  std::unique_ptr<lookup::FileState> quiet_;
  std::int64_t renewals_ = 0;
  mutable std::set<std::string> left_out_;
};

/// Turns an error of SQLite into one line that names the file and the cure.
Error to_error(const SQLite::Exception& exception, const std::filesystem::path& path);

/// The error for a file of another kind.
Error not_a_database(const std::filesystem::path& path);

}  // namespace tune::db
