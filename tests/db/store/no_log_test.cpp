// SPDX-License-Identifier: Apache-2.0
// A file system without shared memory, on which there can be no write-ahead log.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/maintain/check.hpp"
#include "db/maintain/compact.hpp"
#include "db/maintain/merge.hpp"
#include "db/read/queries.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

/// SQLite's layer for such file systems: it locks by folders and has no shared memory.
class NoLogTest : public ::testing::Test {
 protected:
  NoLogTest() { sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1); }
  ~NoLogTest() override { sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1); }
  TemporaryFolder folder_;
};

void record_some(const std::filesystem::path& path, int first, int count) {
  db::Database database(path);
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  for (int i = 0; i < count; ++i) store.record(run, measured(example_configuration(first + i), {1e-3, 2e-3}));
  store.end_run(run, RunEnd::budget);
}

TEST_F(NoLogTest, ItIsSaidAndEverythingWorks) {
  const auto path = folder_ / "tune.db", other = folder_ / "other.db";
  record_some(path, 0, 20);
  record_some(other, 100, 10);
  {
    db::Database database(path);
    EXPECT_THAT(database.notice(), ::testing::HasSubstr("allows no write-ahead log"));
    EXPECT_EQ(database.connection().execAndGet("PRAGMA journal_mode").getString(), "delete");
  }
  {
    db::Database database(path);
    const db::Database source(other, db::OpenMode::read_only);
    EXPECT_EQ(db::merge_database(database, source, {.file = "other.db"}).evaluations, 10);
  }
  db::Database database(path);
  db::compact_database(database, {.without_samples = true});
  EXPECT_EQ(db::list_results(database).size(), 30U);
  EXPECT_EQ(db::check_database(database).lines, std::vector<std::string>());
}

TEST_F(NoLogTest, ProcessesWaitForEachOther) {
  const auto path = folder_ / "tune.db";
  record_some(path, 0, 1);
  std::vector<pid_t> children;
  for (int writer = 1; writer <= 3; ++writer) {
    children.push_back(fork());
    if (children.back() == 0) {
      record_some(path, 1000 * writer, 15);
      _exit(0);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const db::Database database(path);
  EXPECT_EQ(db::list_results(database).size(), 46U);
  EXPECT_EQ(damage(database), "");
}

}  // namespace
}  // namespace tune::testing
