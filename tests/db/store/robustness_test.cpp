// SPDX-License-Identifier: Apache-2.0
// Tests the file while processes compete for it or are killed.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// Runs `work` in a process of its own that must not touch the parent's databases.
pid_t in_a_process(const std::function<void()>& function) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    function();
  } catch (const std::exception& exception) {
    const std::string message = std::string(exception.what()) + "\n";
    if (write(STDERR_FILENO, message.data(), message.size()) < 0) _exit(2);
    _exit(1);
  }
  _exit(0);
}

bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void write_many(const fs::path& path, int first, int count) {
  db::Database database(path);
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  for (int i = 0; i < count; ++i)
    store.record(run, measured(example_configuration(first + i), {1e-3, 2e-3, 3e-3}));
  store.end_run(run, RunEnd::exhausted);
}

std::string integrity(const fs::path& path) {
  const db::Database database(path);
  return database.connection().execAndGet("PRAGMA integrity_check").getString();
}

TEST(Robustness, ProcessesThatOpenOneNewFileAtOnceLoseNothing) {
  constexpr int writers = 4;
  constexpr int each = 200;
  const TemporaryFolder folder;
  const fs::path path = folder / "new/tune.db";
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w)
    children.push_back(in_a_process([&, w] { write_many(path, 1000 * w, each); }));
  for (const pid_t child : children) EXPECT_TRUE(ended_well(child));

  db::Database database(path);
  EXPECT_EQ(db::list_results(database).size(), std::size_t{writers * each});
  for (const db::RunSummary& run : db::list_runs(database)) {
    EXPECT_EQ(run.evaluations, each);
    EXPECT_EQ(run.end_reason, "exhausted");
  }
  EXPECT_EQ(database.connection().execAndGet("SELECT COUNT(*) FROM samples").getInt(), writers * each * 3);
  EXPECT_EQ(integrity(path), "ok");
}

TEST(Robustness, ThreadsWithTheirOwnConnectionsLoseNothing) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  std::thread one([&] { write_many(path, 0, 200); });
  std::thread two([&] { write_many(path, 1000, 200); });
  one.join();
  two.join();
  EXPECT_EQ(db::list_results(db::Database(path)).size(), 400U);
}

TEST(Robustness, AReaderSeesOneStateWhileAnotherWrites) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  write_many(path, 0, 1);
  const pid_t writer = in_a_process([&] { write_many(path, 1000, 300); });
  const db::Database reader(path, db::OpenMode::read_only);
  std::size_t seen = 0;
  while (seen < 301) {
    const auto runs = db::list_runs(reader);
    const db::RunDetails details = db::run_details(reader, runs.front().run);
    EXPECT_EQ(static_cast<std::size_t>(details.summary.evaluations), details.progress.size());
    const std::size_t now = db::list_results(reader).size();
    EXPECT_GE(now, seen);
    seen = now;
  }
  EXPECT_TRUE(ended_well(writer));
}

/// Writes evaluations for ever, and reports each after it was recorded.
void write_and_acknowledge(const fs::path& path, int pipe, int round) {
  db::Database database(path);
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  for (int i = 0;; ++i) {
    const int block = 100'000 * round + i;
    const Configuration configuration = example_configuration(block);
    store.record(run, i % 5 == 4 ? failed(configuration, Phase::crash, "fault")
                                 : measured(configuration, std::vector<double>(20, 1e-3)));
    if (write(pipe, &block, sizeof(block)) != sizeof(block)) _exit(1);
  }
}

TEST(Robustness, KilledAtAnyMomentNothingAcknowledgedIsLost) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  std::mt19937 random(20260131);  // NOLINT: the same moments each time, as far as a clock allows
  std::set<std::int64_t> acknowledged;
  for (int round = 1; round <= 20; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = in_a_process([&] {
      close(ends[0]);
      write_and_acknowledge(path, ends[1], round);
    });
    close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int block = 0;
    while (read(ends[0], &block, sizeof(block)) == sizeof(block)) acknowledged.insert(block);
    close(ends[0]);
    waitpid(child, nullptr, 0);

    ASSERT_EQ(integrity(path), "ok") << "round " << round;
    db::Database database(path);
    std::set<std::int64_t> found;
    for (const Evaluation& evaluation : db::SqliteStore(database).known(example_key())) {
      found.insert(evaluation.configuration["block_x"].as_int());
      if (evaluation.outcome) {
        ASSERT_EQ(evaluation.outcome->samples.size(), 20U);  // never a part of it
      }
    }
    ASSERT_TRUE(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()))
        << "round " << round;
    EXPECT_LE(found.size(), acknowledged.size() + static_cast<std::size_t>(round));  // one in flight a round
    EXPECT_EQ(database.connection().execAndGet("SELECT COUNT(*) FROM pragma_foreign_key_check").getInt(), 0);
  }
  EXPECT_GT(acknowledged.size(), 50U);
}

}  // namespace
}  // namespace tune::testing
