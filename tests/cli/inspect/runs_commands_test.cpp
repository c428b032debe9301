// SPDX-License-Identifier: Apache-2.0
// Runs compared, removed and planned: tune diff, tune rm, tune run --dry-run.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "lookup/src/checked_pages.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

/// A run of so many evaluations; a later one reuses what an earlier one saw.
void run_of(const Sandbox& sandbox, const std::string& evaluations) {
  done(sandbox, small_run({"--device", "replay", "--strategy", "random", "--budget-evals", evaluations}));
}

Json told_json(const Sandbox& sandbox, std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  return Json::parse(done(sandbox, words).out);
}

std::int64_t rows(const Sandbox& sandbox, const std::string& table) {
  return number(sandbox.database(), "SELECT COUNT(*) FROM " + table);
}

TEST(Rm, RemovesWhatBelongsToTheRunAlone) {
  const Sandbox sandbox;
  run_of(sandbox, "8");
  run_of(sandbox, "20");
  const std::int64_t evaluations = rows(sandbox, "evaluations"),
                     seen = number(sandbox.database(), "SELECT COUNT(*) FROM run_evaluations WHERE run = 2");
  EXPECT_TRUE(has(done(sandbox, {"rm", "1", "--dry-run"}).out, "would remove 1 run with "));
  EXPECT_EQ(rows(sandbox, "runs"), 2);
  const Json removed = told_json(sandbox, {"rm", "1", "--yes"});
  EXPECT_GT(removed["kept_evaluations"], 0) << "the second run reused them";
  EXPECT_EQ(rows(sandbox, "runs"), 1);
  EXPECT_EQ(rows(sandbox, "evaluations"), evaluations - removed["evaluations"].get<std::int64_t>());
  EXPECT_EQ(rows(sandbox, "run_evaluations"), seen);
  EXPECT_EQ(rows(sandbox, "evaluations WHERE run <> 2"), 0);
  done(sandbox, {"db", "check"});
  EXPECT_TRUE(has(done(sandbox, {"rm", "2", "--yes"}).out, "removed 1 run with "));
  for (const char* table : {"runs", "evaluations", "samples", "finals", "works", "instances", "devices"})
    EXPECT_EQ(rows(sandbox, table), 0) << table;
  EXPECT_TRUE(is_sound(sandbox.database()));
}

TEST(Rm, RefusesRunsThatGoOnAndRecordings) {
  const Sandbox sandbox;
  run_of(sandbox, "5");
  expect_refused(sandbox.tune({"rm"}), 2, {"tune list runs"});
  expect_refused(sandbox.tune({"rm", "one"}), 2, {"--run: 'one'"});
  expect_refused(sandbox.tune({"rm", "1", "7", "--yes"}), 3, {"there is no run 7"});
  expect_refused(sandbox.tune({"rm", "1", "--yes", "--db", sandbox.recording().string()}), 2, {"recordings"});
  SQLite::Database(sandbox.database().string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs())
      .exec(
          "UPDATE runs SET ended = NULL, end_reason = NULL, started = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')");
  expect_refused(sandbox.tune({"rm", "1", "--yes"}), 1, {"run 1 may still be going on"});
  EXPECT_EQ(rows(sandbox, "runs"), 1);
}

TEST(Diff, ComparesRunsAndDatabases) {
  const Sandbox sandbox;
  run_of(sandbox, "1");
  run_of(sandbox, "60");
  const Json faster = told_json(sandbox, {"diff", "1", "2"}), slower = told_json(sandbox, {"diff", "2", "1"});
  ASSERT_EQ(faster["works"].size(), 1U);
  const double ratio = faster["works"][0]["ratio"];
  EXPECT_LT(ratio, 1);
  EXPECT_NEAR(slower["works"][0]["ratio"], 1 / ratio, 1e-12);
  EXPECT_FALSE(faster["works"][0]["changed"].empty());
  EXPECT_EQ(told_json(sandbox, {"diff", "2", "2"})["works"][0]["ratio"], 1);
  EXPECT_TRUE(has(done(sandbox, {"diff", "2", "2"}).out, "the same")) << "and nothing changed";
  EXPECT_TRUE(has(done(sandbox, {"diff", "1", "2"}).out, "x faster"));
  EXPECT_EQ(
      told_json(sandbox, {"diff", sandbox.recording().string(), sandbox.database().string()})["works"].size(),
      1U);
  done(sandbox, {"diff", "1", "2", "--fail-above", "5%"});
  const ProgramResult failed = sandbox.tune({"diff", "2", "1", "--fail-above", "0.01%"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(has(failed.err, "1 of 1 workload slower by more than") && has(failed.out, "x slower"))
      << failed.err;
}

TEST(Diff, NamesSmallChangesInPercent) {
  const Sandbox sandbox;
  run_of(sandbox, "1");
  std::filesystem::copy(sandbox.database(), sandbox / "other.db");
  const auto told = [&](const char* factor) {
    SQLite::Database(sandbox.database().string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs())
        .exec(std::string("UPDATE evaluations SET time = time * ") + factor);
    return done(sandbox, {"diff", (sandbox / "other.db").string(), sandbox.database().string()}).out;
  };
  const std::string slower = told("1.002"), faster = told("0.97");
  EXPECT_TRUE(has(slower, "0.2 % slower")) << slower;
  EXPECT_TRUE(has(faster, "2.9 % faster")) << faster;
}

TEST(Diff, SaysWhatItCannotCompare) {
  const Sandbox sandbox;
  run_of(sandbox, "3");
  expect_refused(sandbox.tune({"diff", "1"}), 2, {"tune diff A B"});
  expect_refused(sandbox.tune({"diff", "1", "9"}), 3, {"there is no run 9"});
  expect_refused(sandbox.tune({"diff", "1", "nothing-like-it"}), 3, {"neither a run"});
  expect_refused(sandbox.tune({"diff", "1", "1", "--problem", "gemm"}), 3, {"no workload in common"});
  expect_refused(sandbox.tune({"diff", "1", "1", "--fail-above", "much"}), 2, {"--fail-above: 'much'"});
}

TEST(List, ShowsTheColumnsThatAreNamed) {
  const Sandbox sandbox;
  done(sandbox, small_run({"--budget-evals", "4", "--quiet"}));
  const auto words_of = [](const std::string& line) {
    std::istringstream stream(line);
    return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
  };
  const std::string listed = done(sandbox, {"list", "results", "--columns", "variant,time,of_limit"}).out;
  EXPECT_EQ(words_of(lines_of(listed).front()), (std::vector<std::string>{"variant", "time", "of", "limit"}));
  const std::string best =
      done(sandbox, {"best", "stencil3d", "-s", "64x64x64", "--top", "3", "--columns", "block_x,time"}).out;
  EXPECT_EQ(words_of(*(lines_of(best).end() - 4)), (std::vector<std::string>{"block_x", "time"})) << best;
  expect_refused(sandbox.tune({"list", "results", "--columns", "tmie"}), 2,
                 {"'tmie'", "did you mean 'time'?"});
  expect_refused(sandbox.tune({"list", "runs", "--columns", "time"}), 2, {"tune list results"});
  expect_refused(sandbox.tune({"list", "results", "--columns", "time", "--format", "json"}), 2,
                 {"other formats have all columns: leave out"});
  expect_refused(sandbox.tune({"best", "stencil3d", "--columns", "time"}), 2, {"add --top N"});
  expect_refused(sandbox.tune({"best", "stencil3d", "--columns", "time", "--format", "json"}), 2,
                 {"other formats have all columns: leave out"});
}

TEST(DryRun, SaysWhatARunWouldDo) {
  const Sandbox sandbox;
  const std::vector<std::string> call = small_run({"--device", "replay", "--budget-evals", "9", "--dry-run"});
  const std::string text = done(sandbox, call).out;
  EXPECT_TRUE(has(text, "9 evaluations") && has(text, "0 configurations") && has(text, "unknown")) << text;
  EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
  run_of(sandbox, "6");
  const Json plan = told_json(sandbox, call)["works"][0];
  EXPECT_EQ(plan["known_configurations"], rows(sandbox, "evaluations"));
  EXPECT_EQ(plan["budget_evaluations"], 9);
  EXPECT_EQ(rows(sandbox, "runs"), 1) << "nothing was stored";
}

}  // namespace
}  // namespace tune::testing
