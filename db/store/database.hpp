// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Exception.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tuner/base/error.hpp"

namespace SQLite {
class Database;
}

namespace tune::db {

/// Whether the file is there and an SQLite database, of whatever program.
bool is_database(const std::filesystem::path& file);
/// Whether these are the first bytes of one, or all of it.
bool begins_as_database(std::string_view bytes);

/// What a database is opened for.
enum class OpenMode {
  read_write,  ///< makes the file, its folders and its tables where they are missing
  read_only,   ///< the file must be there; another process may be writing it
  inspect,     ///< read_only of a file of any released schema: for code that asks which tables there are
  immutable,   ///< a recording that nobody changes: no lock is taken and no file is made beside it
};

/// When a commit survives more than the end of the process: a crash of the machine, a loss of power.
enum class Sync {
  soon,  ///< within `Database::sync_interval` of steady writing: waiting for the disk costs 5 ms
  now,   ///< when `write` returns, and all commits before it
};

/// An open tune database: one SQLite file. Not thread-safe: a thread opens its own.
/// Every function throws Error, one line that names the file and the cure; SQLite's exceptions stay inside.
class Database {
 public:
  using Operation = std::function<void(SQLite::Database&)>;

  /// How long a writer waits for another one before it gives up.
  static constexpr std::chrono::milliseconds default_patience{120'000};

  /// What a crash of the machine may cost, of evaluations that were committed.
  static constexpr std::chrono::milliseconds sync_interval{1'000};

  /// `:memory:` is a database that ends with this object.
  explicit Database(std::filesystem::path path, OpenMode access = OpenMode::read_write,
                    std::chrono::milliseconds patience = default_patience);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  const std::filesystem::path& path() const { return path_; }
  OpenMode access() const { return access_; }
  /// Something that a person should know and that is no error, one line; empty as a rule.
  const std::string& notice() const { return notice_; }

  /// Runs `work` in a transaction that holds the write lock from its start, and commits it. When this
  /// returns, the changes survive the end of the process at any moment; when it throws, nothing changed.
  void write(const Operation& operation, Sync sync = Sync::soon);
  /// Runs `work` on one unchanging state of the database, whatever others write meanwhile. May be nested.
  void read(const Operation& operation) const;
  /// Another number as soon as anybody else has committed a change: whether to read again. Says nothing about
  /// how many there were.
  std::int64_t data_version() const;

  /// For the code of this folder and its tests. Throws SQLite::Exception.
  SQLite::Database& connection() const { return *connection_; }

 private:
  void open();
  void connect(bool immutable);
  void check_content() const;
  void prepare_for_writing();
  bool use_write_ahead_log();
  void synchronise(bool now);
  [[noreturn]] void rethrow() const;

  std::filesystem::path path_;
  OpenMode access_;
  std::chrono::milliseconds patience_;
  std::string notice_;
  bool write_ahead_log_ = false;
  std::chrono::steady_clock::time_point last_sync_;
  std::unique_ptr<SQLite::Database> connection_;
};

/// What SQLite said of a file, as one line for people with the cure.
Error to_error(const SQLite::Exception& exception, const std::filesystem::path& path);

/// The file is something else.
Error not_a_database(const std::filesystem::path& path);

}  // namespace tune::db
