// SPDX-License-Identifier: Apache-2.0
// The tables refuse what must not be stored, whoever writes it.
#include "db/store/schema.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <set>

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

class SchemaTest : public ::testing::Test {
 protected:
  SchemaTest() {
    db::SqliteStore store(database_);
    const RunId run = store.begin_run(example_run());
    store.record(run, measured(example_configuration(1), {1e-3}));                         // evaluation 1
    store.record(run, failed(example_configuration(2), Phase::compile, "syntax", "log"));  // evaluation 2
  }

  bool accepted(const std::string& sql) { return database_.connection().tryExec(sql) == SQLite::OK; }
  bool update(const std::string& table, int id, const std::string& change) {
    return accepted(format("UPDATE {} SET {} WHERE id = {}", table, change, id));
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
};

TEST(Migrations, AreNumberedByTheirNames) {
  int last = 0;
  for (const db::Migration& migration : db::migrations()) {
    EXPECT_GT(migration.version, last);
    EXPECT_EQ(migration.name.substr(0, 5), format("{:04}_", migration.version));
    last = migration.version;
  }
  EXPECT_EQ(db::schema_version(), last);
}

TEST(Migrations, ApplyOnlyWhatIsMissingEachAtOnce) {
  const TemporaryFolder folder;
  SQLite::Database file((folder / "x.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  std::vector<db::Migration> steps = {{1, "a", "CREATE TABLE a (x); INSERT INTO a VALUES (1);"}};
  db::migrate(file, steps);
  db::migrate(file, steps);  // would fail were it applied again
  EXPECT_EQ(file.execAndGet("PRAGMA user_version").getInt(), 1);

  steps.push_back({2, "b", "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);"});
  EXPECT_THROW(db::migrate(file, steps), SQLite::Exception);
  EXPECT_EQ(file.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_FALSE(file.tableExists("b"));

  steps[1].sql = "ALTER TABLE a ADD COLUMN y DEFAULT 5;";
  db::migrate(file, steps);
  EXPECT_EQ(file.execAndGet("PRAGMA user_version").getInt(), 2);
  EXPECT_EQ(file.execAndGet("SELECT y FROM a").getInt(), 5);
}

TEST(Migrations, ANewFileIsCompleteAtOnce) {
  const TemporaryFolder folder;
  SQLite::Database file((folder / "x.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  std::set<int> seen;  // by another connection after each transaction
  sqlite3_wal_hook(
      file.getHandle(),
      [](void* versions, sqlite3* handle, const char*, int) {
        const SQLite::Database reader(sqlite3_db_filename(handle, "main"), SQLite::OPEN_READONLY);
        SQLite::Statement version(reader, "PRAGMA user_version");
        version.executeStep();
        static_cast<std::set<int>*>(versions)->insert(version.getColumn(0).getInt());
        return SQLITE_OK;
      },
      &seen);
  file.exec("PRAGMA journal_mode = WAL");
  db::migrate(file, db::migrations());
  seen.erase(0);  // an empty file
  EXPECT_EQ(seen, std::set<int>{db::schema_version()});
}

TEST(Migrations, TheViewsOfTheLastOneAreThoseOfAll) {
  const auto views = [](SQLite::Database& file) {
    std::map<std::string, std::string> texts;
    SQLite::Statement row(file, "SELECT name, sql FROM sqlite_schema WHERE type = 'view'");
    while (row.executeStep()) texts[row.getColumn(0).getString()] = row.getColumn(1).getString();
    return texts;
  };
  SQLite::Database file(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db::migrate(file, db::migrations());
  const auto migrated = views(file);
  EXPECT_EQ(migrated.size(), 6U);
  db::drop_views(file);
  EXPECT_TRUE(views(file).empty());
  db::make_views(file, db::ViewPlace::file);
  EXPECT_EQ(views(file), migrated);
}

TEST_F(SchemaTest, EveryTableIsStrict) {
  EXPECT_EQ(database_.connection()
                .execAndGet("SELECT COUNT(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                            " AND name NOT LIKE 'sqlite_%' AND NOT strict")
                .getInt(),
            0);
}

TEST_F(SchemaTest, AnEvaluationIsAMeasurementOrAFailure) {
  EXPECT_FALSE(update("evaluations", 1, "phase = 'crash', reason = 'x', detail = 'y'"));  // both
  EXPECT_FALSE(update("evaluations", 1, "time = NULL"));                                  // half
  EXPECT_FALSE(update("evaluations", 1, "time = NULL, minimum = NULL, error = NULL, tolerance = NULL"));
  EXPECT_FALSE(update("evaluations", 2, "time = 1.0"));
  EXPECT_FALSE(update("evaluations", 2, "phase = NULL, reason = NULL, detail = NULL"));  // neither
  EXPECT_FALSE(update("evaluations", 2, "detail = NULL"));
  EXPECT_TRUE(update("evaluations", 1,
                     "time = NULL, minimum = NULL, error = NULL, tolerance = NULL,"
                     " phase = 'crash', reason = 'x', detail = 'y'"));
}

TEST_F(SchemaTest, TimesArePositiveNumbers) {
  EXPECT_FALSE(update("evaluations", 1, "time = 0"));
  EXPECT_FALSE(update("evaluations", 1, "time = -1"));
  EXPECT_FALSE(update("evaluations", 1, "time = 'fast'"));
  EXPECT_FALSE(update("evaluations", 1, "error = -1"));
  EXPECT_FALSE(accepted("INSERT INTO samples VALUES (1, 1, -1e-3)"));
  EXPECT_FALSE(accepted("INSERT INTO samples VALUES (1, 1, NULL)"));
}

TEST_F(SchemaTest, OnlyKnownWords) {
  EXPECT_FALSE(update("evaluations", 2, "phase = 'bad luck'"));
  EXPECT_FALSE(update("works", 1, "origin = 'emulated'"));
  EXPECT_FALSE(update("runs", 1, "ended = 'now', end_reason = 'boredom'"));
  EXPECT_FALSE(update("runs", 1, "ended = 'now'"));
  EXPECT_FALSE(update("evaluations", 1, "configuration = 'variant=direct'"));  // no JSON
}

TEST_F(SchemaTest, ResourcesAreCompleteOrAbsent) {
  EXPECT_FALSE(update("evaluations", 1, "registers = NULL"));
  EXPECT_FALSE(update("evaluations", 2, "occupancy = 0.5"));
}

TEST_F(SchemaTest, NothingDangles) {
  EXPECT_FALSE(update("evaluations", 1, "run = 99"));
  EXPECT_FALSE(update("runs", 1, "device = 99"));
  EXPECT_FALSE(accepted("INSERT INTO samples VALUES (99, 0, 1e-3)"));
  EXPECT_FALSE(accepted("INSERT INTO run_evaluations VALUES (1, 7, 99, 0)"));
  EXPECT_FALSE(accepted("DELETE FROM runs"));
  EXPECT_FALSE(accepted("DELETE FROM devices"));
}

TEST_F(SchemaTest, AnEvaluationBelongsToTheWorkOfItsRun) {
  db::SqliteStore store(database_);
  RunRecord other = example_run();
  other.key.origin = Origin::replayed;
  store.begin_run(other);
  EXPECT_FALSE(update("evaluations", 1, "work = 2"));
}

}  // namespace
}  // namespace tune::testing
