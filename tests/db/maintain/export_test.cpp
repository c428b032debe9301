// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/export.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "db/maintain/check.hpp"
#include "db/read/best.hpp"
#include "db/read/run_details.hpp"
#include "db/store/schema.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() {
    first_ = store_.begin_run(example_run());
    store_.record(first_, measured(example_configuration(1), {3e-3, 4e-3}));
    store_.record(first_, measured(example_configuration(2), {2e-3}));
    store_.record(first_, failed(example_configuration(3), Phase::crash, "fault"));
    WorkloadKey other = example_key();
    other.device.name = "Invented Z9";
    other.toolchain.source_hash = "other";
    second_ = store_.begin_run(run_of(other));
    store_.record(second_, measured(example_configuration(1), {1e-3}));
    third_ = store_.begin_run(example_run());
    store_.record(third_, store_.known(example_key()).at(0));
    store_.record(third_, measured(example_configuration(4), {5e-3}));
  }

  db::Database exported(const db::ExportFilter& filter) {
    const fs::path path = folder_ / ("out" + std::to_string(++files_) + ".db");
    result_ = db::export_database(database_, path, filter);
    EXPECT_FALSE(fs::exists(path.string() + "-wal"));
    EXPECT_FALSE(fs::exists(path.string() + ".part"));
    db::Database copy(path, db::OpenMode::immutable);
    EXPECT_EQ(copy.connection().execAndGet("PRAGMA integrity_check").getString(), "ok");
    EXPECT_EQ(copy.connection().execAndGet("SELECT COUNT(*) FROM pragma_foreign_key_check").getInt(), 0);
    EXPECT_EQ(copy.connection().execAndGet("PRAGMA journal_mode").getString(), "delete");
    return copy;
  }
  static std::int64_t count(const db::Database& database, const std::string& table) {
    return database.connection().execAndGet("SELECT COUNT(*) FROM " + table).getInt64();
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
  RunId first_ = 0, second_ = 0, third_ = 0;
  db::ExportResult result_;
  int files_ = 0;
};

TEST_F(ExportTest, WithoutViewsAnswersTheSameToThisLibrary) {
  const auto all = [](const db::Database& database) {
    std::vector<std::string> rows;
    for (const char* view : {"results", "best", "best_by_versions", "run_overview", "ranking"}) {
      SQLite::Statement row(database.connection(), std::string("SELECT * FROM ") + view);
      while (row.executeStep()) {
        rows.emplace_back(view);
        for (int i = 0; i < row.getColumnCount(); ++i) rows.back() += "|" + row.getColumn(i).getString();
      }
    }
    return rows;
  };
  const std::vector<std::string> before = all(exported({}));
  ASSERT_GT(before.size(), 10u);
  const db::Database without = exported({.views = false});
  const auto stored = [](const db::Database& database) {
    return database.connection()
        .execAndGet("SELECT COUNT(*) FROM main.sqlite_schema WHERE type = 'view'")
        .getInt();
  };
  EXPECT_EQ(stored(without), 0);
  EXPECT_EQ(all(without), before);
  // A part of a part, and a file that is written to, have them again.
  const fs::path again = folder_ / "again.db";
  db::export_database(without, again);
  EXPECT_EQ(stored(db::Database(again, db::OpenMode::immutable)), 6);
  const db::Database written(without.path());
  EXPECT_EQ(stored(written), 6);
  EXPECT_EQ(all(written), before);
}

TEST_F(ExportTest, EverythingStaysAsItWas) {
  const db::Database copy = exported({});
  EXPECT_EQ(result_.runs, 3);
  EXPECT_EQ(result_.evaluations, 5);
  EXPECT_EQ(result_.samples, 5);
  for (const RunId run : {first_, second_, third_}) {
    const db::RunDetails before = db::run_details(database_, run);
    const db::RunDetails after = db::run_details(copy, run);
    expect_equal(before.record, after.record);
    EXPECT_EQ(before.summary.started, after.summary.started);
    EXPECT_EQ(before.progress.size(), after.progress.size());
    EXPECT_EQ(before.winner_samples, after.winner_samples);
  }
}

TEST_F(ExportTest, TheCopyCanBeWrittenAgain) {
  exported({});
  db::Database again(folder_ / "out1.db");
  db::SqliteStore store(again);
  EXPECT_EQ(store.known(example_key()).size(), 4U);
  EXPECT_GT(store.begin_run(example_run()), third_);
}

TEST_F(ExportTest, ARunBringsWhatItReused) {
  const db::Database copy = exported({.runs = {third_}});
  EXPECT_EQ(count(copy, "evaluations"), 2);
  EXPECT_EQ(db::run_details(copy, third_).progress.size(), 2U);
  EXPECT_EQ(count(copy, "runs"), 2);     // the reused one was made by the first
  EXPECT_EQ(count(copy, "devices"), 1);  // and nothing else came along
  EXPECT_EQ(count(copy, "toolchains"), 1);
}

TEST_F(ExportTest, OfOneDevice) {
  const db::Database copy = exported({.device = "Invented Z9"});
  EXPECT_EQ(count(copy, "runs"), 1);
  EXPECT_EQ(count(copy, "evaluations"), 1);
  EXPECT_EQ(count(copy, "devices"), 1);
}

TEST_F(ExportTest, TheBestOfEachWorkAnswersLookups) {
  const db::Database copy = exported({.best_only = true});
  EXPECT_EQ(count(copy, "evaluations"), 2);
  const auto found = db::best(copy, {.problem = "stencil3d"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].result.time, 1e-3);
  EXPECT_EQ(found[1].result.time, 2e-3);
}

TEST_F(ExportTest, WithoutSamplesTheMediansStay) {
  const db::Database copy = exported({.samples = false});
  EXPECT_EQ(result_.samples, 0);
  EXPECT_EQ(db::list_results(copy).size(), db::list_results(database_).size());
}

TEST_F(ExportTest, WithoutWhatWasReplaced) {
  store_.record(third_, measured(example_configuration(2), {7e-3}));
  EXPECT_EQ(count(exported({}), "evaluations"), 6);
  EXPECT_EQ(count(exported({.current_only = true}), "evaluations"), 5);
}

TEST_F(ExportTest, WhatStandsInFinalsStaysThoughItWasReplaced) {
  RerankResult rerank;
  for (const int block : {2, 1})
    rerank.places.push_back({.configuration = example_configuration(block),
                             .rounds = {{1e-3, 0}},
                             .time = {1e-3, 1e-3, 1e-3, 0.9},
                             .ratio = {1, 1, 1, 0.9},
                             .tied = true});
  store_.record_rerank(first_, rerank);
  store_.record(third_, measured(example_configuration(2), {7e-3}));
  const db::Database copy = exported({.current_only = true});
  EXPECT_EQ(count(copy, "evaluations"), 6);
  EXPECT_EQ(count(copy, "finals"), 2);
  EXPECT_THAT(db::check_database(copy).lines, ::testing::IsEmpty());
}

/// Four finalists; the second ties with the first.
RerankResult four_reranked() {
  RerankResult rerank;
  double time = 1e-3;
  for (const int block : {4, 1, 2, 5}) {
    rerank.places.push_back({.configuration = example_configuration(block),
                             .rounds = {{time, 0}},
                             .time = {time, time, time, 0.9},
                             .ratio = {time / 1e-3, time / 1e-3, time / 1e-3, 0.9},
                             .tied = time < 2.5e-3});
    time += 1e-3;
  }
  return rerank;
}

TEST_F(ExportTest, FinalsOfWhichAPartStaysAreNumberedAnew) {
  store_.record(third_, measured(example_configuration(2), {7e-3}));
  store_.record(third_, measured(example_configuration(5), {8e-3}));
  store_.record_rerank(third_, four_reranked());
  RerankResult later;  // of another run: what won above is slow there
  later.places = {four_reranked().places.at(0)};
  later.places[0].time = {9e-3, 9e-3, 9e-3, 0.9};
  later.places[0].rounds = {{9e-3, 0}};
  const RunId fourth = store_.begin_run(example_run());
  for (const Evaluation& known : store_.known(example_key()))
    if (known.configuration == example_configuration(4)) store_.record(fourth, known);
  store_.record_rerank(fourth, later);
  const db::Database copy = exported({.best_only = true});
  ASSERT_EQ(count(copy, "finals WHERE run = 3"), 1);
  EXPECT_EQ(count(copy, "finals WHERE run = 3 AND place = 1"), 1);
  EXPECT_THAT(db::check_database(copy).lines, ::testing::IsEmpty());
  // Several stay, in their order: what another run saw of them, which tied with no winner.
  const RunId fifth = store_.begin_run(example_run());
  for (const Evaluation& known : store_.known(example_key()))
    if (known.configuration == example_configuration(2) || known.configuration == example_configuration(5))
      store_.record(fifth, known);
  const db::Database part = exported({.runs = {fifth}});
  EXPECT_EQ(part.connection()
                .execAndGet("SELECT group_concat(place || ':' || tied || ':' || time) FROM finals")
                .getString(),
            "1:1:0.003,2:0:0.004");
  EXPECT_THAT(db::check_database(part).lines, ::testing::IsEmpty());
}

TEST_F(ExportTest, OfSomeWorks) {
  const std::int64_t workload = db::list_runs(database_, {.device = "Invented Z9"}).at(0).workload.id;
  const db::Database copy = exported({.workloads = {workload}});
  EXPECT_EQ(count(copy, "runs"), 1);
  EXPECT_EQ(count(copy, "devices"), 1);
}

TEST_F(ExportTest, ARecordingNamesNoFileOfThisMachine) {
  RunRecord run = example_run();
  run.options.command_line = "tune run gemm --db '/tmp/a b/c.db' --size 64x64x64 --db /tmp/d.db";
  store_.record(store_.begin_run(run), measured(example_configuration(40), {1e-3}));
  const db::Database copy = exported({.recording = true});
  EXPECT_EQ(copy.connection()
                .execAndGet("SELECT COUNT(*) FROM runs WHERE command_line = 'tune run gemm --size 64x64x64'")
                .getInt(),
            1);
  EXPECT_EQ(
      copy.connection().execAndGet("SELECT COUNT(*) FROM runs WHERE command_line LIKE '%/tmp%'").getInt(), 0);
}

TEST_F(ExportTest, AFileThatExistsIsNotOverwritten) {
  std::ofstream(folder_ / "precious.db") << "x";
  EXPECT_THROW(db::export_database(database_, folder_ / "precious.db"), Error);
  EXPECT_EQ(fs::file_size(folder_ / "precious.db"), 1U);
}

TEST_F(ExportTest, AFolderThatIsMissingIsAnError) {
  EXPECT_THROW(db::export_database(database_, folder_ / "nowhere/out.db"), Error);
}

TEST_F(ExportTest, FromARecordingThatCannotBeWritten) {
  exported({});
  const db::Database recording(folder_ / "out1.db", db::OpenMode::immutable);
  const auto result = db::export_database(recording, folder_ / "second.db", {.best_only = true});
  EXPECT_EQ(result.evaluations, 2);
}

}  // namespace
}  // namespace tune::testing
