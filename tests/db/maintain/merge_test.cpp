// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/merge.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "db/maintain/export.hpp"
#include "db/read/best.hpp"
#include "db/read/run_details.hpp"
#include "db/store/json.hpp"
#include "db/store/schema.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A database with a clock of its own: every record is at another time of day.
struct Tuned {
  Tuned(const fs::path& path, const std::string& name)
      : database(path), store(database, [this, day = 1 + name.front() - 'a'] {
          ++ticks;
          return format("2026-01-{:02}T12:{:02}:{:02}.000Z", day, ticks / 60, ticks % 60);
        }) {}
  int ticks = 0;
  db::Database database;
  db::SqliteStore store;
};

RerankResult rerank_top_k(std::initializer_list<int> blocks) {
  RerankResult rerank;
  double ratio = 1;
  for (const int block : blocks) {
    RerankPlace place;
    place.configuration = example_configuration(block);
    place.rounds = {{1e-3 * ratio, 0}, {2e-3 * ratio, 0}};
    place.time = {1.5e-3 * ratio, 1e-3 * ratio, 2e-3 * ratio, 0.95};
    place.ratio = {ratio, ratio, ratio, 0.95};
    place.tied = ratio == 1;
    rerank.places.push_back(place);
    ratio += 0.5;
  }
  return rerank;
}

RunRecord run_by_time() {
  RunRecord run = example_run();
  run.options.objective = Objective::time;
  return run;
}

class MergeTest : public ::testing::Test {
 protected:
  MergeTest() : a_(folder_ / "a.db", "a"), b_(folder_ / "b.db", "b") {
    const RunId first = a_.store.begin_run(run_by_time());
    a_.store.record(first, measured(example_configuration(1), {3e-3, 2e-3, 1e-3}));
    a_.store.record(first, failed(example_configuration(2), Phase::crash, "fault"));
    a_.store.record(first, measured(example_configuration(3), {5e-3}));
    a_.store.record_rerank(first, rerank_top_k({1, 3}));
    a_.store.end_run(first, RunEnd::budget);
    const RunId second = b_.store.begin_run(run_by_time());
    b_.store.record(second, measured(example_configuration(1), {4e-3}));
    b_.store.record(second, measured(example_configuration(4), {6e-3, 7e-3}));
    b_.store.end_run(second, RunEnd::exhausted);
  }

  db::MergeResult merge(db::Database& target, const db::Database& source) {
    db::MergeResult result = db::merge_database(target, source, {.file = "b.db"});
    EXPECT_EQ(damage(target), "");
    return result;
  }
  static std::int64_t count(const db::Database& database, const std::string& table) {
    return database.connection().execAndGet("SELECT COUNT(*) FROM " + table).getInt64();
  }

  TemporaryFolder folder_;
  Tuned a_, b_;
};

TEST_F(MergeTest, EverythingComesAlongOnce) {
  auto expected = contents(a_.database);
  for (const std::string& line : contents(b_.database)) expected.insert(line);
  const db::MergeResult result = merge(a_.database, b_.database);
  EXPECT_EQ(contents(a_.database), expected);
  EXPECT_EQ(result.runs, 1);
  EXPECT_EQ(result.evaluations, 2);
  EXPECT_EQ(result.samples, 3);
  EXPECT_EQ(result.known_runs, 0);
  EXPECT_THAT(result.conflicts, IsEmpty());
  EXPECT_EQ(count(a_.database, "works"), 1);  // one question, asked in both
  EXPECT_EQ(count(a_.database, "devices"), 1);
}

TEST_F(MergeTest, AgainChangesNothing) {
  merge(a_.database, b_.database);
  const auto before = contents(a_.database);
  const auto sources = count(a_.database, "run_sources");
  const db::MergeResult again = merge(a_.database, b_.database);
  EXPECT_EQ(contents(a_.database), before);
  EXPECT_EQ(again.runs + again.evaluations + again.samples + again.rerank, 0);
  EXPECT_EQ(again.known_runs, 1);
  EXPECT_EQ(again.known_evaluations, 2);
  EXPECT_EQ(count(a_.database, "run_sources"), sources);
}

TEST_F(MergeTest, FinalsAndTheirRoundsComeAlong) {
  const db::MergeResult result = merge(b_.database, a_.database);
  EXPECT_EQ(result.rerank, 2);
  const auto rows = db::rerank_of_run(b_.database, 2);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].configuration, example_configuration(1));
  EXPECT_EQ(rows[1].rounds.size(), 2U);
}

// Numbers of runs follow the order of merging; the newest finals are those of the run that began last.
TEST_F(MergeTest, TheRankingDoesNotDependOnTheOrder) {
  const RunId older = b_.store.begin_run(run_by_time());
  b_.database.connection().exec("UPDATE runs SET started = '2025-01-31T12:00:00.000Z' WHERE id = " +
                                std::to_string(older));
  b_.store.record(older, measured(example_configuration(3), {5e-3}));
  b_.store.record_rerank(older, rerank_top_k({3}));
  const auto best_times = [](const db::Database& database) {
    std::vector<double> times;
    for (const db::ResultRow& row : db::list_results(database)) times.push_back(*row.time);
    return times;
  };
  db::Database one(folder_ / "one.db"), two(folder_ / "two.db");
  merge(one, a_.database);
  merge(one, b_.database);
  merge(two, b_.database);
  merge(two, a_.database);
  EXPECT_EQ(contents(one), contents(two));
  EXPECT_EQ(best_times(one), best_times(two));
  EXPECT_EQ(db::best(one, {.problem = "stencil3d"}).at(0).result.configuration,
            db::best(two, {.problem = "stencil3d"}).at(0).result.configuration);
}

TEST_F(MergeTest, ARunThatWentOnIsCompleted) {
  db::Database early(folder_ / "early.db");
  merge(early, a_.database);
  const RunId run = a_.store.begin_run(run_by_time());
  a_.store.record(run, measured(example_configuration(7), {1e-3}));
  merge(early, a_.database);  // while it goes on
  EXPECT_EQ(contents(early), contents(a_.database));
  a_.store.record(run, a_.store.known(example_key()).front());
  a_.store.record(run, measured(example_configuration(8), {1e-3}));
  a_.store.end_run(run, RunEnd::budget);
  const db::MergeResult result = merge(early, a_.database);
  EXPECT_EQ(result.runs, 0);
  EXPECT_EQ(result.evaluations, 1);
  EXPECT_EQ(contents(early), contents(a_.database));
}

TEST_F(MergeTest, WhatWasExportedWithoutSamplesGetsThem) {
  db::export_database(a_.database, folder_ / "small.db", {.samples = false});
  db::Database small(folder_ / "small.db");
  const db::MergeResult result = merge(small, a_.database);
  EXPECT_EQ(result.evaluations, 0);
  EXPECT_EQ(result.samples, 4);
  EXPECT_EQ(contents(small), contents(a_.database));
}

TEST_F(MergeTest, SaysWhereARunCameFromFirst) {
  db::Database via(folder_ / "via.db"), last(folder_ / "last.db");
  db::merge_database(via, a_.database, {.file = "/lab/a.db"});
  db::merge_database(last, via, {.file = "via.db"});
  const auto column_text = [&last](const char* column) {
    return last.connection().execAndGet(format("SELECT {} FROM run_sources", column)).getString();
  };
  EXPECT_EQ(column_text("file"), "/lab/a.db");
  EXPECT_EQ(column_text("format"), "tune");
  EXPECT_EQ(column_text("run_there"), "1");
  EXPECT_EQ(count(via, "run_sources"), 1);
  EXPECT_EQ(count(a_.database, "run_sources"), 0);
}

TEST_F(MergeTest, TwinsInOneFileStayTwo) {
  const auto twin = [this] {
    a_.ticks = 100;
    const RunId run = a_.store.begin_run(run_by_time());
    a_.ticks = 200;
    a_.store.record(run, measured(example_configuration(9), {1e-3}));
  };
  twin();
  twin();
  const auto before = contents(a_.database);
  db::Database copy(folder_ / "copy.db");
  merge(copy, a_.database);
  EXPECT_EQ(contents(copy), before);
  merge(copy, a_.database);
  EXPECT_EQ(contents(copy), before);
}

TEST_F(MergeTest, RunsOfOneMomentWithOtherResultsAreTwo) {
  a_.ticks = b_.ticks = 100;
  db::SqliteStore a(a_.database, [] { return std::string("2026-02-01T00:00:00.000Z"); });
  db::SqliteStore b(b_.database, [] { return std::string("2026-02-01T00:00:00.000Z"); });
  const RunId ra = a.begin_run(run_by_time()), rb = b.begin_run(run_by_time());
  a.record(ra, measured(example_configuration(1), {1e-3}));
  b.record(rb, measured(example_configuration(1), {2e-3}));
  EXPECT_EQ(merge(a_.database, b_.database).runs, 2);
  EXPECT_EQ(count(a_.database, "runs"), 4);
}

TEST_F(MergeTest, FactsThatDifferAreKeptAndTold) {
  RunRecord other = run_by_time();
  other.flops = 7e9;
  other.limit *= 2;
  other.key.device.l2_cache = 1;
  b_.store.begin_run(other);
  const db::MergeResult result = merge(a_.database, b_.database);
  EXPECT_THAT(result.conflicts,
              ElementsAre(HasSubstr("l2_cache 62914560 here and 1 there"), HasSubstr("7e+09 operations"),
                          HasSubstr("limit is 0.00125 s here and 0.0025 s there")));
  EXPECT_EQ(count(a_.database, "devices"), 2);
  EXPECT_EQ(a_.database.connection().execAndGet("SELECT COUNT(DISTINCT flops) FROM runs").getInt(), 2);
  EXPECT_THAT(merge(a_.database, b_.database).conflicts, IsEmpty()) << "told again";
}

TEST_F(MergeTest, FinalsThatDifferAreKeptAndTold) {
  fs::copy_file(folder_ / "a.db", folder_ / "changed.db");
  db::Database changed(folder_ / "changed.db");
  merge(changed, a_.database);  // what stands in the log
  changed.connection().exec("UPDATE finals SET time = 9, time_high = 10 WHERE place = 1");
  changed.connection().exec("UPDATE runs SET end_reason = 'failed'");
  const auto before = contents(a_.database);
  EXPECT_THAT(merge(a_.database, changed).conflicts,
              ElementsAre(HasSubstr("has another end there (failed)"), HasSubstr("place 1")));
  EXPECT_EQ(contents(a_.database), before);
}

TEST_F(MergeTest, FromAFileOfAnOlderProgram) {
  const fs::path old = folder_ / "old.db";
  {
    SQLite::Database file(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const auto steps = db::migrations();
    db::migrate(file, std::span(steps).first(1));
    const DeviceProperties device = example_device();
    const std::string facts = db::to_json(device), model = device.model_key();
    file.exec(format("INSERT INTO devices VALUES (1, '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
                     content_hash(facts), model, device.name, device.uuid, device.architecture(),
                     device.driver, facts));
    file.exec(format("INSERT INTO works VALUES (1, 1, '{}', '{}', 1, 'measured')", model, device.driver));
    file.exec(
        "INSERT INTO toolchains VALUES (1, 'c', 's'); INSERT INTO instances VALUES (1, 'p', '1', '', "
        "'{\"n\":1}',"
        " '{}');"
        "INSERT INTO runs (work, device, strategy, seed, restriction, pinned, command_line, program_version,"
        " host, core_clock, memory_clock, temperature, power, throttle, space_size, limit_seconds, items,"
        " flops, bytes, item, started) VALUES (1, 1, 's', '1', '', '{}', '', '', '', 0, 0, 0, 0, '', 1, 1, 1,"
        " 1, 1, '', '2025-01-31T12:00:00.000Z')");
  }
  const auto before = fs::file_size(old);
  {
    const db::Database source = db::open_source(old, folder_ / "scratch");
    EXPECT_EQ(merge(a_.database, source).runs, 1);
  }
  EXPECT_EQ(merge(a_.database, db::open_source(old, folder_ / "scratch2")).runs, 0);
  EXPECT_EQ(fs::file_size(old), before);
  EXPECT_EQ(SQLite::Database(old.string()).execAndGet("PRAGMA user_version").getInt(), 1) << "it was changed";
}

TEST_F(MergeTest, KilledAtAnyMomentLeavesWhatWasThere) {
  {
    const RunId run = b_.store.begin_run(run_by_time());
    for (int i = 0; i < 2000; ++i)
      b_.store.record(run, measured(example_configuration(100 + i), {1e-3, 2e-3}));
  }
  const auto before = contents(a_.database);
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      db::Database target(folder_ / "a.db");
      const db::Database source(folder_ / "b.db", db::OpenMode::read_only);
      db::merge_database(target, source, {.file = "b.db"});
      _exit(0);
    }
    ::usleep(static_cast<useconds_t>(3000 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) break;  // it was quicker
    EXPECT_EQ(contents(a_.database), before) << "round " << round;
    EXPECT_EQ(damage(a_.database), "");
  }
  merge(a_.database, b_.database);
  EXPECT_EQ(count(a_.database, "evaluations"), 2005);
}

}  // namespace
}  // namespace tune::testing
