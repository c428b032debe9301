// SPDX-License-Identifier: Apache-2.0
// Whole tuning runs, answered by a recording.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "db/read/queries.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/cli/process.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/runs.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

TEST(Run, WithoutAGpuItSaysSoFirstAndReplays) {
  const Sandbox sandbox;
  // At random: what a model chooses may differ in the last bits from machine to machine.
  const ProgramResult outcome =
      sandbox.tune({"--problem", "stencil3d", "--size", "64x64x64", "--quiet", "--strategy", "random"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  expect_golden("cli/run.txt", sandbox.steady(outcome.out));
}

TEST(Run, WarmTimesAreNotAnsweredByColdOnes) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(small_run({"--device", "replay", "--cache", "warm"}));
  EXPECT_EQ(outcome.status, 2);
  const std::string line = lines_of(outcome.err).front();
  EXPECT_TRUE(has(line, "no recording has") && has(line, "with warm caches") && has(line, "--device cuda:0"))
      << line;
}

// A replay is for machines without a GPU, not for those where it does not work.
TEST(Run, AGpuThatCannotBeUsedIsAnError) {
  Sandbox sandbox;
  sandbox.set_environment("CUDA_VISIBLE_DEVICES", "0");
  const std::string source = written(sandbox, "driver.c",
                                     "int cuDriverGetVersion(int* v) { *v = 11000; return 0; }\n"
                                     "int cuInit(unsigned f) { return 0; }\n");
  const std::string command =
      std::string(TUNE_CXX) + " -x c -shared -fPIC -o " + (sandbox / "libcuda.so.1").string() + " " + source;
  ASSERT_EQ(std::system(command.c_str()), 0);
  sandbox.set_environment("LD_LIBRARY_PATH", (sandbox / "").string());
  const auto call = [&](std::vector<std::string> arguments) {
    return Process(sandbox / "", arguments).wait();
  };
  for (const char* device : {"", "0"}) {
    std::vector<std::string> arguments = small_run();
    if (*device != 0) arguments.insert(arguments.end(), {"--device", device});
    expect_refused(call(arguments), 4, {"a GPU that cannot be used", "driver is too old", "--device replay"});
  }
  EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
  EXPECT_EQ(call(small_run({"--device", "replay", "--quiet"})).status, 0);
  sandbox.set_environment("CUDA_VISIBLE_DEVICES", "");  // hidden on purpose: there is none
  EXPECT_EQ(call(small_run({"--device", "0", "--quiet"})).status, 0);
}

TEST(Run, WhatAReplayCannotAnswerIsRefusedWithWhatToDo) {
  const Sandbox sandbox;
  for (const auto& [more, word] :
       std::map<std::vector<std::string>, std::string>{{{"--device", "cuda"}, "cuda:0"},
                                                       {{"--objective", "energy"}, "--device cuda:0"},
                                                       {{"--kernel-dir", "/tmp"}, "--device cuda:0"},
                                                       {{"--samples", "20"}, "--samples needs a GPU"},
                                                       {{"--spread", "1%"}, "--spread needs a GPU"},
                                                       {{"--no-race"}, "--no-race needs a GPU"},
                                                       {{"--finalists", "3"}, "--finalists needs a GPU"},
                                                       {{"--in-process"}, "--in-process needs a GPU"}})
    expect_refused(sandbox.tune(small_run(more)), 2, {word});
  expect_refused(sandbox.tune(small_run({"--device", "cuda:0"})), 4, {"--device replay"});
  expect_refused(sandbox.tune({"--problem", "gemm"}), 2,
                 {"'tune check --device emulator' checks it on the CPU"});
  add_recording(sandbox / "one.db", {.n = 32, .count = 1});
  const auto only = db::list_results(db::Database(sandbox / "one.db"), {.failures = true}).front();
  expect_refused(sandbox.tune({"--problem", "stencil3d", "--size", "32x32x32", "--device",
                               "replay:" + (sandbox / "one.db").string(), "--where",
                               "variant != '" + only.configuration["variant"].as_text() + "'"}),
                 2, {"--where and --fix", "--device cuda:0"});
}

TEST(Run, AnUnrecordedSizeNamesTheNearestAsCommands) {
  const Sandbox sandbox;
  const auto refused = [&](const char* size, const std::string& device) {
    const ProgramResult outcome =
        sandbox.tune({"--problem", "stencil3d", "--size", size, "--device", device});
    EXPECT_EQ(outcome.status, 2);
    return lines_of(outcome.err);
  };
  std::vector<std::string> lines = refused("65x64x63", "0");
  EXPECT_TRUE(has(lines[0], "no recording has stencil3d 65x64x63") && has(lines[0], "--device cuda:0"));
  EXPECT_EQ(lines[1],
            "  tune run stencil3d --size 64x64x64 --set radius=1,shape=star,type=float --device replay");
  const std::string file = (sandbox / "many.db").string();
  for (int n = 32; n < 32 + 4 * 12; n += 4) add_recording(file, {.n = n, .count = 3});
  lines = refused("44x44x43", "replay:" + file);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_TRUE(has(lines[1], "--size 44x44x44 ") && has(lines[1], "--device replay:" + file)) << lines[1];
  EXPECT_EQ(lines[11], "  and 2 more: tune list runs --db " + file);
}

TEST(Run, NeverWritesToARecordingThatAnswersHere) {
  const Sandbox sandbox;
  for (const std::string& database : {sandbox.recording().string(), (sandbox / "link.db").string()}) {
    if (!std::filesystem::exists(database)) std::filesystem::create_symlink(sandbox.recording(), database);
    expect_refused(sandbox.tune(small_run({"--device", "replay", "--quiet", "--db", database})), 2,
                   {database, "one of the recordings"});
  }
  EXPECT_EQ(number(sandbox.recording(), "SELECT COUNT(*) FROM works WHERE origin = 'replayed'"), 0);
  expect_refused(sandbox.tune(small_run({"--device", "replay", "--db", ":memory:"})), 2,
                 {"is not a database file"});
}

TEST(Run, RecordingsThatCannotBeReadAreNoMissingSize) {
  const Sandbox sandbox;
  std::ofstream(sandbox.recording()) << "not a database at all, not even nearly, but long enough";
  const ProgramResult outcome = sandbox.tune(small_run({"--device", "replay"}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome.err, "invented.db is not a tune database")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "\ntune: no recording that can be read has stencil3d 64x64x64"))
      << outcome.err;
  EXPECT_FALSE(has(outcome.err, "no size of this problem is recorded")) << outcome.err;
}

TEST(Run, AReplayIsCalledOneWhereverItsResultAppears) {
  const Sandbox sandbox;
  const Json run = Json::parse(done(sandbox, small_run({"--format", "json", "--quiet"})).out);
  EXPECT_EQ(run["origin"], "replayed");
  EXPECT_EQ(run["best"]["origin"], "replayed");
  const std::string summary = done(sandbox, small_run({"--quiet"})).out;
  EXPECT_TRUE(has(summary, ", replayed\n")) << summary;
  EXPECT_TRUE(has(summary, " replayed, ")) << "of so many: " << summary;
  const Json devices = Json::parse(done(sandbox, {"list", "devices", "--format", "json"}).out);
  EXPECT_GT(devices[0]["evaluations"], 0);
  EXPECT_EQ(devices[0]["replayed_evaluations"], devices[0]["evaluations"]);
  EXPECT_EQ(Json::parse(done(sandbox, {"list", "devices", "--problem", "stencil3d", "--format", "json"}).out),
            devices);
  EXPECT_TRUE(has(done(sandbox, {"report"}).out, " replayed, ")) << "of so many";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"list", "runs"}, {"list", "results"}, {"show"}, {"report"}, {"report", "--format", "markdown"}})
    EXPECT_NE(done(sandbox, command).out.find("replayed"), std::string::npos) << command.front();
}

TEST(Run, AskedToReplayItSaysSoOnceOnly) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(small_run({"--device", "replay", "--quiet"}));
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("replayed: recorded times, nothing is measured"), std::string::npos);
}

// The first command of the README does its whole job on a laptop.
TEST(Run, DeviceZeroIsReplayedWhereThereIsNoGpu) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(small_run({"--device", "0", "--quiet"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("no GPU here (")) << outcome.out;
  EXPECT_TRUE(has(lines_of(outcome.out).front(), "nothing is measured")) << outcome.out;
  const auto reason = [&](const char* device) {
    return Json::parse(
        done(sandbox, small_run({"--device", device, "--format", "json"})).out)["replay_reason"];
  };
  EXPECT_TRUE(has(reason("0").get<std::string>(), "no GPU here"));
  EXPECT_EQ(reason("replay"), nullptr) << "asked for";
}

TEST(Run, DefaultSizeIsTheProblems) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"--problem", "stencil3d", "--device", "replay", "--quiet"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(
      outcome.out.starts_with("stencil3d 512x512x512 radius=1,shape=star,type=float\non Invented H2"));
}

TEST(Run, AProblemMayBeNamedWithoutItsOption) {
  const Sandbox sandbox;
  const ProgramResult outcome =
      sandbox.tune({"run", "stencil3d", "--size", "64x64x64", "--device", "replay", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(Run, ReplayedResultsAreMarkedAsSuch) {
  const Sandbox sandbox;
  json_run(sandbox, {});
  const db::Database database(sandbox.database());
  const auto rows = db::list_results(database);
  EXPECT_FALSE(rows.empty());
  for (const db::ResultRow& row : rows) EXPECT_EQ(row.workload.origin, Origin::replayed);
  EXPECT_NE(sandbox.tune({"list", "runs"}).out.find("Invented H2 (replayed)"), std::string::npos);
}

TEST(Run, ASecondOneReusesEverything) {
  const Sandbox sandbox;
  const Json first = json_run(sandbox, {});
  EXPECT_EQ(first["evaluations"], 200);
  EXPECT_EQ(first["reused"], 0);
  const ProgramResult second = sandbox.tune(small_run({"--device", "replay"}));
  EXPECT_EQ(second.status, 0);
  EXPECT_NE(second.out.find("200 were known from the database"), std::string::npos) << second.out;
  EXPECT_EQ(trace(sandbox, 1), trace(sandbox, 2)) << "evaluations were made again";
}

TEST(Run, FreshEvaluatesAgain) {
  const Sandbox sandbox;
  json_run(sandbox, {});
  EXPECT_EQ(json_run(sandbox, {"--fresh"})["reused"], 0);
  const auto first = trace(sandbox, 1), second = trace(sandbox, 2);
  std::set<std::int64_t> both(first.begin(), first.end());
  both.insert(second.begin(), second.end());
  EXPECT_EQ(both.size(), first.size() + second.size());
  EXPECT_EQ(configurations(sandbox, 1), configurations(sandbox, 2));
}

TEST(Run, TheSameSeedGivesTheSameTraceAndAnotherSeedAnother) {
  const Sandbox sandbox;
  for (const char* seed : {"5", "5", "6"}) json_run(sandbox, {"--fresh", "--seed", seed});
  EXPECT_EQ(configurations(sandbox, 1), configurations(sandbox, 2));
  EXPECT_NE(configurations(sandbox, 1), configurations(sandbox, 3));
}

TEST(Run, HonoursTheBudgetOfEvaluations) {
  const Sandbox sandbox;
  for (const std::uint64_t budget : {1, 7, 33}) {
    const Json run = json_run(sandbox, {"--fresh", "--budget-evals", std::to_string(budget)});
    EXPECT_EQ(run["evaluations"], budget);
    EXPECT_EQ(run["end"], "budget");
  }
}

TEST(Run, HonoursTheBudgetOfTime) {
  const Sandbox sandbox;
  const Json run = json_run(sandbox, {"--budget-time", "0.001s"});
  EXPECT_EQ(run["end"], "budget");
  EXPECT_LT(run["evaluations"], 200);
  EXPECT_GT(run["evaluations"], 0);
}

TEST(Run, GridCoversEverythingThatWasRecorded) {
  const Sandbox sandbox;
  const Json run = json_run(sandbox, {"--strategy", "grid"});
  EXPECT_EQ(run["space_size"], 600);
  EXPECT_EQ(run["end"], "exhausted");
  const auto seen = configurations(sandbox, 1);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 600U);
  EXPECT_EQ(seen.size(), 600U);
  // The best that the recording has, found.
  EXPECT_EQ(run["best"]["seconds"],
            *db::list_results(db::Database(sandbox.recording()), {.size = "64x64x64"}).front().time);
}

TEST(Run, EveryKindOfFailureIsCounted) {
  const Sandbox sandbox;
  const Json run = json_run(sandbox, {"--strategy", "grid"});
  std::uint64_t failures = 0;
  for (const char* phase : {"compile", "resources", "launch", "verify", "timeout", "crash"}) {
    ASSERT_TRUE(run["failures"].contains(phase)) << phase;
    failures += run["failures"][phase].get<std::uint64_t>();
  }
  EXPECT_EQ(run["measured"].get<std::uint64_t>() + failures, 600U);
  const std::string text = sandbox.tune(small_run({"--device", "replay", "--strategy", "grid"})).out;
  for (const char* phase :
       {" failed (launch", "verify", "timeout", "crash", " more cannot run (compile", "resources"})
    EXPECT_NE(text.find(phase), std::string::npos) << phase << " in " << text;
}

TEST(Run, WhereAndFixRestrict) {
  const Sandbox sandbox;
  const Json run = json_run(sandbox, {"--strategy", "grid", "--where", "block_x * block_y <= 128", "--fix",
                                      "variant=direct", "--fix", "padded=true,readonly=true"});
  EXPECT_LT(run["space_size"], 600);
  for (const std::string& key : configurations(sandbox, 1)) {
    const Configuration configuration = Configuration::parse(key);
    EXPECT_LE(configuration["block_x"].as_int() * configuration["block_y"].as_int(), 128);
    EXPECT_EQ(configuration["variant"].as_text(), "direct");
    EXPECT_TRUE(configuration["padded"].as_bool());
    EXPECT_TRUE(configuration["readonly"].as_bool());
  }
}

TEST(Run, JsonIsAloneOnStandardOutput) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(small_run({"--format", "json"}));
  EXPECT_EQ(outcome.status, 0);
  const Json run = Json::parse(outcome.out);
  EXPECT_EQ(run["origin"], "replayed");
  EXPECT_EQ(run["device"], "Invented H2");
  EXPECT_EQ(run["settings"]["radius"], 1);
  EXPECT_EQ(run["database"], sandbox.database().string());
  EXPECT_NE(outcome.err.find("200/200 evaluated"), std::string::npos);
}

TEST(Run, JsonIsValidWhateverBytesAPathHas) {
  const Sandbox sandbox;
  const std::string path = (sandbox / "caf\xe9.db").string();  // Latin-1: no UTF-8
  const Json run = json_run(sandbox, {"--quiet", "--budget-evals", "1", "--db", path});
  EXPECT_EQ(run["evaluations"], 1);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(Json::accept(sandbox.tune({"show", "--db", path, "--format", "json"}).out));
}

TEST(Run, ProgressThatIsPipedIsPlainLines) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(small_run({"--device", "replay", "--no-transfer"}));
  EXPECT_EQ(outcome.err.find_first_of("\r\x1b"), std::string::npos);
  const auto lines = lines_of(outcome.err);
  ASSERT_GE(lines.size(), 2U) << "the first, and the last";
  EXPECT_LE(lines.size(), 40U) << outcome.err;
  for (const std::string& line : lines) EXPECT_NE(line.find("/200 evaluated"), std::string::npos) << line;
  EXPECT_TRUE(lines.back().starts_with("200/200 evaluated")) << lines.back();
}

TEST(Run, OnARecordingInAFile) {
  const Sandbox sandbox;
  add_recording(sandbox / "other.db", {.device = device_named("Other"), .n = 32, .count = 50});
  const ProgramResult outcome = sandbox.tune({"stencil3d"});
  EXPECT_EQ(outcome.status, 2);
  const ProgramResult run = sandbox.tune({"run", "--problem", "stencil3d", "--size", "32x32x32", "--device",
                                          "replay:" + (sandbox / "other.db").string(), "--quiet"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("\non Other (replayed"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("the whole space was evaluated"), std::string::npos) << run.out;
}

TEST(Run, WhereAllFailsItSaysSo) {
  const Sandbox sandbox;
  const db::Database recording(sandbox.recording(), db::OpenMode::immutable);
  db::ResultFilter failures{.size = "64x64x64"};
  failures.failures = true;
  const Configuration broken = db::list_results(recording, failures).back().configuration;
  std::vector<std::string> pinned = {"--device", "replay", "--quiet"};
  for (const auto& [name, value] : broken.entries()) {
    pinned.emplace_back("--fix");
    pinned.push_back(name + "=" + value.to_string());
  }
  const ProgramResult outcome = sandbox.tune(small_run(pinned));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("no configuration gave a correct result; 'tune show'"), std::string::npos);
  EXPECT_NE(outcome.out.find("best        none"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace tune::testing
