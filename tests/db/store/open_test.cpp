// SPDX-License-Identifier: Apache-2.0
// Files that cannot be opened or written: the reason in one line, and nothing is lost.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "db/read/queries.hpp"
#include "db/store/schema.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/without_privileges.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;
using db::Database;
using db::OpenMode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The message and the exit status of the Error that `work` ends in.
struct ThrownError {
  std::string what;
  Exit exit = Exit::success;
};

ThrownError error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const Error& error) {
    return {error.what(), error.exit()};
  } catch (const std::exception& exception) {
    return {std::string("not an Error: ") + exception.what()};
  }
  return {"no error"};
}

MATCHER_P2(OneLineWith, path, words, "") {
  return arg.what.find(path.string()) != std::string::npos && arg.what.find(words) != std::string::npos &&
         arg.what.find('\n') == std::string::npos && arg.what.size() < 400;
}

class OpenTest : public ::testing::Test {
 protected:
  fs::path make_database(const std::string& name) {
    const fs::path path = folder_ / name;
    Database database(path);
    db::SqliteStore store(database);
    store.record(store.begin_run(example_run()), measured(example_configuration(), {1e-3}));
    return path;
  }

  static void write_text(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  static void allow(const fs::path& path, unsigned mode) {
    fs::permissions(path, static_cast<fs::perms>(mode));
  }

  TemporaryFolder folder_;
};

TEST_F(OpenTest, MakesFileAndFolders) {
  const Database database(folder_ / "a/b/tune.db");
  EXPECT_TRUE(fs::exists(folder_ / "a/b/tune.db"));
  EXPECT_EQ(database.notice(), "");
}

TEST_F(OpenTest, AnEmptyFileBecomesADatabase) {
  write_text(folder_ / "tune.db", "");
  const Database database(folder_ / "tune.db");
  EXPECT_EQ(database.connection().execAndGet("PRAGMA user_version").getInt(), db::schema_version());
  EXPECT_EQ(database.connection().execAndGet("PRAGMA application_id").getInt(), db::application_id);
}

TEST_F(OpenTest, UsesAWriteAheadLogForeignKeysAndFullSynchronisation) {
  const Database database(folder_ / "tune.db");
  EXPECT_EQ(database.connection().execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(database.connection().execAndGet("PRAGMA foreign_keys").getInt(), 1);
  EXPECT_EQ(database.connection().execAndGet("PRAGMA synchronous").getInt(), 2);
  EXPECT_EQ(database.connection().execAndGet("PRAGMA busy_timeout").getInt(), 120'000);
}

TEST_F(OpenTest, OneCommitASecondWaitsForTheDiskAndTheLastOfARun) {
  Database database(folder_ / "tune.db");
  db::SqliteStore store(database);
  const auto synchronous = [&] { return database.connection().execAndGet("PRAGMA synchronous").getInt(); };
  const RunId run = store.begin_run(example_run());
  EXPECT_EQ(synchronous(), 2);  // the first
  store.record(run, measured(example_configuration(1), {1e-3}));
  EXPECT_EQ(synchronous(), 1);
  std::this_thread::sleep_for(Database::sync_interval);
  store.record(run, measured(example_configuration(2), {1e-3}));
  EXPECT_EQ(synchronous(), 2);
  store.record(run, measured(example_configuration(3), {1e-3}));
  EXPECT_EQ(synchronous(), 1);
  store.end_run(run, RunEnd::exhausted);
  EXPECT_EQ(synchronous(), 2);
}

TEST_F(OpenTest, ATextIsNoDatabaseAndStaysAsItWas) {
  const fs::path path = folder_ / "notes.txt";
  const std::string text(5000, 'x');
  write_text(path, text);
  for (const OpenMode access : {OpenMode::read_write, OpenMode::read_only, OpenMode::immutable}) {
    const ThrownError thrown = error_of([&] { Database(path, access); });
    EXPECT_THAT(thrown, OneLineWith(path, "is not a tune database"));
    EXPECT_EQ(thrown.exit, Exit::usage);
  }
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

TEST_F(OpenTest, AShortTextIsNoDatabase) {
  const fs::path path = folder_ / "notes.txt";
  write_text(path, "hello\n");
  EXPECT_THAT(error_of([&] { Database{path}; }), OneLineWith(path, "is not a tune database"));
}

TEST_F(OpenTest, AnotherProgramsDatabaseIsLeftAlone) {
  const fs::path path = folder_ / "mail.db";
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE mail (id INTEGER)");
  EXPECT_THAT(error_of([&] { Database{path}; }), OneLineWith(path, "is not a tune database"));
  SQLite::Database mail(path.string());
  EXPECT_FALSE(mail.tableExists("runs"));
  EXPECT_EQ(mail.execAndGet("PRAGMA journal_mode").getString(), "delete");
}

TEST_F(OpenTest, ADamagedFileSaysSo) {
  const fs::path path = make_database("tune.db");
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file << std::string(static_cast<std::size_t>(fs::file_size(path)) - 100, '\x5a');
  file.close();
  for (const OpenMode access : {OpenMode::read_write, OpenMode::read_only})
    EXPECT_THAT(error_of([&] { Database(path, access); }), OneLineWith(path, "is damaged"));
}

TEST_F(OpenTest, ATruncatedFileSaysSo) {
  const fs::path path = make_database("tune.db");
  fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_THAT(error_of([&] {
                const Database database(path);
                db::list_results(database);
              }),
              OneLineWith(path, "is damaged"));
}

TEST_F(OpenTest, ANewerSchemaIsNotTouched) {
  const fs::path path = make_database("tune.db");
  Database(path).connection().exec("PRAGMA user_version = 9999");
  for (const OpenMode access : {OpenMode::read_write, OpenMode::read_only, OpenMode::immutable}) {
    const ThrownError thrown = error_of([&] { Database(path, access); });
    EXPECT_THAT(thrown,
                OneLineWith(path, "was made by a newer tune (schema 9999, this program reads up to "));
    EXPECT_THAT(thrown.what, HasSubstr("--db"));
  }
}

TEST_F(OpenTest, AFolderIsNoFile) {
  EXPECT_THAT(error_of([&] { Database{folder_.path()}; }), OneLineWith(folder_.path(), "is a folder"));
}

TEST_F(OpenTest, AFileThatIsMissingCannotBeReadAndIsNotMade) {
  const fs::path path = folder_ / "missing/tune.db";
  const ThrownError thrown = error_of([&] { Database(path, OpenMode::read_only); });
  EXPECT_THAT(thrown, OneLineWith(path, "there is no database"));
  EXPECT_EQ(thrown.exit, Exit::no_answer);
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
}

TEST_F(OpenTest, AnEmptyFileHoldsNothingToRead) {
  write_text(folder_ / "tune.db", "");
  const ThrownError thrown = error_of([&] { Database(folder_ / "tune.db", OpenMode::read_only); });
  EXPECT_THAT(thrown, OneLineWith(folder_ / "tune.db", "holds no results yet"));
  EXPECT_EQ(thrown.exit, Exit::no_answer);
}

TEST_F(OpenTest, AFolderThatCannotBeMadeIsNamed) {
  write_text(folder_ / "file", "x");
  EXPECT_THAT(error_of([&] { Database(folder_ / "file/tune.db"); }),
              OneLineWith(folder_ / "file", "cannot make the folder"));
}

TEST_F(OpenTest, AFolderThatCannotBeWrittenIsNamed) {
  allow(folder_.path(), 0555);
  const WithoutPrivileges nobody;
  const fs::path path = folder_ / "tune.db";
  EXPECT_THAT(error_of([&] { Database{path}; }), OneLineWith(path, "cannot open"));
  EXPECT_THAT(error_of([&] { Database{folder_ / "deeper/tune.db"}; }),
              OneLineWith(folder_ / "deeper", "cannot make the folder"));
}

TEST_F(OpenTest, AFileThatCannotBeWrittenIsNamedButCanBeRead) {
  const fs::path path = make_database("tune.db");
  allow(folder_.path(), 0555);
  allow(path, 0444);
  const WithoutPrivileges nobody;
  const ThrownError thrown = error_of([&] { Database{path}; });
  EXPECT_THAT(thrown, OneLineWith(path, "cannot be written"));
  EXPECT_EQ(thrown.exit, Exit::failure);
  EXPECT_EQ(db::list_results(Database(path, OpenMode::read_only)).size(), 1U);
  EXPECT_EQ(db::list_results(Database(path, OpenMode::immutable)).size(), 1U);
}

TEST_F(OpenTest, AFileThatCannotBeReadIsNamed) {
  const fs::path path = make_database("tune.db");
  allow(folder_.path(), 0755);
  allow(path, 0000);
  const WithoutPrivileges nobody;
  EXPECT_THAT(error_of([&] { Database(path, OpenMode::read_only); }), OneLineWith(path, "cannot open"));
}

TEST_F(OpenTest, NamesThatAUriWouldMisreadCanBeImmutable) {
  const fs::path path = make_database("a b%20?c#d.db");
  EXPECT_EQ(db::list_results(Database(path, OpenMode::immutable)).size(), 1U);
}

TEST_F(OpenTest, ADatabaseForReadingRefusesToWrite) {
  const fs::path path = make_database("tune.db");
  for (const OpenMode access : {OpenMode::read_only, OpenMode::immutable}) {
    Database database(path, access);
    EXPECT_THAT(error_of([&] { database.write([](SQLite::Database&) {}); }),
                OneLineWith(path, "opened for reading only"));
  }
}

TEST_F(OpenTest, AWriterThatWaitsTooLongSaysSo) {
  const fs::path path = make_database("tune.db");
  Database holder(path);
  holder.connection().exec("BEGIN IMMEDIATE");
  Database waiting(path, OpenMode::read_write, std::chrono::milliseconds(20));
  db::SqliteStore store(waiting);
  EXPECT_THAT(error_of([&] { store.begin_run(example_run()); }), OneLineWith(path, "is in use"));
  holder.connection().exec("COMMIT");
  store.begin_run(example_run());
}

TEST_F(OpenTest, AFullDiskSaysSoAndKeepsWhatWasRecorded) {
  const fs::path path = folder_ / "tune.db";
  Database database(path);
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  const int pages = database.connection().execAndGet("PRAGMA page_count").getInt();
  database.connection().execAndGet("PRAGMA max_page_count = " + std::to_string(pages + 20)).getInt();
  int recorded = 0;
  const ThrownError thrown = error_of([&] {
    for (;; ++recorded)
      store.record(run, measured(example_configuration(recorded), std::vector<double>(50, 1e-3)));
  });
  EXPECT_THAT(thrown, OneLineWith(path, "no room to write"));
  EXPECT_EQ(thrown.exit, Exit::failure);
  EXPECT_GT(recorded, 5);
  EXPECT_EQ(store.known(example_key()).size(), static_cast<std::size_t>(recorded));
  EXPECT_EQ(database.connection().execAndGet("PRAGMA integrity_check").getString(), "ok");
  // With room again, the same store goes on.
  database.connection().execAndGet("PRAGMA max_page_count = 1000000").getInt();
  store.record(run, measured(example_configuration(recorded), {1e-3}));
  EXPECT_EQ(store.known(example_key()).size(), static_cast<std::size_t>(recorded) + 1);
}

}  // namespace
}  // namespace tune::testing
