// SPDX-License-Identifier: Apache-2.0
// Databases with flipped bits: every answer is that of the sound file, or an error.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "db/maintain/check.hpp"
#include "db/read/best.hpp"
#include "db/read/queries.hpp"
#include "db/read/recording.hpp"
#include "db/store/schema.hpp"
#include "db/store/sqlite_store.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// The whole number under the label `long` (tests/db/CMakeLists.txt).
int file_count() {
  return std::getenv("TUNE_LONG_TESTS") != nullptr ? 300 : 60;
}

/// What the commands read: the best, all results, all runs, a recording, and every row.
std::string answers(const fs::path& path) {
  const db::Database database(path, db::OpenMode::read_only);
  std::string text;
  for (const db::BestCandidate& one : db::best(database, {.problem = example_instance().problem}))
    text += format("best {} {}\n", one.result.configuration.key(), one.value);
  db::ResultFilter all;
  all.failures = all.superseded = true;
  for (const db::ResultRow& row : db::list_results(database, all))
    text += format("{} {} {} {} {}\n", row.evaluation, row.configuration.key(), row.time.value_or(0),
                   row.current, row.recorded);
  for (const db::RunSummary& run : db::list_runs(database))
    text += format("run {} {} {}\n", run.run, run.evaluations, run.best.value_or(0));
  for (const db::Recording& recording : db::all_recordings(database))
    for (const Evaluation& evaluation : recording.evaluations)
      text += format("{} {}\n", evaluation.configuration.key(),
                     evaluation.outcome ? evaluation.outcome->time() : 0.0);
  database.read([&](SQLite::Database&) {  // so that errors of SQLite are those of the program
    for (const std::string& row : contents(database)) text += row + "\n";
  });
  return text;
}

void flip_bits(const fs::path& path, std::mt19937& random) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<unsigned>(fs::file_size(path));
  const auto count = 1 + random() % 3;
  for (unsigned i = 0; i < count; ++i) {
    const auto at = static_cast<std::streamoff>(random() % size);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ 1 << random() % 8);
    file.seekp(at);
    file.put(byte);
  }
}

TEST(DamagedPages, OfDatabasesWithFlippedBitsNoAnswerIsWrong) {
  const TemporaryFolder folder;
  const fs::path sound = folder / "sound.db", copy = folder / "copy.db";
  record_example_runs(sound);
  const std::string expected = answers(sound);
  std::mt19937 random(20260131);  // NOLINT: the same files each time
  int told = 0;
  for (int i = 0; i < file_count(); ++i) {
    fs::copy_file(sound, copy, fs::copy_options::overwrite_existing);
    flip_bits(copy, random);
    try {
      EXPECT_EQ(answers(copy), expected) << "file " << i;
    } catch (const Error& error) {
      ++told;
      EXPECT_LT(std::string(error.what()).size(), 400U) << error.what();
      EXPECT_EQ(std::string(error.what()).find("internal"), std::string::npos);
    }
  }
  EXPECT_GT(told, file_count() / 2);
}

TEST(DamagedRows, AValueThatTuneDidNotWriteIsAnErrorThatNamesTheFile) {
  const TemporaryFolder folder;
  const fs::path sound = folder / "sound.db", copy = folder / "copy.db";
  record_example_runs(sound);
  const auto changed = [&](const char* change) {
    fs::copy_file(sound, copy, fs::copy_options::overwrite_existing);
    SQLite::Database(copy.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs()).exec(change);
  };
  changed("UPDATE instances SET settings_key = 'Inf'");
  try {
    answers(copy);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(copy.string() + ": the database has a value that tune did not write ("))
        << what;
    EXPECT_NE(what.find("'tune db salvage' saves the rest"), std::string::npos) << what;
  }
  // A run with a word that is no objective is left out.
  changed("PRAGMA ignore_check_constraints = ON; UPDATE runs SET objective = '11-'");
  EXPECT_NO_THROW(answers(copy));
}

TEST(DamagedPages, CheckNamesThemAndTheyAreNotRead) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db";
  record_example_runs(path);
  EXPECT_TRUE(lookup::has_page_checksums(path));
  EXPECT_TRUE(lookup::damaged_pages(path).empty());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096 * 6 + 3000);
  file.put('~');
  file.close();
  EXPECT_EQ(lookup::damaged_pages(path), std::vector<std::uint32_t>{7});
  const db::Findings findings = db::check_database(db::Database(path, db::OpenMode::read_only));
  ASSERT_FALSE(findings.lines.empty());
  EXPECT_EQ(findings.lines.front(), "file: page 7 is damaged: its checksum does not match");
}

TEST(DamagedPages, AFileThatSqliteAloneCopiedFromTheLogIsSound) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db", killed = folder / "killed.db";
  {
    db::Database database(path);
    db::SqliteStore store(database);
    store.record(store.begin_run(example_run()), measured(example_configuration(), {1e-3}));
    for (const char* suffix : {"", "-wal"}) fs::copy_file(path.string() + suffix, killed.string() + suffix);
  }
  SQLite::Database(killed.string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_EQ(fs::file_size(killed.string()), fs::file_size(path));
  EXPECT_EQ(answers(killed), answers(path));
  EXPECT_EQ(db::check_database(db::Database(killed, db::OpenMode::read_only)).lines,
            std::vector<std::string>());
}

TEST(DamagedPages, AFileWithoutChecksumsGetsThemWhenItIsWritten) {
  const TemporaryFolder folder;
  const fs::path path = folder / "tune.db", plain = folder / "plain.db";
  record_example_runs(path);
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  {  // as `sqlite3 tune.db .dump | sqlite3 plain.db` makes it
    SQLite::Database copy(plain.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    std::ifstream dump(std::string(TUNE_SOURCE_DIR) + "/tests/db/assets/schema_" +
                       std::to_string(db::schema_version()) + ".sql");
    copy.exec(std::string((std::istreambuf_iterator<char>(dump)), {}));
  }
  EXPECT_FALSE(lookup::has_page_checksums(plain));
  EXPECT_FALSE(db::list_runs(db::Database(plain, db::OpenMode::read_only)).empty());
  { const db::Database database(plain); }
  EXPECT_TRUE(lookup::has_page_checksums(plain));
}

}  // namespace
}  // namespace tune::testing
