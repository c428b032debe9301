// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/compact.hpp"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/maintain/check.hpp"
#include "db/read/best.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

class CompactTest : public ::testing::Test {
 protected:
  CompactTest() {
    RunRecord record = example_run();
    record.options.objective = Objective::time;
    for (int round = 0; round < 3; ++round) {
      const RunId run = store_.begin_run(record);
      for (int i = 0; i < 200; ++i)
        store_.record(run, i % 9 == 0 ? failed(example_configuration(i), Phase::launch, "fault")
                                      : measured(example_configuration(i),
                                                 std::vector<double>(20, 1e-3 * (1 + i + round))));
      if (round == 0) {
        RerankResult rerank;  // of evaluations that the next run replaces
        for (const int block : {1, 2}) {
          const double time = 1e-4 * block;
          rerank.places.push_back({.configuration = example_configuration(block),
                                   .rounds = {{time, 0}},
                                   .time = {time, time, time, 0.9},
                                   .ratio = {1.0 * block, 1.0 * block, 1.0 * block, 0.9},
                                   .tied = block == 1});
        }
        store_.record_rerank(run, rerank);
      }
      store_.end_run(run, RunEnd::budget);
    }
  }

  /// Rank, time and configuration of everything that counts.
  std::vector<std::string> ranking() const {
    std::vector<std::string> lines;
    for (const db::ResultRow& row : db::list_results(database_, {.failures = true}))
      lines.push_back(format("{} {} {}", row.evaluation, row.time.value_or(0), row.configuration.key()));
    for (const db::BestCandidate& candidate : db::best(database_, {.problem = "stencil3d"}))
      lines.push_back(format("best {}", candidate.result.evaluation));
    return lines;
  }
  std::int64_t count(const std::string& table) const {
    return database_.connection().execAndGet("SELECT COUNT(*) FROM " + table).getInt64();
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "tune.db";
  db::Database database_{path_};
  db::SqliteStore store_{database_};
};

TEST_F(CompactTest, ByItselfDropsNothing) {
  const auto before = contents(database_);
  const db::CompactResult result = db::compact_database(database_, {});
  EXPECT_EQ(contents(database_), before);
  EXPECT_EQ(result.evaluations + result.samples, 0);
}

TEST_F(CompactTest, WhatWasReplacedIsDroppedAndNothingRanksOtherwise) {
  const auto before = ranking();
  const db::CompactResult result = db::compact_database(database_, {.drop_superseded = true});
  EXPECT_EQ(result.evaluations, 400 - 2);  // those in finals stay
  EXPECT_EQ(count("evaluations"), 202);
  EXPECT_EQ(ranking(), before);
  EXPECT_LT(result.bytes_after, result.bytes_before / 2);
  EXPECT_EQ(db::check_database(database_).lines, std::vector<std::string>());
  EXPECT_EQ(count("runs"), 3);
}

TEST_F(CompactTest, WithoutSamplesTheMediansStayAndARunGoesOn) {
  const auto before = ranking();
  const db::CompactResult result = db::compact_database(database_, {.without_samples = true});
  EXPECT_EQ(count("samples"), 0);
  EXPECT_GT(result.samples, 10'000);
  EXPECT_EQ(ranking(), before);
  const auto known = store_.known(example_key());
  ASSERT_EQ(known.size(), 200U);
  EXPECT_EQ(known[1].outcome->time(), 4e-3);  // configuration 1 of the last round
  EXPECT_EQ(db::check_database(database_).lines, std::vector<std::string>());
}

TEST_F(CompactTest, KilledAtAnyMomentItIsOneOrTheOther) {
  const auto before = contents(database_);
  int killed = 0;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      db::Database mine(path_);
      db::compact_database(mine, {});
      _exit(0);
    }
    usleep(static_cast<useconds_t>(1500 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    EXPECT_EQ(contents(database_), before);
    EXPECT_EQ(damage(database_), "");
  }
  EXPECT_GE(killed, 1);
}

TEST_F(CompactTest, WithoutRoomItSaysSoAndNothingIsLost) {
  const auto before = contents(database_);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    try {
      db::Database mine(path_);
      db::compact_database(mine, {});
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("room") != std::string::npos ? 3 : 4);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(contents(database_), before);
  EXPECT_EQ(damage(database_), "");
}

TEST_F(CompactTest, BesideAWriterNothingIsLost) {
  const pid_t child = fork();
  if (child == 0) {
    db::Database mine(path_);
    db::SqliteStore store(mine);
    const RunId run = store.begin_run(example_run());
    for (int i = 0; i < 300; ++i) store.record(run, measured(example_configuration(1000 + i), {1e-3, 2e-3}));
    _exit(0);
  }
  for (int i = 0; i < 5; ++i) db::compact_database(database_, {.drop_superseded = true});
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(count("evaluations"), 202 + 300);
  EXPECT_EQ(damage(database_), "");
}

TEST_F(CompactTest, BesideAReaderItSaysThatTheFileGetsSmallerLater) {
  const db::Database reader(path_, db::OpenMode::read_only);
  reader.connection().exec("BEGIN; SELECT COUNT(*) FROM runs");
  db::Database mine(path_, db::OpenMode::read_write, std::chrono::milliseconds(50));
  EXPECT_NE(db::compact_database(mine, {.drop_superseded = true}).notice, "");
  reader.connection().exec("COMMIT");
  EXPECT_EQ(db::compact_database(mine, {}).notice, "");
}

}  // namespace
}  // namespace tune::testing
