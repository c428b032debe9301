// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "db/store/schema.hpp"
#include "lookup/src/checked_pages.hpp"
#include "lookup/src/connection.hpp"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Code;
using ::testing::HasSubstr;

lookup::Error error_of(const std::filesystem::path& file, int patience_ms = 20) {
  lookup::Options options;
  options.database = file.string();
  options.recordings.emplace();
  options.patience_ms = patience_ms;
  const auto opened = lookup::Lookup::open(options);
  if (!opened) return opened.error();
  const auto found = opened->best(query_of(example_key()));
  if (!found) return found.error();
  ADD_FAILURE() << "no error";
  return {};
}

void expect_error(const std::filesystem::path& file, Code code, const std::string& words) {
  const lookup::Error error = error_of(file);
  EXPECT_EQ(error.code, code) << error.message;
  EXPECT_THAT(error.message, HasSubstr(file.string()));
  EXPECT_THAT(error.message, HasSubstr(words));
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
}

class LookupErrors : public ::testing::Test {
 protected:
  LookupErrors() { sample_.record(example_key(), {{1, 1e-3}}); }

  /// A copy with everything in one file.
  std::filesystem::path copy() {
    const std::filesystem::path file = sample_ / "copy.db";
    SQLite::Statement vacuum(sample_.database().connection(), "VACUUM INTO ?");
    vacuum.bind(1, file.string());
    vacuum.exec();
    return file;
  }
  static void change(const std::filesystem::path& file, const std::string& sql) {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs()).exec(sql);
  }

  DatabaseSample sample_;
};

TEST_F(LookupErrors, AMissingFileThatWasNamed) {
  expect_error(sample_ / "absent.db", Code::missing, "there is no database");
  lookup::Options options = sample_.options();
  options.recordings->push_back((sample_ / "absent.db").string());
  EXPECT_EQ(lookup::Lookup::open(options).error().code, Code::missing);
}

TEST_F(LookupErrors, AFolderAndOtherFiles) {
  expect_error(sample_.path().parent_path(), Code::not_a_database, "is a folder");
  ASSERT_EQ(mkfifo((sample_ / "pipe").c_str(), 0600), 0);
  expect_error(sample_ / "pipe", Code::not_a_database, "is not a regular file");
  std::ofstream(sample_ / "text.db") << std::string(5000, 'x');
  expect_error(sample_ / "text.db", Code::not_a_database, "not a tune database");
  SQLite::Database((sample_ / "other.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE t (x)");
  expect_error(sample_ / "other.db", Code::not_a_database, "not a tune database");
  std::ofstream(sample_ / "empty.db");
  expect_error(sample_ / "empty.db", Code::missing, "holds no results yet");
}

TEST_F(LookupErrors, SchemasOfOtherTimes) {
  EXPECT_EQ(lookup::newest_schema, db::schema_version());
  const auto file = copy();
  change(file, "PRAGMA user_version = 1");
  expect_error(file, Code::older_schema, "an older tune (schema 1");
  change(file, "PRAGMA user_version = " + std::to_string(db::schema_version() + 1));
  expect_error(file, Code::newer_schema, "a newer tune");
}

TEST_F(LookupErrors, FilesOfTheOldestSchemaThatIsReadAreRead) {
  const auto steps = db::migrations();
  const std::filesystem::path file = sample_ / "old.db";
  {
    SQLite::Database old(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db::migrate(old, std::span(steps).first(lookup::oldest_schema));
  }
  lookup::Options options;
  options.database = file.string();
  options.recordings.emplace();
  const auto found = lookup::Lookup::open(options)->best(query_of(example_key()));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->match, lookup::Match::none);
}

TEST_F(LookupErrors, ADamagedFile) {
  for (int i = 2; i < 40; ++i) sample_.record(example_key(), {{i, 1e-3 * i}});
  const auto file = copy();
  const auto bytes = std::filesystem::file_size(file);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(8192);
  stream << std::string(bytes - 8192, '\xff');
  stream.close();
  expect_error(file, Code::damaged, "is damaged");
  std::filesystem::resize_file(file, bytes / 2 / 4096 * 4096);
  EXPECT_EQ(error_of(file).code, Code::damaged);
}

TEST_F(LookupErrors, TablesThatAreGone) {
  const auto file = copy();
  change(file, "PRAGMA foreign_keys = OFF; DROP VIEW results; DROP TABLE finals");
  expect_error(file, Code::damaged, "not as tune writes it");
}

TEST_F(LookupErrors, AConfigurationThatNobodyCanRead) {
  const auto file = copy();
  change(file, "UPDATE evaluations SET configuration = '[1]'");
  expect_error(file, Code::damaged, "configuration that cannot be read");
}

TEST_F(LookupErrors, AConfigurationThatNobodyCanReadLeavesTheOthers) {
  sample_.record(example_key(), {{2, 2e-3}, {3, 3e-3}});
  const auto file = copy();
  lookup::Options options = sample_.options();
  options.database = file.string();
  for (const char* text : {"[1]", "{\"block_x\": null}", "{\"block_x\": [7]}"}) {
    SCOPED_TRACE(text);
    change(file, std::string("UPDATE evaluations SET configuration = '") + text + "' WHERE time < 1.5e-3");
    const auto found = lookup::Lookup::open(options)->candidates(query_of(example_key()), 2);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->front().seconds, 2e-3);
    EXPECT_NE(found->front().why.find("1 record of " + file.string() + " cannot be read"), std::string::npos)
        << found->front().why;
    EXPECT_EQ(found->back().seconds, 3e-3);
  }
}

TEST_F(LookupErrors, ALockedFile) {
  const auto file = copy();
  change(file, "PRAGMA journal_mode = DELETE");
  SQLite::Database writer(file.string(), SQLite::OPEN_READWRITE);
  writer.exec("BEGIN EXCLUSIVE");
  expect_error(file, Code::busy, "is in use");
  writer.exec("ROLLBACK");
}

TEST_F(LookupErrors, AWriterDoesNotDisturb) {
  SQLite::Database writer(sample_.path().string(), SQLite::OPEN_READWRITE);
  writer.exec("BEGIN IMMEDIATE; UPDATE evaluations SET time = 5e-3");
  EXPECT_EQ(sample_.best(query_of(example_key())).seconds, 1e-3);
}

TEST_F(LookupErrors, AnErrorIsNotKept) {
  const auto file = copy();
  change(file, "PRAGMA journal_mode = DELETE");
  lookup::Options options = sample_.options();
  options.database = file.string();
  options.patience_ms = 10;
  const auto lookup = lookup::Lookup::open(options);
  ASSERT_TRUE(lookup);
  SQLite::Database writer(file.string(), SQLite::OPEN_READWRITE);
  writer.exec("BEGIN EXCLUSIVE");
  ASSERT_FALSE(lookup->best(query_of(example_key())));
  writer.exec("ROLLBACK");
  const auto found = lookup->best(query_of(example_key()));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->match, lookup::Match::exact);
}

TEST_F(LookupErrors, QueriesThatMakeNoSense) {
  const lookup::Lookup lookup = sample_.open();
  lookup::Query query = query_of(example_key());
  query.problem.clear();
  EXPECT_EQ(lookup.best(query).error().code, Code::bad_query);
  query = query_of(example_key());
  query.size[1] = 0;
  EXPECT_EQ(lookup.best(query).error().code, Code::bad_query);
  query = query_of(example_key());
  query.settings.push_back(query.settings.front());
  EXPECT_EQ(lookup.candidates(query, 3).error().code, Code::bad_query);
}

}  // namespace
}  // namespace tune::testing
