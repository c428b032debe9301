// SPDX-License-Identifier: Apache-2.0
// Damage is not merged, and what is sound in a damaged database can be saved.
#include "db/maintain/salvage.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "db/maintain/check.hpp"
#include "db/maintain/merge.hpp"
#include "db/read/queries.hpp"
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
using ::testing::HasSubstr;

class SalvageTest : public ::testing::Test {
 protected:
  void record(const fs::path& path, int count) {
    db::Database database(path);
    db::SqliteStore store(database);
    const RunId run = store.begin_run(example_run());
    for (int i = 0; i < count; ++i) store.record(run, measured(example_configuration(i), {1e-3, 2e-3, 3e-3}));
    store.end_run(run, RunEnd::budget);
  }

  static void change(const fs::path& path, const std::string& sql) {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs());
    database.exec("PRAGMA ignore_check_constraints = ON; " + sql);
  }

  static std::string error_of_merge(const fs::path& target, const fs::path& source) {
    db::Database into(target);
    try {
      db::merge_database(into, db::Database(source, db::OpenMode::read_only), {.file = source.string()});
    } catch (const Error& error) {
      return error.what();
    }
    return "merged";
  }

  TemporaryFolder folder_;
  fs::path bad_ = folder_ / "bad.db", good_ = folder_ / "good.db", saved_ = folder_ / "saved.db";
};

TEST_F(SalvageTest, ADamagedSourceIsRefusedBeforeAnythingIsTaken) {
  record(bad_, 20);
  record(good_, 3);
  const auto before = contents(db::Database(good_));
  for (const char* damage : {"UPDATE evaluations SET configuration_key = 'block_x=99' WHERE id = 7",
                             "UPDATE devices SET facts = '[1'",
                             "PRAGMA foreign_keys = OFF; UPDATE runs SET work = 17, device = 23"}) {
    SCOPED_TRACE(damage);
    fs::remove(bad_);
    record(bad_, 20);
    change(bad_, damage);
    const std::string message = error_of_merge(good_, bad_);
    EXPECT_THAT(message, HasSubstr("bad.db is damaged, and nothing was merged ("));
    EXPECT_THAT(message, HasSubstr("tune db salvage"));
    EXPECT_EQ(contents(db::Database(good_)), before);
    EXPECT_EQ(db::check_database(db::Database(good_)).lines, std::vector<std::string>());
  }
}

TEST_F(SalvageTest, RowsThatContradictOthersAreLeftOut) {
  record(bad_, 20);
  change(
      bad_,
      "UPDATE evaluations SET configuration_key = 'x' WHERE id = 7; UPDATE evaluations SET time = 5 WHERE id = 9;"
      "UPDATE evaluations SET configuration = '{' WHERE id = 11");
  const db::SalvageResult result = db::salvage_database(bad_, saved_);
  EXPECT_EQ(result.evaluations, 17);
  EXPECT_EQ(result.runs, 1);
  EXPECT_FALSE(result.left_out.empty());
  const db::Database saved(saved_);
  EXPECT_EQ(db::check_database(saved).lines, std::vector<std::string>());
  EXPECT_EQ(db::list_results(saved).size(), 17U);
  EXPECT_THAT(error_of_merge(good_, saved_), HasSubstr("merged"));
}

TEST_F(SalvageTest, AnyPageMayBeDamagedButTheFirst) {
  record(bad_, 60);
  const auto pages = static_cast<int>(fs::file_size(bad_) / 4096);
  const fs::path copy = folder_ / "copy.db";
  std::int64_t least = 60, full = 0;
  for (int page = 0; page < pages; page += page == 0 ? 1 : 3) {
    SCOPED_TRACE(page + 1);
    fs::copy_file(bad_, copy, fs::copy_options::overwrite_existing);
    std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(page * 4096L + 100);  // behind the file's header
    file << std::string(3900, '\x5a');
    file.close();
    fs::remove(saved_);
    db::SalvageResult result;
    try {
      result = db::salvage_database(copy, saved_);
    } catch (const Error& error) {  // a page of the schema
      EXPECT_THAT(error.what(), HasSubstr("is damaged; restore a copy"));
      EXPECT_FALSE(fs::exists(saved_));
      EXPECT_FALSE(fs::exists(saved_.string() + ".part"));
      continue;
    }
    EXPECT_EQ(db::check_database(db::Database(saved_)).lines, std::vector<std::string>());
    full += result.evaluations == 60 ? 1 : 0;
    if (result.evaluations > 0) least = std::min(least, result.evaluations);
  }
  EXPECT_GT(full, 1) << "pages of indices and of other tables";
  EXPECT_LT(least, 60);
  EXPECT_GT(least, 40) << "one page holds few evaluations";
}

TEST_F(SalvageTest, AnOlderSchemaIsSavedInTheNewest) {
  const fs::path old = folder_ / "old.db";
  {
    std::ifstream dump(std::string(TUNE_SOURCE_DIR) + "/tests/db/assets/schema_1.sql");
    SQLite::Database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec(std::string((std::istreambuf_iterator<char>(dump)), {}));
  }
  EXPECT_EQ(db::salvage_database(old, saved_).evaluations, 13);
  fs::rename(old, folder_ / "copy.db");
  { const db::Database updated(folder_ / "copy.db"); }
  EXPECT_EQ(contents(db::Database(saved_)), contents(db::Database(folder_ / "copy.db")));
}

}  // namespace
}  // namespace tune::testing
