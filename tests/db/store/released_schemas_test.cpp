// SPDX-License-Identifier: Apache-2.0
// Databases of every released schema (assets/schema_N.sql) are brought up to date without loss, or not at
// all.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "db/maintain/check.hpp"
#include "db/maintain/copy_rows.hpp"
#include "db/read/queries.hpp"
#include "db/store/schema.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tests/db/contents.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

void load(int schema, const fs::path& path) {
  std::ifstream file(format("{}/tests/db/assets/schema_{}.sql", TUNE_SOURCE_DIR, schema));
  std::ostringstream text;
  text << file.rdbuf();
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec("PRAGMA synchronous = OFF");
  database.exec(text.str());
}

/// Returns the columns of each table, and every row as a text.
struct Table {
  std::vector<std::string> columns;
  std::multiset<std::string> rows;
  friend bool operator==(const Table&, const Table&) = default;
};
using Tables = std::map<std::string, Table>;

Table table_of(SQLite::Database& database, const std::string& name, const std::vector<std::string>& columns) {
  Table table{columns, {}};
  std::string quoted;
  for (const std::string& column : columns)
    quoted += format("{}quote({})", quoted.empty() ? "" : " || '|' || ", column);
  SQLite::Statement row(database, format("SELECT {} FROM {}", quoted, name));
  while (row.executeStep()) table.rows.insert(row.getColumn(0).getString());
  return table;
}

Tables tables_of(const fs::path& path) {
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
  Tables tables;
  SQLite::Statement names(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  while (names.executeStep()) {
    const std::string name = names.getColumn(0).getString();
    tables.emplace(name, table_of(database, name, db::columns_of(database, name)));
  }
  return tables;
}

/// Every row that was there is there, in the columns that it had.
void expect_all_of(const Tables& before, const fs::path& path) {
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
  for (const auto& [name, table] : before) EXPECT_EQ(table_of(database, name, table.columns), table) << name;
}

int version_of(const fs::path& path) {
  return SQLite::Database(path.string(), SQLite::OPEN_READWRITE).execAndGet("PRAGMA user_version").getInt();
}

class ReleasedSchema : public ::testing::TestWithParam<int> {
 protected:
  ReleasedSchema() {
    load(GetParam(), original_);
    restore();
    before_ = tables_of(path_);
  }

  /// Makes the file what it was at first.
  void restore() {
    for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(path_.string() + suffix);
    fs::copy_file(original_, path_, fs::copy_options::overwrite_existing);
  }

  /// The file is complete: of the old schema, of one between or of the newest, with all rows.
  void expect_sound() {
    EXPECT_GE(version_of(path_), GetParam());
    expect_all_of(before_, path_);
    SQLite::Database database(path_.string(), SQLite::OPEN_READWRITE);
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
    EXPECT_EQ(database.execAndGet("SELECT COUNT(*) FROM pragma_foreign_key_check").getInt(), 0);
  }

  static bool newest() { return GetParam() == db::schema_version(); }

  TemporaryFolder folder_;
  fs::path original_ = folder_ / "original.db", path_ = folder_ / "old.db";
  Tables before_;
};

TEST_P(ReleasedSchema, IsBroughtUpToDateWithoutLoss) {
  ASSERT_EQ(version_of(path_), GetParam());
  ASSERT_EQ(before_.at("evaluations").rows.size(), 13U) << "the asset is not what it was";
  { const db::Database database(path_); }
  EXPECT_EQ(version_of(path_), db::schema_version());
  expect_sound();
  const db::Database database(path_, db::OpenMode::read_only);
  EXPECT_EQ(db::check_database(database).lines, std::vector<std::string>());
  db::ResultFilter all;
  all.failures = all.superseded = true;
  EXPECT_EQ(db::list_results(database, all).size(), 13U);
  EXPECT_EQ(db::list_runs(database).size(), 4U);
}

int kill_this_process(void* /*unused*/) {
  kill(getpid(), SIGKILL);
  return 0;
}

TEST_P(ReleasedSchema, AMigrationThatIsKilledLeavesItWhole) {
  int killed = 0;
  for (int steps = 1;; steps += 151) {  // odd and even in turns: with both kinds of journal
    SCOPED_TRACE(steps);
    restore();
    const pid_t child = fork();
    if (child == 0) {
      SQLite::Database database(path_.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs());
      if (steps % 2 == 0) database.exec("PRAGMA journal_mode = WAL");
      sqlite3_progress_handler(database.getHandle(), steps, kill_this_process, nullptr);
      db::migrate(database, db::migrations());
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect_sound();
    { const db::Database database(path_); }
    EXPECT_EQ(version_of(path_), db::schema_version());
    expect_sound();
    if (WIFEXITED(status)) break;
    ++killed;
  }
  if (!newest()) {
    EXPECT_GE(killed, 3);
  }
}

/// Makes the file a megabyte, which takes a while to write.
void enlarge(const fs::path& path) {
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE runs SET command_line = hex(zeroblob(125000))");
}

// From the opening of the file until it is closed, not only while the tables change.
TEST_P(ReleasedSchema, KilledAtAnyMomentItIsWhole) {
  if (newest()) return;
  enlarge(original_);
  restore();
  before_ = tables_of(path_);
  const auto opening = [&] {
    const pid_t child = fork();
    if (child == 0) {
      { const db::Database database(path_); }
      _exit(0);
    }
    return child;
  };
  const auto begin = std::chrono::steady_clock::now();
  waitpid(opening(), nullptr, 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(version_of(path_), db::schema_version());

  std::mt19937 random(20260131);  // NOLINT: the same moments each time, as far as a clock allows
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = kills::migrations.now() / (db::schema_version() - 1); i > 0; --i) {
    SCOPED_TRACE(i);
    restore();
    const pid_t child = opening();
    std::this_thread::sleep_for(share(random) * whole);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    waitpid(child, nullptr, 0);
    expect_sound();
    { const db::Database database(path_); }
    EXPECT_EQ(version_of(path_), db::schema_version());
    expect_sound();
  }
}

TEST_P(ReleasedSchema, AMigrationWithoutRoomLeavesItWhole) {
  int refused = 0;
  const auto size = fs::file_size(path_);
  for (rlim_t room = 4096; room < 1'000'000; room += 20'000) {
    SCOPED_TRACE(room);
    restore();
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit = {std::max<rlim_t>(room, 1), std::max<rlim_t>(room, 1)};
      setrlimit(RLIMIT_FSIZE, &limit);
      signal(SIGXFSZ, SIG_IGN);  // a write fails instead, as on a full disk
      try {
        const db::Database database(path_);
      } catch (const Error& error) {
        _exit(std::string(error.what()).find("room") != std::string::npos ? 3 : 4);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3) << WEXITSTATUS(status);
    expect_sound();
    refused += WEXITSTATUS(status) == 3 ? 1 : 0;
    if (WEXITSTATUS(status) == 0) break;
  }
  EXPECT_GE(refused, 1);
  EXPECT_GT(size, 0U);
}

TEST_P(ReleasedSchema, IsReadWithoutAChange) {
  for (const db::OpenMode mode : {db::OpenMode::inspect, db::OpenMode::read_only, db::OpenMode::immutable}) {
    const db::Database database(path_, mode);
    if (mode == db::OpenMode::inspect) continue;
    EXPECT_EQ(db::list_runs(database).size(), 4U);
    EXPECT_FALSE(db::list_results(database, {}).empty());
  }
  EXPECT_EQ(version_of(path_), GetParam());
  expect_all_of(before_, path_);
}

TEST_P(ReleasedSchema, NumbersOfRunsThatAreGoneAreNotGivenAgain) {
  {
    SQLite::Database before(path_.string(), SQLite::OPEN_READWRITE);
    before.exec("UPDATE sqlite_sequence SET seq = 4711 WHERE name = 'runs'");
  }
  const db::Database database(path_);
  EXPECT_EQ(database.connection().execAndGet("SELECT seq FROM sqlite_sequence WHERE name = 'runs'").getInt(),
            4711);
}

TEST(ReleasedSchemas, TheNewestHasTheColumnsOfANewFile) {
  const TemporaryFolder folder;
  load(db::schema_version(), folder / "asset.db");
  const db::Database made(folder / "new.db");
  const auto columns = [](SQLite::Database& database) {
    std::map<std::string, std::vector<std::string>> all;
    SQLite::Statement names(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    while (names.executeStep()) {
      const std::string name = names.getColumn(0).getString();
      all.emplace(name, db::columns_of(database, name));
    }
    return all;
  };
  SQLite::Database asset((folder / "asset.db").string());
  EXPECT_EQ(columns(asset), columns(made.connection()));
}

INSTANTIATE_TEST_SUITE_P(Assets, ReleasedSchema, ::testing::Range(1, db::schema_version() + 1));

}  // namespace
}  // namespace tune::testing
