// SPDX-License-Identifier: Apache-2.0
// tune db: info, check, compact and merge.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lookup/src/checked_pages.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/without_privileges.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

TEST(Db, HelpOfEveryPart) {
  const Sandbox sandbox;
  for (const char* part : {"info", "check", "salvage", "compact", "merge", "export", "import"}) {
    const ProgramResult outcome = done(sandbox, {"help", "db", part});
    expect_golden(std::string("cli/help_db_") + part + ".txt", outcome.out);
    EXPECT_EQ(sandbox.tune({"db", part, "--help"}).out, outcome.out);
    for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_EQ(done(sandbox, {"db"}).out, done(sandbox, {"help", "db"}).out);
  EXPECT_EQ(done(sandbox, {"db", "--help"}).out, done(sandbox, {"help", "db"}).out);
}

TEST(Db, InfoSaysWhatThereIs) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 40, .samples_each = 2});
  add_recording(sandbox.database(), {.device = device_named("Invented B7"), .n = 128, .count = 10});
  const Json info = Json::parse(done(sandbox, {"db", "info", "--format", "json"}).out);
  EXPECT_EQ(info["evaluations"], 50);
  EXPECT_EQ(info["runs"], 2);
  EXPECT_EQ(info["device_models"], 2);
  EXPECT_EQ(info["sizes"], 2);
  EXPECT_EQ(info["failures"],
            number(sandbox.database(), "SELECT COUNT(*) FROM evaluations WHERE phase IS NOT NULL"));
  EXPECT_EQ(info["samples"], number(sandbox.database(), "SELECT COUNT(*) FROM samples"));
  EXPECT_EQ(info["by_device"][0]["evaluations"], 40);
  EXPECT_EQ(info["by_origin"][0]["name"], "measured");
  EXPECT_EQ(info["journal"], "wal");
  EXPECT_EQ(info["first"], "2026-01-31T12:00:00.000Z");
  const std::string text = done(sandbox, {"db", "info", sandbox.database().string()}).out;
  EXPECT_TRUE(has(text, "evaluations 50: ")) << text;
  EXPECT_TRUE(has(text, "the newest")) << text;
  expect_refused(sandbox.tune({"db", "info", "/no/such.db"}), 3, {"there is no database /no/such.db"});
}

TEST(Db, InfoOfAnOlderFileAndHowToUpdateIt) {
  const Sandbox sandbox;
  const fs::path old = sandbox / "old.db";
  std::ifstream dump(std::string(TUNE_SOURCE_DIR) + "/tests/db/assets/schema_2.sql");
  const std::string sql((std::istreambuf_iterator<char>(dump)), {});
  SQLite::Database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
  const std::string text = done(sandbox, {"db", "info", old.string()}).out;
  EXPECT_TRUE(has(text, "schema      2; this program writes")) << text;
  EXPECT_TRUE(has(text, "evaluations 13")) << text;
  EXPECT_TRUE(has(done(sandbox, {"db", "check", old.string()}).out, "nothing is wrong"));
  EXPECT_TRUE(has(done(sandbox, {"list", "runs", "--db", old.string()}).out, "stencil3d"));
  EXPECT_EQ(number(old, "PRAGMA user_version"), 2) << "reading changed it";
  done(sandbox, {"db", "merge", old.string()});
  EXPECT_EQ(number(old, "PRAGMA user_version"), 2) << "merging from it changed it";
  EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), 13);
  done(sandbox, {"db", "compact", old.string()});
  EXPECT_GT(number(old, "PRAGMA user_version"), 2);
  EXPECT_TRUE(has(done(sandbox, {"db", "check", old.string()}).out, "nothing is wrong"));
}

// The copy that a merge makes of an older file has a name that no file of the user has, and is not left
// behind.
TEST(Db, MergingAnOlderFileLeavesAloneWhatLiesBeside) {
  const Sandbox sandbox;
  const fs::path old = sandbox / "old.db", folder = sandbox.database().parent_path();
  SQLite::Database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec(read_file(TUNE_SOURCE_DIR "/tests/db/assets/schema_2.sql"));
  const std::string mine = sandbox.database().string() + ".merge-" + std::to_string(getpid());
  std::ofstream(mine) << "mine";
  for (const char* suffix : {"", "-wal"})  // of a merge that was killed
    std::ofstream(sandbox.database().string() + ".tune-abcdef.part" + suffix) << "left";
  done(sandbox, {"db", "merge", old.string()});
  EXPECT_EQ(read_file(mine), "mine");
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder)) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"results.db", fs::path(mine).filename().string()}));
}

TEST(Db, CheckTellsWhatIsWrong) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20});
  EXPECT_TRUE(has(done(sandbox, {"db", "check"}).out, "results.db: nothing is wrong"));
  SQLite::Database(sandbox.database().string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs())
      .exec("UPDATE evaluations SET configuration_key = 'x' WHERE id = 3; UPDATE runs SET seed = 'y'");
  const ProgramResult outcome = sandbox.tune({"db", "check"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(lines_of(outcome.out).size(), 2U) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "evaluations 3: its key is 'x'")) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "2 findings")) << outcome.err;
}

TEST(Db, CompactDropsWhatIsAskedFor) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 60, .samples_each = 30});
  add_recording(sandbox.database(), {.count = 60, .samples_each = 30});
  const std::string before = done(sandbox, {"list", "results", "--format", "json"}).out;
  EXPECT_TRUE(has(done(sandbox, {"db", "compact"}).out, "0 evaluations and 0 samples dropped"));
  done(sandbox, {"db", "compact", "--drop-superseded", "--without-samples"});
  EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), 60);
  EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM samples"), 0);
  EXPECT_EQ(done(sandbox, {"list", "results", "--format", "json"}).out, before);
  EXPECT_EQ(done(sandbox, {"db", "check"}).status, 0);
  expect_refused(sandbox.tune({"db", "compact", (sandbox / "none.db").string()}), 3,
                 {"there is no database"});
  EXPECT_FALSE(fs::exists(sandbox / "none.db"));
}

TEST(Db, AfterCompactingARunGoesOn) {
  const Sandbox sandbox;
  const auto run = small_run({"--device", "replay", "--quiet", "--format", "json", "--budget-evals", "50"});
  const Json first = Json::parse(done(sandbox, run).out);
  // What cannot run does not count against the budget, but is stored.
  const auto evaluated = number(sandbox.database(), "SELECT COUNT(*) FROM evaluations");
  EXPECT_GE(evaluated, 50);
  done(sandbox, {"db", "compact", "--drop-superseded", "--without-samples"});
  const Json again = Json::parse(done(sandbox, run).out);
  EXPECT_EQ(again["best"]["configuration"], first["best"]["configuration"]);
  EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), evaluated)
      << "it evaluated again";
}

TEST(Db, MergeTakesEverythingOnce) {
  const Sandbox sandbox;
  const std::string one = (sandbox / "one.db").string(), two = (sandbox / "two.db").string();
  add_recording(one, {.count = 30});
  add_recording(two, {.device = device_named("Invented B7"), .count = 20});
  const ProgramResult first =
      done(sandbox, {"db", "merge", one, two, one, "--db", (sandbox / "all.db").string()});
  EXPECT_TRUE(has(first.out, "30 evaluations, ")) << first.out;
  EXPECT_TRUE(has(first.out, "1 run and 30 evaluations were there")) << first.out;
  EXPECT_EQ(number(sandbox / "all.db", "SELECT COUNT(*) FROM evaluations"), 50);
  const ProgramResult self = done(sandbox, {"db", "merge", one, "--db", one});
  EXPECT_TRUE(has(self.out, "is the target database itself")) << self.out;
  const Json info =
      Json::parse(done(sandbox, {"db", "info", (sandbox / "all.db").string(), "--format", "json"}).out);
  EXPECT_EQ(info["by_source"].size(), 2U);
  EXPECT_EQ(info["by_source"][0]["name"], one + " (tune)");
}

TEST(Db, MergeLooksAtAllFilesBeforeItTakesAny) {
  const Sandbox sandbox;
  const std::string one = (sandbox / "one.db").string(), text = (sandbox / "notes.txt").string();
  add_recording(one, {.count = 5});
  std::ofstream(text) << "notes";
  expect_refused(sandbox.tune({"db", "merge", one, text}), 2, {"notes.txt is not a tune database"});
  expect_refused(sandbox.tune({"db", "merge", one, "/no/such.db"}), 3, {"/no/such.db"});
  SQLite::Database((sandbox / "newer.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("PRAGMA application_id = 0x74756e65; PRAGMA user_version = 99; CREATE TABLE t (x)");
  for (const char* part : {"info", "check", "compact", "merge"})
    expect_refused(sandbox.tune({"db", part, (sandbox / "newer.db").string()}), 1, {"newer tune (schema 99"});
  EXPECT_FALSE(fs::exists(sandbox.database()));
}

TEST(Db, MergeFromAPlaceThatCannotBeWritten) {
  const Sandbox sandbox;
  fs::create_directory(sandbox / "lab");
  add_recording(sandbox / "lab/one.db", {.count = 5});
  fs::permissions(sandbox / "lab/one.db", fs::perms(0444));
  fs::permissions(sandbox / "lab", fs::perms(0555));
  fs::permissions(sandbox / "", fs::perms(0777));
  fs::permissions(sandbox / "home", fs::perms(0777));
  {
    const WithoutPrivileges nobody;
    done(sandbox, {"db", "merge", (sandbox / "lab/one.db").string()});
    done(sandbox, {"db", "info", (sandbox / "lab/one.db").string()});
    done(sandbox, {"db", "check", (sandbox / "lab/one.db").string()});
    expect_refused(sandbox.tune({"db", "compact", (sandbox / "lab/one.db").string()}), 1,
                   {"one.db", "cannot be written"});
    expect_refused(
        sandbox.tune({"db", "merge", sandbox.database().string(), "--db", (sandbox / "lab/one.db").string()}),
        1, {"one.db", "cannot be written"});
  }
  fs::permissions(sandbox / "lab", fs::perms(0755));
}

}  // namespace
}  // namespace tune::testing
