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

#include "db/maintain/check.hpp"
#include "db/maintain/compact.hpp"
#include "db/maintain/import.hpp"
#include "db/maintain/merge.hpp"
#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/kills.hpp"
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

/// What is done to one file, and killed: afterwards the file is as before or as after it.
struct Change {
  const char* name;
  kills::Count count;
  std::function<void(const fs::path& path, const fs::path& source)> make;
};

std::vector<Change> changes() {
  const auto merge = [](const fs::path& path, const fs::path& source) {
    db::Database into(path);
    db::merge_database(into, db::Database(source, db::OpenMode::read_only), {.file = "source.db"},
                       [] { return std::string("2026-01-31T12:00:00.000Z"); });
  };
  const auto import_of = [](std::int64_t declared, const fs::path& path) {
    constexpr int count = 200;
    const std::string date = "2026-01-31T12:00:00.000Z";
    db::ImportedRun run{example_key(), "another 1.0", date, date, declared, {}};
    run.key.origin = Origin::imported;
    run.each = [&](const db::ImportedRun::Take& take) {
      for (int i = 0; i < count; ++i) take(measured(example_configuration(i), {1e-3 + 1e-6 * i}), date);
    };
    db::Database into(path);
    db::import_run(into, run, {.file = "other.json", .format = "T4", .has_runs = false});
  };
  const auto import = [import_of](const fs::path& path, const fs::path& /*source*/) { import_of(200, path); };
  const auto import_of_many = [import_of](const fs::path& path, const fs::path& /*source*/) {
    import_of(20'000, path);  // has the indexes made anew
  };
  const auto compact = [](const fs::path& path, const fs::path& /*source*/) {
    db::Database database(path);
    db::compact_database(database, {.without_samples = true, .drop_superseded = true});
  };
  const auto rerank = [](const fs::path& path, const fs::path& /*source*/) {
    db::Database database(path);
    std::vector<RerankPlace> places;
    for (int i = 0; i < 8; ++i) {
      RerankPlace place;
      place.configuration = example_configuration(i);
      place.rounds.assign(20, {1e-3 + 1e-5 * i, 0.5});
      places.push_back(std::move(place));
    }
    RerankResult ranked;
    ranked.places = rank_top_k(std::move(places), Objective::time);
    db::SqliteStore(database).record_rerank(1, ranked);
  };
  return {{"merge", kills::merges, merge},
          {"import", kills::imports, import},
          {"import of many", kills::imports, import_of_many},
          {"compact", kills::compactions, compact},
          {"re-ranking", kills::rerankings, rerank}};
}

TEST(Robustness, KilledChangesAreWholeOrNotMade) {
  const TemporaryFolder folder;
  const fs::path before = folder / "before.db", source = folder / "source.db", path = folder / "tune.db";
  write_many(before, 0, 150);
  write_many(before, 100, 100);
  write_many(source, 1000, 200);
  const auto rows = [](const fs::path& file) {
    const db::Database database(file);
    EXPECT_EQ(db::check_database(database).lines, std::vector<std::string>());
    return contents(database);
  };
  const auto expected_before = rows(before);
  std::mt19937 random(20260131);  // NOLINT: the same moments each time, as far as a clock allows
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.name);
    const auto restore = [&] {
      for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(path.string() + suffix);
      fs::copy_file(before, path, fs::copy_options::overwrite_existing);
    };
    restore();
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(ended_well(in_a_process([&] { change.make(path, source); })));
    const auto microseconds =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin)
            .count();
    const auto expected_after = rows(path);
    EXPECT_NE(expected_after, expected_before);
    for (int i = 0; i < change.count.now(); ++i) {
      restore();
      const pid_t child = in_a_process([&] { change.make(path, source); });
      std::this_thread::sleep_for(
          std::chrono::microseconds(static_cast<std::int64_t>(random() % 1'000) * microseconds / 1'000));
      ASSERT_EQ(kill(child, SIGKILL), 0);
      waitpid(child, nullptr, 0);
      const auto found = rows(path);
      EXPECT_TRUE(found == expected_before || found == expected_after) << "kill " << i;
    }
  }
}

TEST(Robustness, KilledAtAnyMomentNothingAcknowledgedIsLost) {
  constexpr int rounds_of_a_file = 20;
  const TemporaryFolder folder;
  fs::path path;
  std::mt19937 random(20260131);  // NOLINT: the same moments each time, as far as a clock allows
  std::set<std::int64_t> acknowledged;
  for (int i = 0; i < kills::runs.now(); ++i) {
    const int round = 1 + i % rounds_of_a_file;
    if (round == 1) {
      path = folder / ("tune" + std::to_string(i) + ".db");
      acknowledged.clear();
    }
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
