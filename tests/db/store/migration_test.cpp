// SPDX-License-Identifier: Apache-2.0
// A database of an older program is brought up to date when it is opened for writing, and keeps all it has.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include "db/read/best.hpp"
#include "db/read/run_details.hpp"
#include "db/store/schema.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

/// Makes a database as a program of schema 1 would have written it: later columns are cut from a new
/// database.
void make_version_1(const std::filesystem::path& path, const std::filesystem::path& scratch) {
  RunId run = 0;
  {
    db::Database database(scratch);
    db::SqliteStore store(database);
    RunRecord record = example_run();
    record.options.objective = Objective::time;
    run = store.begin_run(record);
    store.record(run, measured(example_configuration(1), {3e-3, 2e-3, 1e-3}));
    store.record(run, measured(example_configuration(2), {5e-3}));
    store.record(run, failed(example_configuration(3), Phase::crash, "fault", "at 0"));
    store.end_run(run, RunEnd::budget);
    database.connection().exec("PRAGMA journal_mode = DELETE");
  }
  SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const auto steps = db::migrations();
  db::migrate(old, std::span(steps).first(1));
  old.exec(format("ATTACH '{}' AS new", scratch.string()));
  for (const char* table :
       {"devices", "toolchains", "instances", "works", "runs", "evaluations", "samples", "run_evaluations"}) {
    const std::string columns =
        old.execAndGet(format("SELECT group_concat(name) FROM pragma_table_info('{}', 'main')", table))
            .getString();
    old.exec(format("INSERT INTO main.{0} ({1}) SELECT {1} FROM new.{0}", table, columns));
  }
}

class MigrationTest : public ::testing::Test {
 protected:
  MigrationTest() { make_version_1(path_, folder_ / "scratch.db"); }
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "old.db";
};

TEST_F(MigrationTest, KeepsWhatWasThere) {
  ASSERT_EQ(SQLite::Database(path_.string()).execAndGet("PRAGMA user_version").getInt(), 1);
  db::Database database(path_);
  EXPECT_EQ(database.connection().execAndGet("PRAGMA user_version").getInt(), db::schema_version());
  EXPECT_EQ(database.connection().execAndGet("SELECT COUNT(*) FROM pragma_foreign_key_check").getInt(), 0);
  EXPECT_EQ(database.connection().execAndGet("PRAGMA foreign_keys").getInt(), 1);
  EXPECT_EQ(database.connection().execAndGet("PRAGMA integrity_check").getString(), "ok");

  db::SqliteStore store(database);
  const auto known = store.known(example_key());
  ASSERT_EQ(known.size(), 3U);
  EXPECT_EQ(known[0].configuration, example_configuration(1));
  EXPECT_EQ(known[0].outcome->samples, (std::vector{3e-3, 2e-3, 1e-3}));
  EXPECT_EQ(known[0].phases.measure, 0.0625);
  EXPECT_FALSE(known[2].outcome);
  const db::RunDetails details = db::run_details(database, 1);
  expect_equal(details.record, [] {
    RunRecord expected = example_run();
    expected.options.objective = Objective::time;
    expected.options.until_gain = std::nullopt;
    return expected;
  }());
  EXPECT_EQ(details.winner->time, 2e-3);
  EXPECT_TRUE(details.rerank.empty());
}

TEST_F(MigrationTest, WhatWasNotKeptThenIsUnknown) {
  db::Database database(path_);
  const auto rows = db::list_results(database, {.failures = true});
  ASSERT_EQ(rows.size(), 3U);
  for (const db::ResultRow& row : rows) {
    EXPECT_FALSE(row.timing.has_value());
    EXPECT_FALSE(row.rerank.has_value());
    EXPECT_EQ(row.phases.reference, 0);
    EXPECT_EQ(row.workload.cache, CacheState::cold);
  }
  EXPECT_EQ(
      database.connection()
          .execAndGet("SELECT COUNT(*) FROM evaluations WHERE coalesce(stop_reason, executions, throttled,"
                      " core_clock, energy, same_code, from_cache, reference_seconds) IS NOT NULL")
          .getInt(),
      0);
}

TEST_F(MigrationTest, TheTablesStillRefuseWhatDangles) {
  db::Database database(path_);
  SQLite::Database& connection = database.connection();
  EXPECT_NE(connection.tryExec("UPDATE runs SET work = 99"), SQLite::OK);
  EXPECT_NE(connection.tryExec("DELETE FROM works"), SQLite::OK);
  EXPECT_NE(connection.tryExec("UPDATE works SET cache = 'lukewarm'"), SQLite::OK);
  EXPECT_NE(connection.tryExec("UPDATE evaluations SET stop_reason = 'tired' WHERE id = 1"), SQLite::OK);
  EXPECT_NE(
      connection.tryExec("INSERT INTO finals VALUES (1, 99, 1, 1.0, 1.0, 1.0, NULL, 1.0, 1.0, 1.0, 1, 1, 0)"),
      SQLite::OK);
}

TEST_F(MigrationTest, ANewRunGoesOnWithIt) {
  db::Database database(path_);
  db::SqliteStore store(database);
  RunRecord record = example_run();
  const RunId run = store.begin_run(record);
  EXPECT_EQ(run, 2);
  EXPECT_EQ(database.connection().execAndGet("SELECT COUNT(*) FROM works").getInt(), 1);
  store.record(run, measured(example_configuration(1), {1e-4}));
  EXPECT_EQ(store.known(example_key()).size(), 3U);
}

}  // namespace
}  // namespace tune::testing
