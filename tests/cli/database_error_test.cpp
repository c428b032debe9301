// SPDX-License-Identifier: Apache-2.0
// Databases and recordings that cannot be used: said in one line, and nothing is harmed.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/input/device_choice.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/without_privileges.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// Every command that opens the database.
std::vector<std::vector<std::string>> commands(const Sandbox& sandbox) {
  return {small_run({"--device", "replay"}),
          {"best", "stencil3d"},
          {"list", "problems"},
          {"list", "runs"},
          {"list", "results"},
          {"list", "devices"},
          {"show"},
          {"report"},
          {"db", "export", "--out", (sandbox / "out.db").string()},
          {"db", "info"},
          {"db", "check"},
          {"db", "compact"},
          {"db", "merge", sandbox.recording().string()}};
}

void expect_all_refuse(const Sandbox& sandbox, int status, const std::vector<std::string>& words) {
  const std::string before = read_file(sandbox.database());
  for (const std::vector<std::string>& command : commands(sandbox)) {
    SCOPED_TRACE(command.front());
    expect_refused(sandbox.tune(command), status, words);
    EXPECT_EQ(read_file(sandbox.database()), before);
    EXPECT_FALSE(fs::exists(sandbox / "out.db"));
  }
}

TEST(DatabaseError, ATextFile) {
  const Sandbox sandbox;
  std::ofstream(sandbox.database()) << "my notes, which I would miss\n";
  expect_all_refuse(sandbox, 2, {"results.db", "is not a tune database", "--db"});
}

TEST(DatabaseError, AnotherProgramsDatabase) {
  const Sandbox sandbox;
  SQLite::Database(sandbox.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE notes (text TEXT)");
  expect_all_refuse(sandbox, 2, {"results.db", "is not a tune database", "--db"});
}

TEST(DatabaseError, ADamagedFile) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 200});
  {
    std::fstream file(sandbox.database(), std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 1; page < 40; ++page) {
      file.seekp(4096 * page);
      file << std::string(2000, '\xee');
    }
  }
  for (const std::vector<std::string>& command : commands(sandbox)) {
    SCOPED_TRACE(command.front());
    const ProgramResult outcome = sandbox.tune(command);
    expect_refused(outcome, 1, {"results.db", "is damaged", "tune db salvage"});
  }
}

TEST(DatabaseError, ANewerSchema) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 5});
  SQLite::Database(sandbox.database().string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs())
      .exec("PRAGMA user_version = 9999");
  expect_all_refuse(sandbox, 1, {"results.db", "newer tune", "9999", "--db"});
}

TEST(DatabaseError, AFolder) {
  const Sandbox sandbox;
  fs::create_directory(sandbox.database());
  for (const std::vector<std::string>& command : commands(sandbox))
    expect_refused(sandbox.tune(command), 2, {"results.db", "is a folder", "--db"});
}

TEST(DatabaseError, InAFolderThatCannotBe) {
  const Sandbox sandbox;
  std::ofstream(sandbox / "file") << "x";
  const std::string path = (sandbox / "file/deeper/results.db").string();
  expect_refused(sandbox.tune(small_run({"--device", "replay", "--db", path})), 1, {"file/deeper", "--db"});
  for (const char* command : {"show", "report"})
    expect_refused(sandbox.tune({command, "--db", path}), 3, {"there is no database", "--db"});
  expect_refused(sandbox.tune({"best", "stencil3d", "--db", path}), 3, {"there is no database", "--db"});
  expect_refused(sandbox.tune({"list", "runs", "--db", path}), 3, {"there is no database", "--db"});
}

TEST(DatabaseError, ThatMayNotBeWritten) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 30});
  fs::permissions(sandbox.database(), fs::perms(0444));
  fs::permissions(sandbox.database().parent_path(), fs::perms(0555));
  fs::permissions(sandbox / "", fs::perms(0777));
  const std::string before = read_file(sandbox.database());
  const std::string out = (sandbox / "out.db").string();
  const WithoutPrivileges nobody;
  expect_refused(sandbox.tune(small_run({"--device", "replay"})), 1,
                 {"results.db", "cannot be written", "--db"});
  EXPECT_EQ(read_file(sandbox.database()), before);
  for (std::vector<std::string> command : commands(sandbox)) {
    const bool writes = command.size() > 1 && (command[1] == "compact" || command[1] == "merge");
    if (command.front() == "run" || writes) continue;
    EXPECT_EQ(sandbox.tune(command).status, 0) << "reading needs no permission to write: " << command.front();
  }
  const std::string made = (sandbox / "home/new/results.db").string();
  expect_refused(sandbox.tune(small_run({"--device", "replay", "--db", made})), 1, {"home/new", "--db"});
  fs::permissions(sandbox / "out.db", fs::perms(0000));
  expect_refused(sandbox.tune({"show", "--db", out}), 1, {"out.db", "--db"});
}

TEST(DatabaseError, NoPlaceForIt) {
  Sandbox sandbox;
  for (const char* name : {"HOME", "XDG_DATA_HOME", "TUNE_DB"}) sandbox.set_environment(name, "");
  expect_refused(sandbox.tune(small_run({"--device", "replay"})), 1, {"HOME is not set", "--db PATH"});
  expect_refused(sandbox.tune({"list", "runs"}), 1, {"HOME is not set", "--db PATH"});
}

TEST(DatabaseError, WhereItLies) {
  Sandbox sandbox;
  sandbox.set_environment("TUNE_DB", "");
  ASSERT_EQ(sandbox.tune(small_run({"--device", "replay", "--budget-evals", "1"})).status, 0);
  EXPECT_TRUE(fs::exists(sandbox / "home/share/tune/results.db"));
  sandbox.set_environment("XDG_DATA_HOME", "");
  ASSERT_EQ(sandbox.tune(small_run({"--device", "replay", "--budget-evals", "1"})).status, 0);
  EXPECT_TRUE(fs::exists(sandbox / "home/.local/share/tune/results.db"));
}

TEST(RecordingError, IsSaidInOneLine) {
  const Sandbox sandbox;
  const auto replay = [&](const std::string& file) {
    return sandbox.tune(small_run({"--device", "replay:" + file}));
  };
  expect_refused(replay("/no/such/file.db"), 2, {"/no/such/file.db"});
  expect_refused(replay(""), 2, {"replay:FILE"});
  std::ofstream(sandbox / "notes.txt") << "text";
  expect_refused(replay((sandbox / "notes.txt").string()), 2,
                 {"notes.txt", "line 1: not JSON", "neither T4 nor"});
  // One line, and a command on a line of its own for each recorded size, the nearest first.
  const ProgramResult absent =
      sandbox.tune({"run", "--problem", "stencil3d", "--size", "99x99x99", "--device", "replay"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_TRUE(absent.err.starts_with("tune: no recording has stencil3d 99x99x99")) << absent.err;
  const std::size_t near = absent.err.find("\n  tune run stencil3d --size 64x64x64 ");
  ASSERT_NE(near, std::string::npos) << absent.err;
  EXPECT_LT(near, absent.err.find("\n  tune run stencil3d --size 512x512x512 ")) << absent.err;
  EXPECT_FALSE(fs::exists(sandbox.database()));
}

TEST(RecordingError, WhatChangesTheWorkLeastIsNearest) {
  const Instance asked = {
      .problem = "p", .extents = {{"n", 100}}, .settings = {{"radius", 2}, {"type", "float"}}};
  const std::vector<std::string> nearest_first = {
      "300 radius=2,type=float",
      "300 radius=2,type=float with warm caches",  // cold was asked for
      "1000 radius=2,type=float",
      "100 radius=2,steps=24,type=float",  // one other setting
      "100 radius=2,type=double",
      "100 radius=3,type=float",
      "100 radius=9,type=float",
      "90 radius=2,type=double",
      "100 (imported)",  // two unknown
      "100 radius=3,type=double",
  };
  std::vector<std::string> reversed(nearest_first.rbegin(), nearest_first.rend());
  EXPECT_EQ(cli::nearest_first(std::move(reversed), asked), nearest_first);
}

TEST(RecordingError, NoneIsInstalled) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  expect_refused(sandbox.tune(small_run()), 2, {"no GPU here", "--device replay:FILE"});
  expect_refused(sandbox.tune(small_run({"--device", "replay"})), 2,
                 {"no recordings", "--device replay:FILE"});
}

TEST(RecordingError, ABrokenOneIsNamedAndLeftOut) {
  const Sandbox sandbox;
  std::ofstream(sandbox / "recordings/aaa.db") << "not a database at all, not even nearly, but long enough";
  const ProgramResult outcome = sandbox.tune({"best", "stencil3d", "--size", "64x64x64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("aaa.db is not a tune database"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace tune::testing
