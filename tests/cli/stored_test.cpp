// SPDX-License-Identifier: Apache-2.0
// Looking at what is stored: list, show, report, db export.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "reports/report.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

/// And nothing on standard error.
ProgramResult done_silently(const Sandbox& sandbox, const std::vector<std::string>& arguments) {
  ProgramResult outcome = done(sandbox, arguments);
  EXPECT_EQ(outcome.err, "");
  return outcome;
}

Json json_of(const Sandbox& sandbox, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  return Json::parse(done_silently(sandbox, arguments).out);
}

/// Two devices, two sizes.
void fill(const Sandbox& sandbox) {
  add_recording(sandbox.database(), {.count = 30});
  add_recording(sandbox.database(), {.n = 512, .count = 40});
  add_recording(sandbox.database(), {.device = device_named("Invented B7"), .count = 25, .slower_by = 2});
}

TEST(List, BeforeTheFirstRun) {
  const Sandbox sandbox;
  for (const char* what : {"devices", "runs", "results"}) {
    EXPECT_EQ(lines_of(done_silently(sandbox, {"list", what}).out).size(), 1U);
    EXPECT_NE(done_silently(sandbox, {"list", what}).out.find("nothing is stored yet"), std::string::npos);
    EXPECT_EQ(json_of(sandbox, {"list", what}), Json::array());
  }
  EXPECT_EQ(json_of(sandbox, {"list", "problems"}).size(), kernels::problems().size());
  EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
}

TEST(List, Runs) {
  const Sandbox sandbox;
  fill(sandbox);
  expect_golden("cli/list_runs.txt", sandbox.steady(done_silently(sandbox, {"list", "runs"}).out));
  EXPECT_EQ(json_of(sandbox, {"list", "runs"}).size(), 3U);
  EXPECT_EQ(json_of(sandbox, {"list", "runs", "--device", "Invented B7"}).size(), 1U);
  EXPECT_EQ(json_of(sandbox, {"list", "runs", "--size", "512x512x512"}).size(), 1U);
  EXPECT_EQ(json_of(sandbox, {"list", "runs", "--problem", "stencil3d"}).size(), 3U);
  EXPECT_EQ(json_of(sandbox, {"list", "runs", "--limit", "2"}).size(), 2U);
  EXPECT_EQ(json_of(sandbox, {"list", "runs", "--limit", "2"}).front()["run"], 3) << "the newest comes first";
}

TEST(List, Results) {
  const Sandbox sandbox;
  fill(sandbox);
  EXPECT_EQ(json_of(sandbox, {"list", "results"}).size(), 20U);
  EXPECT_GT(json_of(sandbox, {"list", "results", "--limit", "18446744073709551615"}).size(), 20U);
  const auto of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"list", "results", "--limit", "1000"});
    return json_of(sandbox, more);
  };
  const Json all = of({});
  const Json with_failures = of({"--failures"});
  EXPECT_EQ(with_failures.size(), 95U);
  EXPECT_LT(all.size(), 95U);
  EXPECT_TRUE(with_failures.back().contains("failure"));
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1]["seconds"], all[i]["seconds"]);
  EXPECT_EQ(of({"--failures", "--size", "512x512x512"}).size(), 40U);
  EXPECT_EQ(of({"--failures", "--device", "Invented B7"}).size(), 25U);
  EXPECT_EQ(of({"--failures", "--run", "1"}).size(), 30U);
  EXPECT_EQ(lines_of(done_silently(sandbox, {"list", "results", "--limit", "5"}).out).size(), 6U);
}

TEST(List, Devices) {
  const Sandbox sandbox;
  fill(sandbox);
  const Json devices = json_of(sandbox, {"list", "devices"});
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0]["name"], "Invented B7");
  expect_golden("cli/list_devices.txt", sandbox.steady(done_silently(sandbox, {"list", "devices"}).out));
}

TEST(List, EveryOptionCountsOrIsRefused) {
  const Sandbox sandbox;
  fill(sandbox);
  const Json of_size = json_of(sandbox, {"list", "devices", "--size", "512x512x512"});
  ASSERT_EQ(of_size.size(), 1U);
  EXPECT_EQ(of_size[0]["name"], "Invented H2");
  EXPECT_EQ(of_size[0]["runs"], 1);
  EXPECT_EQ(of_size[0]["evaluations"], 40);
  // With nothing left out, what is counted by runs is what is counted without an option.
  EXPECT_EQ(json_of(sandbox, {"list", "devices", "--problem", "stencil3d"}),
            json_of(sandbox, {"list", "devices"}));
  EXPECT_EQ(json_of(sandbox, {"list", "devices", "--device", "Invented B7"}).size(), 1U);
  expect_refused(sandbox.tune({"list", "devices", "--problem", "gemm"}), 3, {"no result of gemm"});
  const Json problems = json_of(sandbox, {"list", "problems", "--problem", "gemm"});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0]["name"], "gemm");
  expect_refused(sandbox.tune({"list", "problems", "--problem", "stencil4d"}), 2,
                 {"unknown problem", "'stencil3d'"});
  const Json run = json_of(sandbox, {"list", "runs", "--run", "2"});
  ASSERT_EQ(run.size(), 1U);
  EXPECT_EQ(run[0]["run"], 2);
  const auto refused = [&](const char* what, const char* option, const std::string& value) {
    std::vector<std::string> words = {"list", what, std::string("--") + option};
    if (!value.empty()) words.push_back(value);
    expect_refused(sandbox.tune(words), 2, {std::string("--") + option + " does not apply to " + what});
  };
  refused("problems", "device", "Invented B7");
  refused("problems", "size", "64x64x64");
  refused("problems", "run", "1");
  refused("problems", "top", "1");
  refused("problems", "failures", "");
  refused("devices", "run", "1");
  refused("devices", "top", "1");
  refused("devices", "failures", "");
  refused("runs", "failures", "");
}

TEST(List, WhatThereIsIsNamedOnce) {
  const Sandbox sandbox;
  fill(sandbox);
  const std::string unknown = sandbox.tune({"list", "runs", "--problem", "zzzzzzzzzz"}).err;
  EXPECT_NE(unknown.find("stencil3d"), std::string::npos) << unknown;
  EXPECT_EQ(unknown.find("stencil3d"), unknown.rfind("stencil3d")) << unknown;
  expect_refused(sandbox.tune({"list", "runs", "--device", "Invented B7", "--size", "512x512x512"}), 3,
                 {"no result on Invented B7 of size 512x512x512; stored are: 64x64x64"});
}

TEST(List, WhatDoesNotExistIsNamed) {
  const Sandbox sandbox;
  fill(sandbox);
  for (const std::string command : {"list", "report", "db"}) {
    std::vector<std::string> words = {command};
    if (command == "list") words.emplace_back("results");
    if (command == "db") words.insert(words.end(), {"export", "--out", (sandbox / "out.db").string()});
    const auto with = [&](const std::string& option, const std::string& value) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {option, value});
      return sandbox.tune(all);
    };
    expect_refused(with("--problem", "stencil4d"), 2, {"unknown problem 'stencil4d'", "'stencil3d'"});
    expect_refused(with("--device", "Invented H3"), 3, {"'Invented H3'", "did you mean 'Invented H2'?"});
    expect_refused(with("--device", "zzz"), 3, {"'zzz'", "Invented B7, Invented H2"});
    EXPECT_FALSE(std::filesystem::exists(sandbox / "out.db"));
    expect_refused(with("--size", "1x1x1"), 3, {"1x1x1", "512x512x512, 64x64x64"});
    expect_refused(with("--size", "64by64"), 2, {"--size", "'64by64'", "512x512x512"});
  }
  expect_refused(sandbox.tune({"list", "results", "--run", "99"}), 3, {"99", "tune list runs"});
  expect_refused(sandbox.tune({"list", "results", "--run", "9999999999999999999"}), 3,
                 {"9999999999999999999"});
}

TEST(Show, OfARun) {
  const Sandbox sandbox;
  fill(sandbox);
  expect_golden("cli/show.txt", sandbox.steady(done_silently(sandbox, {"show", "1"}).out));
  EXPECT_EQ(done_silently(sandbox, {"show"}).out, done_silently(sandbox, {"show", "3"}).out)
      << "the newest is the default";
  const Json run = json_of(sandbox, {"show", "1"});
  EXPECT_EQ(run["evaluations"], 30);
  EXPECT_EQ(run["progress"].size(), 30U);
  EXPECT_EQ(run["winner"]["samples"].size(), 3U);
}

TEST(Show, OfARunThatIsNotThere) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"show"}), 3, {"there is no database"});
  fill(sandbox);
  expect_refused(sandbox.tune({"show", "99"}), 3, {"99", "tune list runs"});
  expect_refused(sandbox.tune({"show", "18446744073709551615"}), 3, {"18446744073709551615"});
}

TEST(Show, ARunOfTheProgramItself) {
  const Sandbox sandbox;
  ASSERT_EQ(sandbox
                .tune(small_run({"--device", "replay", "--where", "block_x >= 32 and block_y >= 2", "--fix",
                                 "variant=direct", "--quiet", "--strategy", "random"}))
                .status,
            0);
  expect_golden("cli/show_replayed.txt", sandbox.steady(done_silently(sandbox, {"show"}).out));
  EXPECT_EQ(json_of(sandbox, {"show"})["pinned"]["variant"], "direct");
}

TEST(Report, InEachFormat) {
  const Sandbox sandbox;
  fill(sandbox);
  for (const reports::ReportKind& kind : reports::report_kinds()) {
    const std::string format(kind.name), file = "r" + std::string(kind.suffix);
    const std::string printed = done_silently(sandbox, {"report", "--format", format}).out;
    EXPECT_NE(printed.find("Invented H2"), std::string::npos) << format;
    EXPECT_EQ(done_silently(sandbox, {"report", "--out", (sandbox / file).string()}).out, "");
    EXPECT_EQ(read_file(sandbox / file), printed) << "the ending chooses the format";
  }
  EXPECT_TRUE(Json::accept(read_file(sandbox / "r.json")));
  EXPECT_EQ(done_silently(sandbox, {"report"}).out, read_file(sandbox / "r.txt"));
  const std::string filtered = done_silently(sandbox, {"report", "--device", "Invented B7"}).out;
  EXPECT_EQ(filtered.find("Invented H2"), std::string::npos);
}

TEST(Report, WithNothingStored) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"report"}), 3, {"there is no database", "tune something first"});
  std::filesystem::copy_file(sandbox.recording(), sandbox.database());
  expect_refused(sandbox.tune({"report", "--problem", "stencil3d", "--size", "7x7x7"}), 3, {"7x7x7"});
}

TEST(Report, ThatCannotBeWritten) {
  const Sandbox sandbox;
  fill(sandbox);
  const auto refused = [&](const std::string& file, const std::string& reason) {
    expect_refused(sandbox.tune({"report", "--format", "text", "--out", file}), 1, {file, reason});
  };
  refused((sandbox / "no/such/folder/r.txt").string(), "cannot write");
  refused(sandbox.database().parent_path().string(), "cannot write");
  refused("/dev/full", "cannot write");
}

TEST(Export, AnswersAsTheOriginalDid) {
  const Sandbox sandbox;
  fill(sandbox);
  sandbox.remove_recordings();
  const std::string file = (sandbox / "best.db").string();
  const ProgramResult exported =
      done_silently(sandbox, {"db", "export", "--best", "--without-samples", "--out", file});
  EXPECT_NE(exported.out.find("3 runs, 3 evaluations, 0 samples"), std::string::npos) << exported.out;
  const std::vector<std::string> question = {"best",     "stencil3d",   "--size",   "64x64x64",
                                             "--device", "Invented H2", "--format", "flags"};
  const std::string answer = done_silently(sandbox, question).out;
  std::vector<std::string> elsewhere = question;
  elsewhere.insert(elsewhere.end(), {"--db", file});
  EXPECT_EQ(done_silently(sandbox, elsewhere).out, answer);
}

TEST(Export, CanBeReplayed) {
  const Sandbox sandbox;
  fill(sandbox);
  const std::string file = (sandbox / "part.db").string();
  done_silently(sandbox, {"db", "export", "--device", "Invented B7", "--out", file});
  const ProgramResult run =
      sandbox.tune(small_run({"--device", "replay:" + file, "--quiet", "--format", "json"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)["space_size"], 25);
}

TEST(Export, ThatCannotBeMade) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"db", "export", "--out", (sandbox / "x.db").string()}), 3,
                 {"there is no database"});
  fill(sandbox);
  expect_refused(sandbox.tune({"db", "export", "--out", sandbox.database().string()}), 2, {"results.db"});
  expect_refused(sandbox.tune({"db", "export", "--out", (sandbox / "no/such/x.db").string()}), 1,
                 {"no/such"});
  expect_refused(sandbox.tune({"db", "export", "--out", "/dev/full"}), 2, {"/dev/full"});
  EXPECT_TRUE(is_sound(sandbox.database()));
}

}  // namespace
}  // namespace tune::testing
