// SPDX-License-Identifier: Apache-2.0
// Files that move away while they are written, files of other users, and files that nobody may change.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "db/maintain/export.hpp"
#include "db/read/queries.hpp"
#include "db/store/sqlite_store.hpp"
#include "lookup/include/tune/lookup.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(const std::function<void()>& function, Exit exit = Exit::failure) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), exit) << error.what();
    return error.what();
  }
  return "no error";
}

void record_one(const fs::path& path, int number = 1) {
  db::Database database(path);
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  store.record(run, measured(example_configuration(number), {1e-3}));
  store.end_run(run, RunEnd::budget);
}

TEST(MovedFile, ARunWhoseFileIsGoneDoesNotEndWell) {
  for (const bool replaced : {false, true}) {
    const TemporaryFolder folder;
    const fs::path path = folder / "tune.db", other = folder / "other.db";
    record_one(other, 2);
    const auto expected = contents(db::Database(other, db::OpenMode::read_only));
    {
      db::Database database(path);
      db::SqliteStore store(database);
      const RunId run = store.begin_run(example_run());
      store.record(run, measured(example_configuration(1), {1e-3}));
      fs::remove(path);
      if (replaced) fs::rename(other, path);
      EXPECT_THAT(refusal_of([&] { store.end_run(run, RunEnd::budget); }),
                  HasSubstr("tune.db was moved, replaced or deleted while tune wrote to it"));
    }
    if (!replaced) continue;
    EXPECT_EQ(contents(db::Database(path)), expected) << "the log of the old file went into the new one";
  }
}

TEST(MovedFile, ItIsNoticedWithinASecondOfWriting) {
  const TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  fs::rename(folder / "tune.db", folder / "away.db");
  std::this_thread::sleep_for(db::Database::sync_interval);
  EXPECT_THAT(refusal_of([&] { store.record(run, measured(example_configuration(1), {1e-3})); }),
              HasSubstr("was moved"));
}

/// Writes the bytes of a file over another one, as cp does: name and inode stay.
void copy_over(const fs::path& from, const fs::path& to) {
  std::ifstream in(from, std::ios::binary);
  std::ofstream(to, std::ios::binary | std::ios::trunc) << in.rdbuf();
}

TEST(MovedFile, ACopyOverItEndsTheRunAndStaysWhole) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db", other = folder / "other.db", exported = folder / "exported.db";
  record_one(other, 2);
  record_one(path, 1);
  db::export_database(db::Database(path, db::OpenMode::read_only), exported);
  for (const fs::path& source : {other, exported}) {
    fs::remove(path);
    const auto expected = contents(db::Database(source, db::OpenMode::read_only));
    {
      db::Database database(path);
      db::SqliteStore store(database);
      const RunId run = store.begin_run(example_run());
      copy_over(source, path);
      EXPECT_THAT(refusal_of([&] { store.record(run, measured(example_configuration(3), {1e-3})); }),
                  HasSubstr("tune.db was moved, replaced or deleted while tune wrote to it"));
    }
    EXPECT_EQ(contents(db::Database(path, db::OpenMode::read_only)), expected) << source;
  }
}

// One from before the run, and one of the run itself.
TEST(MovedFile, AnOlderCopyOfTheSameDatabaseEndsTheRunAndStaysWhole) {
  for (const bool of_the_run : {false, true}) {
    const TemporaryFolder folder;
    const fs::path path = folder / "tune.db", copy = folder / "copy.db";
    record_one(path, 1);
    db::Database database(path);
    db::SqliteStore store(database);
    const RunId run = store.begin_run(example_run());
    const auto record_into_file = [&](int number) {
      store.record(run, measured(example_configuration(number), {1e-3}));
      database.connection().exec("PRAGMA wal_checkpoint(PASSIVE)");
    };
    if (of_the_run) record_into_file(2);
    if (of_the_run) std::this_thread::sleep_for(db::Database::sync_interval);
    fs::copy_file(path, copy);
    record_into_file(3);
    record_into_file(4);
    copy_over(copy, path);
    EXPECT_THAT(refusal_of([&] { store.record(run, measured(example_configuration(5), {1e-3})); }),
                HasSubstr("tune.db was moved, replaced or deleted while tune wrote to it"));
    EXPECT_EQ(contents(db::Database(path, db::OpenMode::read_only)),
              contents(db::Database(copy, db::OpenMode::read_only)));
  }
}

TEST(MovedFile, ACopyWithAllThatIsInTheFileCostsNothing) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db", copy = folder / "copy.db";
  record_one(path, 1);
  {
    db::Database database(path);
    db::SqliteStore store(database);
    const RunId run = store.begin_run(example_run());
    fs::copy_file(path, copy);
    store.record(run, measured(example_configuration(2), {1e-3}));
    copy_over(copy, path);
    store.record(run, measured(example_configuration(3), {1e-3}));
    store.end_run(run, RunEnd::budget);
  }
  EXPECT_EQ(db::list_results(db::Database(path, db::OpenMode::read_only)).size(), 3U);
}

TEST(MovedFile, OtherProcessesMayWriteUpdateAndCompactIt) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  db::Database database(path);
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  record_one(path, 2);
  {
    db::Database other(path);
    other.connection().exec("VACUUM");
    other.connection().exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  store.record(run, measured(example_configuration(3), {1e-3}));
  store.end_run(run, RunEnd::budget);
  EXPECT_EQ(db::list_results(database).size(), 2U);
}

TEST(MovedFile, ALogThatIsRemovedOrReplacedEndsTheRun) {
  for (const bool replaced : {false, true}) {
    const TemporaryFolder folder;
    const fs::path path = folder / "tune.db";
    db::Database database(path);
    db::SqliteStore store(database);
    const RunId run = store.begin_run(example_run());
    fs::rename(path.string() + "-wal", folder / "away");
    if (replaced) std::ofstream(path.string() + "-wal") << "another log";
    EXPECT_THAT(refusal_of([&] { store.end_run(run, RunEnd::budget); }), HasSubstr("tune.db-wal was"));
    EXPECT_EQ(fs::exists(path.string() + "-wal"), replaced) << "not ours";
  }
}

TEST(MovedFile, TheLogOfAnotherDatabaseIsNotRead) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db", other = folder / "other.db";
  record_one(path, 1);
  const auto expected = contents(db::Database(path, db::OpenMode::read_only));
  {
    db::Database writes(other);
    db::SqliteStore store(writes);
    store.begin_run(example_run());
    fs::remove(path.string() + "-shm");
    fs::copy_file(other.string() + "-wal", path.string() + "-wal", fs::copy_options::overwrite_existing);
  }
  for (const db::OpenMode mode : {db::OpenMode::read_only, db::OpenMode::read_write})
    EXPECT_THAT(refusal_of([&] { db::Database(path, mode); }),
                HasSubstr("tune.db-wal is the log of another database: remove"));
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(path.string() + suffix);
  EXPECT_EQ(contents(db::Database(path)), expected);
}

TEST(MovedFile, AFileOfAnOlderProgramGetsItsNumber) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  record_one(path, 1);
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs())
      .exec("PRAGMA schema_version = 60");
  std::set<std::uint32_t> numbers;
  for (int i = 0; i < 2; ++i) {
    const db::Database database(path);
    numbers.insert(database.connection().execAndGet("PRAGMA schema_version").getUInt());
  }
  EXPECT_EQ(numbers.size(), 1U);
  EXPECT_GT(*numbers.begin(), 1U << 20);
}

/// Runs the function as another user in a process of its own; returns what it returned.
int as_user(unsigned user, const std::function<int()>& function) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(user) != 0 || setuid(user) != 0) _exit(99);
    int result = 98;
    try {
      result = function();
    } catch (const std::exception& exception) {
      fprintf(stderr, "%s\n", exception.what());
    }
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SharedFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only the administrator can act as two users";
    fs::permissions(folder_.path(), static_cast<fs::perms>(0777));
    ASSERT_EQ(as_user(owner, [this] { return record_one(path_), 0; }), 0);
    ASSERT_FALSE(fs::exists(path_.string() + "-shm"));
  }
  static constexpr unsigned owner = 1001, reader = 1002;
  TemporaryFolder folder_;
  fs::path path_ = folder_ / "tune.db";
};

TEST_F(SharedFolder, AReaderOfAnotherUserLeavesNothingThatLocksTheOwnerOut) {
  const auto read = [this] {
    const auto rows = db::list_results(db::Database(path_, db::OpenMode::read_only)).size();
    lookup::Options options;
    options.database = path_.string();
    options.recordings.emplace();
    const auto lookup = lookup::Lookup::open(options);
    lookup::Query query;
    query.problem = example_instance().problem;
    return lookup && lookup->best(query) ? static_cast<int>(rows) : 97;
  };
  EXPECT_EQ(as_user(reader, read), 1);
  for (const char* suffix : {"-wal", "-shm"}) EXPECT_FALSE(fs::exists(path_.string() + suffix)) << suffix;
  EXPECT_EQ(as_user(owner, [this] { return record_one(path_, 2), 0; }), 0);
  EXPECT_EQ(as_user(reader, read), 2);
}

TEST_F(SharedFolder, AReaderThatStaysSeesWhatTheOwnerWrites) {
  EXPECT_EQ(as_user(reader,
                    [this] {
                      const db::Database database(path_, db::OpenMode::read_only);
                      const auto version = database.data_version();
                      if (db::list_results(database).size() != 1) return 1;
                      return database.data_version() == version ? 0 : 2;
                    }),
            0);
}

TEST_F(SharedFolder, TheMessageNamesTheFilesOfTheOtherUser) {
  for (const char* suffix : {"-wal", "-shm"})
    ASSERT_EQ(as_user(reader,
                      [&] {
                        FILE* file = fopen((path_.string() + suffix).c_str(), "w");
                        return file == nullptr ? 1 : fclose(file);
                      }),
              0);
  ASSERT_EQ(as_user(owner,
                    [this] {
                      const std::string message = refusal_of([this] { record_one(path_, 3); });
                      return message.find("tune.db-wal and ") != std::string::npos &&
                                     message.find("belong to user 1002") != std::string::npos
                                 ? 0
                                 : (fprintf(stderr, "%s\n", message.c_str()), 1);
                    }),
            0);
}

TEST(Recording, NothingWritesToOneThatIsMarked) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db", marked = folder / "marked.db";
  record_one(path);
  db::export_database(db::Database(path, db::OpenMode::read_only), marked, {.recording = true});
  const auto time = fs::last_write_time(marked);
  EXPECT_THAT(refusal_of([&] { record_one(marked, 2); }, Exit::usage),
              AllOf(HasSubstr("marked.db is a recording"), HasSubstr("tune db export")));
  EXPECT_EQ(fs::last_write_time(marked), time);
  EXPECT_EQ(db::list_results(db::Database(marked, db::OpenMode::immutable)).size(), 1U);
  const fs::path copy = folder / "copy.db";
  db::export_database(db::Database(marked, db::OpenMode::read_only), copy);
  record_one(copy, 2);
}

TEST(Recording, AFileThatNobodyMayWriteIsNotWrittenByTheAdministratorEither) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  record_one(path);
  fs::permissions(path, static_cast<fs::perms>(0444));
  EXPECT_THAT(refusal_of([&] { record_one(path, 2); }),
              HasSubstr("cannot be written: change its permissions"));
}

TEST(DatabaseName, IsAFile) {
  EXPECT_THAT(refusal_of([] { db::Database{"file:x.db?mode=memory"}; }, Exit::usage), HasSubstr("is a URI"));
  EXPECT_THAT(refusal_of([] { db::Database{"/dev/null"}; }, Exit::usage), HasSubstr("is not a regular file"));
  EXPECT_FALSE(fs::exists("/dev/null-journal"));
}

}  // namespace
}  // namespace tune::testing
