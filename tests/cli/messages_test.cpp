// SPDX-License-Identifier: Apache-2.0
// What users read where something is wrong with their files: one line that names the place and the cure, in
// the program's own words; and names of other people on a terminal.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "lookup/src/checked_pages.hpp"
#include "tests/cli/process.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// It mentions the parameters of all definitions here.
const char* const kernel_text =
    "extern \"C\" __global__ void k(float* out) { *out = A + B + C + D + E + F + mode; }\n";

/// A definition with these parameters and constraints; line 3 has the parameters, line 4 the constraints.
std::string native(const std::string& parameters, const std::string& constraints = "[]") {
  return "{\"problem\": \"own\", \"kernel\": \"k.cu\",\n\"sizes\": {\"n\": 64},\n\"parameters\": " +
         parameters + ",\n\"constraints\": " + constraints +
         ",\n\"arguments\": {\"out\": {\"type\": \"float\", \"size\": \"n\", \"access\": \"write\"}},\n"
         "\"launches\": {\"entry\": \"k\", \"grid\": 1, \"block\": 8}}";
}

/// A definition in T1 with this parameter on line 2.
std::string t1(const std::string& parameter) {
  return "{\"General\": {\"BenchmarkName\": \"own\"}, \"ConfigurationSpace\": {\"TuningParameters\": [\n" +
         parameter +
         "]},\n\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"k\", \"KernelFile\": \"k.cu\",\n"
         "\"ProblemSize\": [64], \"LocalSize\": {\"X\": 8}, \"GlobalSize\": {\"X\": 8}, \"Arguments\": [{\"Name\": "
         "\"out\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 64, \"AccessType\": \"WriteOnly\", "
         "\"FillType\": \"Constant\", \"FillValue\": 0, \"Output\": 1}]}}";
}

struct Mistake {
  std::string text;
  std::vector<std::string> words;
};

TEST(Messages, AMistakeInADefinitionHasItsPlace) {
  const Sandbox sandbox;
  written(sandbox, "k.cu", kernel_text);
  const std::vector<Mistake> mistakes = {
      {t1(R"({"Name": "a b", "Type": "int", "Values": "[1, 2]"})"),
       {"own.json:2: ", "TuningParameters[0].Name: parameter 'a b' cannot have that name"}},
      {t1(R"({"Name": "B", "Type": "string", "Values": ["x,y", "z"]})"),
       {"own.json:2: ", "parameter 'B' has the value 'x,y', which would read back as something else"}},
      {native(R"({"a b": [1, 2]})"), {"own.json:3: ", "parameter 'a b' cannot have that name"}},
      {native(R"({"B": [1, 2], "mode": ["x,y"]})"), {"own.json:3: ", "has the value 'x,y'"}},
      {native(R"({"B": [1, 2]})", R"(["B <= 2", "1 / 0"])"),
       {"own.json:4: constraints[1]: constraint '1 / 0': division by zero"}},
      {native(R"({"B": [1, 2]})", R"([{"rule": "B + x > 1", "why": "y"}])"),
       {"own.json:4: constraints[0].rule: the constraint 'B + x > 1' mentions 'x'"}},
      {native(R"({"B": {"values": "1e999"}})"),
       {"own.json:3: parameters.B.values: '1e999', column 1: '1e999'"}},
      {native(R"({"B": [1e999]})"), {"own.json: a number is beyond the range of double"}},
      {native(R"({"B": [1, 2],})"),
       {"own.json:3:", "this is not JSON: it goes wrong at the end of '",
        "[1, 2],}': check the quotes, commas and brackets"}},
      {native(R"({"B": [1, tru]})"),
       {"own.json:3:", "this is not JSON: it goes wrong at the end of '", "[1, tru]'"}},
      {R"({"problem": "own)", {"own.json:1:", "it ends too early: a bracket or quote is not closed"}},
      {"{\"problem\": \"own\n\"}", {"own.json:1:", "cut off at the end of the line: close its quote"}},
      {"{\"problem\": \"o\x01\"}", {"own.json:1:", "a control character (code 1): write it as \\u0001"}},
      {"{\"problem\": \"o\xff\"}", {"own.json:1:", "not UTF-8: correct it"}}};
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.text);
    const std::string file = written(sandbox, "own.json", mistake.text);
    const ProgramResult outcome = sandbox.tune({"space", "--problem", file, "--arch", "sm_90", "--count"});
    expect_refused(outcome, 2, mistake.words);
    for (const char* word : {"--where", "syntax error", "last read", "column 1: column", "json.exception"})
      EXPECT_FALSE(has(outcome.err, word)) << outcome.err;
  }
}

TEST(Messages, TheProgramsOwnWords) {
  const Sandbox sandbox;
  const std::string missing = (sandbox / "missing").string(), folder = (sandbox / "home").string();
  const std::string broken = written(sandbox, "broken.json",
                                     R"({"results": [)"
                                     "\n"
                                     R"({"a": }]})");
  const std::string large = written(sandbox, "large.json", R"({"results": [{"a": 1e999}]})");
  const std::string text = written(sandbox, "text.db", "my notes, which I would miss\n");
  const std::string name(300, 'x');
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> calls = {
      {{"db", "import", missing}, {"there is no file", "check the name"}},
      {{"db", "import", folder}, {"is a folder: name a file"}},
      {{"db", "import", broken}, {"line 2: not JSON (it goes wrong at the end of '"}},
      {{"db", "import", large}, {"a number is beyond the range of double"}},
      {{"replay", "--space", broken, "--strategy", "random"}, {"line 2: not JSON"}},
      {{"new", missing}, {"cannot read", "No such file"}},
      {{"--problem", "saxpy.cu"}, {"'tune new saxpy.cu' writes its definition"}},
      {{"list", "runs", "--db", folder}, {"is a folder: name a file in it"}},
      {{"list", "runs", "--db", text}, {"is not a tune database"}},
      {small_run({"--device", "replay", "--budget-evals", "1", "--db", name}),
       {"is too long for the name of a file"}},
      {{"list", "runs", "--db", (sandbox / name).string()}, {"is too long for the name of a file"}},
      {{"report", "--out", text, "--format", "text", "--limit", "3"}, {"has no option '--limit'"}},
      {{"list", "runs", "--limit"}, {"--top needs a value; 'tune help list' shows the options"}},
      {{"list", "runs", "--limit", "3", "--limit", "4"}, {"--top is given twice: give it once"}},
      {{"list", "runs", "--limit="}, {"--limit needs a value"}},
      {{"list", "runs", "--failures=3"}, {"--failures takes no value"}},
      {{"data", "check", "--problem", "matvec", "--input", missing, "--output", missing},
       {"there is no such file"}}};
  for (const auto& [call, words] : calls) {
    SCOPED_TRACE(call[0] + " " + words[0]);
    expect_refused(sandbox.tune(call), 2, words);
  }
}

TEST(Messages, LongValuesAreShortened) {
  const Sandbox sandbox;
  const std::string value(5000, 'v');
  for (const char* option : {"--budget-evals", "--samples", "--seed", "--device", "--strategy", "--set"}) {
    const ProgramResult outcome = sandbox.tune(small_run({option, value}));
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_LT(outcome.err.size(), 700U) << option;
    EXPECT_TRUE(has(outcome.err, "vvv ... vvv")) << outcome.err;
  }
}

TEST(Messages, WhatOthersNamedIsPrintable) {
  const Sandbox sandbox;
  const std::string name = "GPU\x1b[2J\xc2\x9b\xe2\x80\xae!";
  add_recording(sandbox.database(), {.device = device_named(name), .count = 20});
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"list", "devices"},
                                                                                       {"list", "runs"},
                                                                                       {"list", "results"},
                                                                                       {"show"},
                                                                                       {"report"},
                                                                                       {"db", "info"}}) {
    const ProgramResult outcome = sandbox.tune(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const std::string wrong : {"\x1b", "\xc2\x9b", "\xe2\x80\xae"})
      EXPECT_FALSE(has(outcome.out + outcome.err, wrong)) << command[0] << outcome.out;
  }
  const auto json = nlohmann::json::parse(done(sandbox, {"list", "devices", "--format", "json"}).out);
  EXPECT_TRUE(json.front()["name"].get<std::string>().starts_with("GPU\x1b[2J\xc2\x9b\xe2\x80\xae!")) << json;
}

TEST(Messages, PipesAndSocketsAreRefusedAtOnce) {
  const Sandbox sandbox;
  const std::string pipe = (sandbox / "pipe").string(), json = (sandbox / "pipe.json").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(json.c_str(), 0600), 0);
  const std::string other = sandbox.recording().string();
  for (const std::vector<std::string>& call : std::vector<std::vector<std::string>>{
           {"list", "runs", "--db", pipe},
           {"best", "stencil3d", "--db", pipe},
           {"show", "--db", pipe},
           {"report", "--db", pipe},
           {"serve", "--port", "0", "--db", pipe},
           {"db", "info", "--db", pipe},
           {"db", "check", pipe},
           {"db", "compact", pipe},
           {"db", "merge", pipe},
           {"db", "merge", other, "--db", pipe},
           {"db", "salvage", pipe, "--out", (sandbox / "new.db").string()},
           {"db", "import", json},
           {"db", "export", "--db", pipe, "--out", (sandbox / "new.db").string()},
           {"new", pipe},
           {"space", "--problem", json, "--arch", "sm_90"},
           {"check", "--problem", json, "--device", "emulator"},
           {"replay", "--space", json, "--strategy", "random"},
           {"space", "stencil3d", "--arch", "sm_90", "--stencil", pipe},
           {"data", "check", "--problem", "matvec", "--input", pipe, "--output", pipe},
           small_run({"--device", "replay:" + pipe}),
           small_run({"--device", "replay:" + other, "--db", pipe})}) {
    SCOPED_TRACE(call[0] + " " + call[1]);
    expect_refused(sandbox.tune(call), 2, {"pipe"});
  }
}

TEST(Messages, AParameterOfManyValuesIsReadInLinearTime) {
  const Sandbox sandbox;
  written(sandbox, "k.cu", kernel_text);
  nlohmann::ordered_json values;
  for (int i = 0; i < 100'000; ++i) values.push_back(i);
  const std::string range = "\"range(100000)\"";
  for (const std::string& text :
       {native("{\"B\": " + values.dump() + "}"), native("{\"B\": {\"values\": " + range + "}}"),
        t1("{\"Name\": \"B\", \"Type\": \"int\", \"Values\": " + range + "}")}) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string file = written(sandbox, "own.json", text);
    EXPECT_EQ(done(sandbox, {"space", "--problem", file, "--arch", "sm_90", "--count"}).out, "100000\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
}

/// Changes a database as damage would that no checksum notices.
void damage(const fs::path& file, const std::string& sql) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs());
  database.exec("PRAGMA ignore_check_constraints = ON");
  ASSERT_EQ(database.exec(sql), 1) << sql;
}

TEST(UnreadableRows, AreLeftOutAndCounted) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 40});
  const auto count = [&](const char* format) {
    return nlohmann::json::parse(
               sandbox.tune({"list", "results", "--failures", "--limit", "99", "--format", format}).out)
        .size();
  };
  ASSERT_EQ(count("json"), 40U);
  damage(sandbox.database(), "UPDATE evaluations SET configuration = '{\"block_x\": ' WHERE id = 3");
  damage(sandbox.database(), "UPDATE evaluations SET configuration = '{\"block_x\": null}' WHERE id = 5");
  EXPECT_EQ(count("json"), 38U) << "nothing is invented";
  for (const std::vector<std::string>& call : std::vector<std::vector<std::string>>{
           {"list", "results", "--failures", "--limit", "99"},
           {"report", "--format", "csv"},
           {"replay", "--space", sandbox.database().string(), "--strategy", "random", "--budget", "5",
            "--repeats", "1"},
           small_run({"--device", "replay:" + sandbox.database().string(), "--budget-evals", "5", "--quiet",
                      "--strategy", "random", "--db", (sandbox / "new.db").string()})}) {
    SCOPED_TRACE(call[0] + " " + call[1]);
    const ProgramResult outcome = sandbox.tune(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "2 rows of ")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "cannot be read and are left out: 'tune db check ")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "tune db salvage ")) << outcome.err;
  }
}

TEST(UnreadableRows, OfOneRunOrDeviceLeaveTheOthers) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20});
  add_recording(sandbox.database(), {.n = 512, .count = 20});
  damage(sandbox.database(), "UPDATE instances SET extents = '{' WHERE id = 2");
  const ProgramResult runs = sandbox.tune({"list", "runs", "--format", "json"});
  EXPECT_EQ(runs.status, 0) << runs.err;
  EXPECT_EQ(nlohmann::json::parse(runs.out).size(), 1U);
  EXPECT_TRUE(has(runs.err, "1 row of ")) << runs.err;
  EXPECT_EQ(sandbox.tune({"report", "--format", "json"}).status, 0);
  EXPECT_EQ(sandbox.tune({"list", "problems"}).status, 0);
}

TEST(UnreadableRows, TheNextBestAnswersForAWinner) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  add_recording(sandbox.database(), {.count = 40});
  SQLite::Database database(sandbox.database().string(), SQLite::OPEN_READONLY, 0,
                            lookup::checked_pages_vfs());
  for (int place = 0; place < 3; ++place) {
    SCOPED_TRACE(place);
    const std::string at =
        " FROM evaluations WHERE time IS NOT NULL ORDER BY time LIMIT 1 OFFSET " + std::to_string(place);
    const double expected = database.execAndGet("SELECT time" + at).getDouble();
    const ProgramResult best = sandbox.tune({"best", "stencil3d", "--size", "64x64x64", "--format", "json"});
    ASSERT_EQ(best.status, 0) << best.err;
    EXPECT_EQ(nlohmann::json::parse(best.out)["seconds"], expected);
    const ProgramResult show = sandbox.tune({"show", "--format", "json"});
    ASSERT_EQ(show.status, 0) << show.err;
    EXPECT_EQ(nlohmann::json::parse(show.out)["winner"]["seconds"], expected);
    for (const ProgramResult& one : {best, show})
      EXPECT_EQ(has(one.err, "of " + sandbox.database().string() + " cannot be read"), place > 0) << one.err;
    damage(sandbox.database(),
           "UPDATE evaluations SET configuration = '{\"block_x\": null}' WHERE id = (SELECT id" + at + ")");
  }
}

TEST(UnreadableRows, AreNamedWithTheirFile) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20});
  damage(sandbox.database(), "UPDATE runs SET pinned = '{' WHERE id = 1");
  expect_refused(sandbox.tune({"show", "1"}), 1,
                 {sandbox.database().string() + ": the database has a text", "tune db salvage"});
}

TEST(UnreadableRows, AreEvaluatedAgain) {
  const Sandbox sandbox;
  const std::vector<std::string> run = small_run(
      {"--device", "replay", "--strategy", "random", "--budget-evals", "30", "--quiet", "--format", "json"});
  ASSERT_EQ(sandbox.tune(run).status, 0);
  damage(sandbox.database(), "UPDATE evaluations SET configuration = '{' WHERE id = 4");
  const ProgramResult again = sandbox.tune(run);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(has(again.err, "1 row of ")) << again.err;
}

}  // namespace
}  // namespace tune::testing
