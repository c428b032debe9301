// SPDX-License-Identifier: Apache-2.0
#include "db/store/sqlite_store.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <regex>

#include "db/maintain/check.hpp"
#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "tests/db/store_conformance.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/device_equality.hpp"
#include "tuner/session/stored_run.hpp"

namespace tune::testing {
namespace {

class SqliteUnderTest : public StoreUnderTest {
 public:
  SqliteUnderTest() { SqliteUnderTest::reopen(); }
  Store& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    database_.reset();
    database_.emplace(folder_ / "tune.db");
    store_.emplace(*database_);
  }

 private:
  TemporaryFolder folder_;
  std::optional<db::Database> database_;
  std::optional<db::SqliteStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance,
                         ::testing::Values(StoreFactory([] { return std::make_unique<SqliteUnderTest>(); })));

class SqliteStoreTest : public ::testing::Test {
 protected:
  std::int64_t count(const std::string& table) {
    return database_.connection().execAndGet("SELECT COUNT(*) FROM " + table).getInt64();
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  int seconds_ = 0;
  db::SqliteStore store_{database_, [this] { return format("2026-01-31T12:00:{:02}.000Z", seconds_++); }};
};

TEST_F(SqliteStoreTest, GivesBackEveryFieldOfARun) {
  const RunRecord given = example_run();
  const RunId run = store_.begin_run(given);
  const db::RunDetails unfinished = db::run_details(database_, run);
  expect_equal(unfinished.record, given);
  EXPECT_EQ(unfinished.summary.started, "2026-01-31T12:00:00.000Z");
  EXPECT_EQ(unfinished.summary.ended, "");
  EXPECT_EQ(unfinished.summary.end_reason, "");
  store_.end_run(run, RunEnd::interrupted);
  const db::RunDetails ended = db::run_details(database_, run);
  EXPECT_EQ(ended.summary.ended, "2026-01-31T12:00:01.000Z");
  EXPECT_EQ(ended.summary.end_reason, "interrupted");
}

TEST_F(SqliteStoreTest, BudgetsThatWereNotGivenStayAway) {
  const RunId run = store_.begin_run(run_of(example_key()));
  const db::RunDetails details = db::run_details(database_, run);
  EXPECT_FALSE(details.record.options.budget_evaluations);
  EXPECT_FALSE(details.record.options.budget_seconds);
  EXPECT_FALSE(details.record.options.until_gain);
}

TEST_F(SqliteStoreTest, CountsBeyond63BitsAreKeptAsTheLargest) {
  RunRecord given = example_run();
  given.space_size = ~std::uint64_t{0};
  const RunId run = store_.begin_run(given);
  EXPECT_EQ(db::run_details(database_, run).record.space_size, ~std::uint64_t{0} >> 1);
}

TEST_F(SqliteStoreTest, EveryEndCanBeStored) {
  for (const RunEnd end :
       {RunEnd::exhausted, RunEnd::budget, RunEnd::interrupted, RunEnd::stopped, RunEnd::failed}) {
    const RunId run = store_.begin_run(example_run());
    store_.end_run(run, end);
    EXPECT_EQ(db::run_details(database_, run).summary.end_reason, to_string(end));
  }
}

TEST_F(SqliteStoreTest, AReusedEvaluationIsLinkedAndNotCopied) {
  const RunId first = store_.begin_run(example_run());
  store_.record(first, measured(example_configuration(32), {1e-3, 2e-3, 3e-3}));
  const RunId second = store_.begin_run(example_run());
  store_.record(second, measured(example_configuration(64), {1e-3}));
  store_.record(second, store_.known(example_key()).at(0));
  EXPECT_EQ(count("evaluations"), 2);
  EXPECT_EQ(count("samples"), 4);
  EXPECT_EQ(count("run_evaluations"), 3);
  const db::RunDetails details = db::run_details(database_, second);
  ASSERT_EQ(details.progress.size(), 2U);
  EXPECT_EQ(details.progress[0].sequence, 0);
  EXPECT_FALSE(details.progress[0].reused);
  EXPECT_TRUE(details.progress[1].reused);
  EXPECT_EQ(details.summary.reused, 1);
}

TEST_F(SqliteStoreTest, AReusedEvaluationThatThisFileDoesNotKnowIsStoredInFull) {
  Evaluation third_party = measured(example_configuration(), {1e-3, 2e-3});
  third_party.reused = true;
  store_.record(store_.begin_run(example_run()), third_party);
  EXPECT_EQ(count("evaluations"), 1);
  EXPECT_EQ(count("samples"), 2);
  EXPECT_EQ(count("run_evaluations WHERE reused"), 1);
}

TEST_F(SqliteStoreTest, RunsOfOneKeyShareDeviceToolchainAndInstance) {
  store_.begin_run(example_run());
  store_.begin_run(example_run());
  for (const char* table : {"devices", "toolchains", "instances", "works"}) EXPECT_EQ(count(table), 1);
  RunRecord other_board = example_run();
  other_board.key.device.uuid = "GPU-other";
  store_.begin_run(other_board);
  EXPECT_EQ(count("devices"), 2);
  EXPECT_EQ(count("works"), 1);
}

TEST_F(SqliteStoreTest, AnEvaluationThatCannotBeStoredLeavesNothingAndTheNextOneIsFine) {
  const RunId run = store_.begin_run(example_run());
  EXPECT_THROW(store_.record(run, measured(example_configuration(32), {})), Error);
  EXPECT_THROW(store_.record(run, measured(example_configuration(32), {1e-3, -1e-3, 2e-3})), Error);
  EXPECT_THROW(store_.record(run, measured(example_configuration(32), {0})), Error);
  EXPECT_EQ(count("evaluations"), 0);
  EXPECT_EQ(count("samples"), 0);
  store_.record(run, measured(example_configuration(64), {1e-3}));
  store_.record(run, failed(example_configuration(32), Phase::crash, "fault"));
  const auto known = store_.known(example_key());
  ASSERT_EQ(known.size(), 2U);
  EXPECT_FALSE(known[1].resources);  // nothing is left over from the evaluation before
}

TEST_F(SqliteStoreTest, TheLaterEvaluationCountsThoughTheClockWasSetBack) {
  std::string now = "2026-01-31T12:00:00.000Z";
  db::SqliteStore store(database_, [&now] { return now; });
  RunId run = store.begin_run(example_run());
  store.record(run, measured(example_configuration(), {1e-3}));
  RerankPlace place;
  place.configuration = example_configuration();
  place.rounds.assign(8, {1e-3, 1});
  RerankResult ranked;
  ranked.objective = Objective::edp;
  ranked.places = rank_top_k({place}, Objective::edp);
  store.record_rerank(run, ranked);
  store.end_run(run, RunEnd::budget);
  now = "2026-01-31T09:00:00.000Z";
  run = store.begin_run(example_run());
  store.record(run, measured(example_configuration(), {3e-3}));
  for (RerankRound& round : place.rounds) round.seconds = 3e-3;
  ranked.places = rank_top_k({place}, Objective::edp);
  store.record_rerank(run, ranked);
  now = "2026-01-31T08:00:00.000Z";
  store.end_run(run, RunEnd::budget);
  ASSERT_EQ(store.known(example_key()).size(), 1U);
  EXPECT_EQ(store.known(example_key())[0].outcome->time(), 3e-3);
  EXPECT_EQ(store.known_rerank(example_key(), Objective::edp).places.at(0).rounds.at(0).seconds, 3e-3);
  EXPECT_EQ(db::check_database(database_).lines, std::vector<std::string>()) << "a run ended before it began";
}

TEST_F(SqliteStoreTest, AResultHasItsBoard) {
  RunRecord other_board = example_run();
  other_board.key.device.uuid = "GPU-other";
  other_board.key.device.power_limit = 450;
  store_.record(store_.begin_run(example_run()), measured(example_configuration(1), {1e-3}));
  store_.record(store_.begin_run(other_board), measured(example_configuration(2), {2e-3}));
  const auto rows = db::list_results(database_);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].board, (db::Board{"GPU-01234567", 700.5, 1.98e9, 3.201e9}));
  EXPECT_EQ(rows[1].board, (db::Board{"GPU-other", 450, 1.98e9, 3.201e9}));
  EXPECT_EQ(rows[0].workload.id, rows[1].workload.id);
}

TEST_F(SqliteStoreTest, ARunThatDevicesShareHasWhatAllOfThemEvaluated) {
  RunRecord shared = example_run();
  shared.other_devices.push_back({shared.key.device, {}});
  shared.other_devices.front().properties.uuid = "GPU-other";
  StoredRun run(store_, shared);
  const RunId id = run.id();
  Evaluation first = measured(example_configuration(1), {1e-3}),
             other = measured(example_configuration(2), {2e-3});
  run.record(first);
  other.device = 1;
  run.record(other);
  first.device = 1;
  first.is_comparison = true;
  first.outcome->samples = {1.01e-3};
  first.outcome->metrics = {{DeviceEquality::metric, 1.01}};
  run.record(first);
  run.end(RunEnd::budget);
  const db::RunDetails details = db::run_details(database_, id);
  EXPECT_EQ(details.progress.size(), 2U) << "the comparison is none of its evaluations";
  ASSERT_EQ(details.boards.size(), 2U);
  EXPECT_EQ(details.boards[0].evaluations, 1);
  EXPECT_FALSE(details.boards[0].ratio);
  EXPECT_EQ(details.boards[1].uuid, "GPU-other");
  EXPECT_EQ(details.boards[1].evaluations, 1);
  EXPECT_EQ(details.boards[1].ratio, 1.01);
  for (const Evaluation& one : store_.known(example_key()))
    if (one.configuration == first.configuration) {
      EXPECT_EQ(one.outcome->time(), 1e-3) << "a comparison replaces nothing";
    }
  for (const db::ResultRow& row : db::list_results(database_))
    EXPECT_EQ(row.board.uuid, row.configuration == other.configuration ? "GPU-other" : "GPU-01234567");
  EXPECT_EQ(count("runs WHERE end_reason = 'budget'"), 2);
  EXPECT_EQ(db::check_database(database_).lines, std::vector<std::string>());
}

TEST_F(SqliteStoreTest, UnknownRunsAreRefused) {
  EXPECT_THROW(store_.record(7, measured(example_configuration(), {1e-3})), Error);
  EXPECT_THROW(store_.end_run(7, RunEnd::budget), Error);
}

TEST_F(SqliteStoreTest, NeedsADatabaseThatIsOpenForWriting) {
  const db::Database reader(folder_ / "tune.db", db::OpenMode::read_only);
  EXPECT_THROW(db::SqliteStore(const_cast<db::Database&>(reader)), Error);
}

TEST(UtcNow, IsIso8601WithMilliseconds) {
  EXPECT_TRUE(std::regex_match(db::utc_now(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ)")))
      << db::utc_now();
}

}  // namespace
}  // namespace tune::testing
