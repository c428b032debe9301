// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/check.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() {
    RunRecord record = example_run();
    record.options.objective = Objective::time;
    const RunId run = store_.begin_run(record);
    store_.record(run, measured(example_configuration(1), {3e-3, 2e-3, 1e-3, 4e-3}));
    store_.record(run, failed(example_configuration(2), Phase::crash, "fault"));
    RerankResult rerank;
    rerank.places.push_back({.configuration = example_configuration(1),
                             .rounds = {{1e-3, 0}, {2e-3, 0}},
                             .time = {1.5e-3, 1e-3, 2e-3, 0.9},
                             .ratio = {1, 1, 1, 0.9},
                             .tied = true});
    store_.record_rerank(run, rerank);
    store_.end_run(run, RunEnd::budget);
  }

  /// Returns the findings after that change, which the tables must not refuse.
  std::vector<std::string> after(const std::string& sql) {
    database_.connection().exec(sql);
    return db::check_database(database_).lines;
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
};

TEST_F(CheckTest, NothingIsWrongWithWhatTheProgramWrites) {
  EXPECT_THAT(db::check_database(database_).lines, IsEmpty());
}

/// A change of the database, and words of the only line that it causes.
struct Damage {
  std::string sql;
  std::vector<std::string> words;
};

TEST_F(CheckTest, EveryRuleIsLookedAfter) {
  const std::vector<Damage> all = {
      {"UPDATE evaluations SET time = 2.6e-3 WHERE id = 1", {"evaluations 1", "0.0026", "median", "0.0025"}},
      {"UPDATE evaluations SET minimum = 9e-4 WHERE id = 1", {"evaluations 1", "minimum"}},
      {"UPDATE evaluations SET configuration = '{\"block_x\":7}' WHERE id = 2",
       {"evaluations 2", "key", "block_x=7"}},
      {"UPDATE evaluations SET configuration = '[7' WHERE id = 2", {"evaluations 2", "did not write"}},
      {"UPDATE evaluations SET recorded = 'yesterday' WHERE id = 1", {"evaluations 1", "'yesterday'"}},
      {"UPDATE evaluations SET compile_seconds = -1 WHERE id = 1", {"compile_seconds is -1"}},
      {"UPDATE samples SET ordinal = 9 WHERE ordinal = 3", {"not numbered without gaps"}},
      {"INSERT INTO samples VALUES (2, 0, 1.0)", {"evaluations 2", "it failed, and has 1 samples"}},
      {"DELETE FROM run_evaluations WHERE sequence = 1", {"evaluations 2", "has not seen it"}},
      {"INSERT INTO run_evaluations VALUES (1, 7, 99, 0)", {"run_evaluations", "evaluations", "not there"}},
      {"UPDATE runs SET started = '1'", {"runs 1", "'1' is not a time of day"}},
      {"UPDATE runs SET ended = '2020-01-01T00:00:00.000Z'", {"runs 1", "before it started"}},
      {"UPDATE runs SET seed = '-1'", {"runs 1", "seed"}},
      {"UPDATE runs SET flops = -2", {"runs 1", "flops"}},
      {"UPDATE runs SET pinned = '{'", {"runs 1", "did not write"}},
      {"UPDATE devices SET facts_hash = 'x'", {"devices 1", "facts_hash"}},
      {"UPDATE devices SET uuid = 'x'", {"devices 1", "uuid"}},
      {"UPDATE works SET driver = '1'", {"runs 1", "driver 1"}},
      {"UPDATE instances SET size = '1x1'", {"instances 1", "'1x1'", "512x256x128"}},
      {"UPDATE instances SET settings_key = ''", {"instances 1", "settings_key"}},
      {"UPDATE finals SET place = 2", {"finals of run 1", "numbered 2 to 2"}},
      {"UPDATE finals SET rounds = 3", {"2 rounds are stored, its row has 3"}},
      {"UPDATE finals SET time = 1", {"outside of its interval"}},
      {"UPDATE finals SET tied = 0", {"does not tie with itself"}}};
  database_.connection().exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  for (const Damage& damage : all) {
    SCOPED_TRACE(damage.sql);
    database_.connection().exec("BEGIN");
    const std::vector<std::string> lines = after(damage.sql);
    database_.connection().exec("ROLLBACK");
    ASSERT_FALSE(lines.empty());
    for (const std::string& word : damage.words) EXPECT_THAT(lines.front(), HasSubstr(word));
    EXPECT_EQ(lines.size(), 1U) << lines.back();
    for (const std::string& line : lines) EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  EXPECT_THAT(db::check_database(database_).lines, IsEmpty());
}

TEST_F(CheckTest, ManyOfAKindAreCounted) {
  for (int i = 0; i < 30; ++i) store_.record(1, measured(example_configuration(10 + i), {1e-3}));
  database_.connection().exec("UPDATE evaluations SET minimum = 5e-4 WHERE minimum > 0");
  const db::Findings findings = db::check_database(database_);
  EXPECT_EQ(findings.lines.size(), db::Findings::max_per_kind);
  EXPECT_EQ(findings.count(), 31U);
}

TEST_F(CheckTest, APageThatIsDamagedIsAFinding) {
  for (int i = 0; i < 300; ++i) store_.record(1, measured(example_configuration(10 + i), {1e-3, 2e-3}));
  database_.connection().exec("PRAGMA journal_mode = DELETE");
  const auto size = std::filesystem::file_size(folder_ / "tune.db");
  {
    std::fstream file(folder_ / "tune.db", std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t at = size / 4096 * 3 / 4 * 4096; at + 4096 < size; at += 4096) {
      file.seekp(static_cast<std::streamoff>(at));
      file << std::string(1500, '\xee');
    }
  }
  const db::Database damaged(folder_ / "tune.db", db::OpenMode::immutable);
  EXPECT_GE(db::check_database(damaged).count(), 1U);
}

}  // namespace
}  // namespace tune::testing
