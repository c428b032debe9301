// SPDX-License-Identifier: Apache-2.0
// Strategies compared on recorded spaces, from files to tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/input/recorded_spaces.hpp"
#include "search/strategies/registry.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"
#include "tuner/replay/simulation.hpp"

namespace tune::testing {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// A space of 96 configurations with a valley in it; a twelfth fails. `scale` is another device.
OrderedJson entries(double scale) {
  OrderedJson all = OrderedJson::array();
  for (const int x : {8, 16, 32, 64, 128, 256})
    for (const int y : {1, 2, 4, 8})
      for (const int work : {1, 2})
        for (const bool shared : {false, true}) {
          OrderedJson entry = {{"block_size_x", x}, {"block_size_y", y}, {"work", work}, {"shared", shared}};
          const double far =
              std::abs(x * y - 128 * scale) / 64.0 + (work == 1 ? 0.3 : 0.0) + (shared ? 0.0 : 0.21);
          entry["time"] = 0.4 * scale * (1 + far);
          if (x * y > 1024 || (y == 8 && shared)) entry["time"] = "RuntimeFailedConfig";
          all.push_back(entry);
        }
  return all;
}

std::string kernel_tuner(double scale) {
  OrderedJson file = {{"device_name", scale == 1 ? "Invented A1" : "Invented B7"},
                      {"kernel_name", "invented"},
                      {"problem_size", {1024, 64}},
                      {"tune_params_keys", {"block_size_x", "block_size_y", "work", "shared"}},
                      {"cache", OrderedJson::object()}};
  for (const OrderedJson& entry : entries(scale)) file["cache"][std::to_string(file["cache"].size())] = entry;
  return file.dump();
}

std::string t4(double scale) {
  OrderedJson file = {{"metadata", {{"timeunit", "miliseconds"}}}, {"results", OrderedJson::array()}};
  for (OrderedJson entry : entries(scale)) {
    const OrderedJson time = entry["time"];
    entry.erase("time");
    file["results"].push_back({{"configuration", entry},
                               {"invalidity", time.is_string() ? "runtime" : "correct"},
                               {"measurements", {{{"name", "time"}, {"value", time}, {"unit", ""}}}}});
  }
  return file.dump();
}

/// How long the strategies took differs between calls.
std::string without_own_time(const std::string& text) {
  return std::regex_replace(text, std::regex(R"( +\d+\.\d{3}\n)"), " <ms>\n");
}

void expect_same_space(const replay::RecordedSpace& a, const replay::RecordedSpace& b) {
  ASSERT_EQ(a.space.parameters().size(), b.space.parameters().size());
  for (std::size_t p = 0; p < a.space.parameters().size(); ++p) {
    const search::Parameter& one = a.space.parameters()[p];
    const search::Parameter& other = b.space.parameters()[p];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.values, other.values);
    EXPECT_EQ(one.default_value, other.default_value);
    EXPECT_EQ(one.role, other.role);
  }
  ASSERT_EQ(a.space.size(), b.space.size());
  const replay::OutcomeTable first(a.space, a.evaluations), second(b.space, b.evaluations);
  for (search::ConfigurationId id = 0; id < a.space.size(); ++id) {
    EXPECT_EQ(a.space.at(id), b.space.at(id));
    EXPECT_EQ(first.at(id).recorded, second.at(id).recorded);
    ASSERT_EQ(first.at(id).cost.has_value(), second.at(id).cost.has_value());
    if (!first.at(id).cost) continue;
    EXPECT_NEAR(*first.at(id).cost, *second.at(id).cost, 1e-12 * *second.at(id).cost);
  }
}

std::vector<std::string> replay_of(const std::vector<std::string>& files,
                                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"replay", "--strategy", "grid", "--budget",
                                  "10,30",  "--repeats",  "5",    "--space"};
  all.insert(all.end(), files.begin(), files.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Replay, TextForPeople) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(replay_of(
      {written(sandbox, "one.kt.json", kernel_tuner(1)), written(sandbox, "two.kt.json", kernel_tuner(2))}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  expect_golden("cli/replay.txt", without_own_time(outcome.out));
  EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
}

TEST(Replay, JsonAndCsvForPrograms) {
  const Sandbox sandbox;
  const std::string json = (sandbox / "out.json").string(), csv = (sandbox / "out.csv").string();
  const auto files = std::vector<std::string>{written(sandbox, "one.kt.json", kernel_tuner(1)),
                                              written(sandbox, "two.kt.json", kernel_tuner(2))};
  ASSERT_EQ(sandbox.tune(replay_of(files, {"--json", json, "--csv", csv})).status, 0);
  const std::regex own(R"(("strategy_seconds": )[0-9.e-]+)");
  expect_golden("cli/replay.json", std::regex_replace(read_file(json), own, "$1\"<seconds>\""));
  expect_golden("cli/replay.csv",
                std::regex_replace(read_file(csv), std::regex(R"(,[0-9.e-]+,\n)"), ",<seconds>,\n"));
  const OrderedJson object = OrderedJson::parse(read_file(json));
  for (const OrderedJson& strategy : object["spaces"][0]["strategies"])
    EXPECT_EQ(strategy["strategy_seconds"].is_null(), strategy["strategy"] == "random (exact)");
}

TEST(Replay, SharesByTimeWhereTheFileHasTimes) {
  const Sandbox sandbox;
  OrderedJson file = OrderedJson::parse(kernel_tuner(1));
  for (auto& [key, entry] : file["cache"].items()) {
    entry["compile_time"] = 300;  // ms
    entry["benchmark_time"] = 100;
  }
  const std::string json = (sandbox / "out.json").string();
  const auto call = replay_of({written(sandbox, "timed.json", file.dump())}, {"--json", json});
  const ProgramResult outcome = sandbox.tune(call);
  EXPECT_NE(outcome.out.find("\n    by time       .826  .826\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n  by time (row) "), std::string::npos);
  const OrderedJson space = OrderedJson::parse(read_file(json))["spaces"][0];
  EXPECT_NEAR(space["seconds_an_evaluation"].get<double>(), 0.4, 1e-9);
  EXPECT_TRUE(space["strategies"][0]["by_time"].is_null()) << "computed, not simulated";
  // All take the same: nothing but another way to say the same.
  const OrderedJson& grid = space["strategies"][1];
  for (std::size_t b = 0; b < 2; ++b) EXPECT_EQ(grid["by_time"][b]["share"], grid["budgets"][b]["share"]);
}

/// What compiling and measuring took in a cache of Kernel Tuner.
std::string timed(OrderedJson file) {
  for (auto& [key, entry] : file["cache"].items()) {
    entry["compile_time"] = 300;  // ms
    entry["benchmark_time"] = entry["shared"] == true ? 700 : 100;
  }
  return file.dump();
}

TEST(Replay, SharesAfterSecondsOfRecordedTime) {
  const Sandbox sandbox;
  const std::string json = (sandbox / "out.json").string(), csv = (sandbox / "out.csv").string();
  const std::string file = written(sandbox, "timed.json", timed(OrderedJson::parse(kernel_tuner(1))));
  const auto call = replay_of({file}, {"--budget-time", "1min,0.2s,10s", "--json", json, "--csv", csv});
  const ProgramResult outcome = sandbox.tune(call);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  10    30    0.2s  10s   60s    to 5 % "), std::string::npos) << outcome.out;
  const OrderedJson strategies = OrderedJson::parse(read_file(json))["spaces"][0]["strategies"];
  EXPECT_TRUE(strategies[0]["at_times"].is_null()) << "computed, not simulated";
  const OrderedJson& shares = strategies[1]["at_times"];
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0]["share"], 0) << "nothing has ended by then";
  EXPECT_EQ(shares[1]["seconds"], 10);
  EXPECT_GT(shares[1]["share"].get<double>(), 0);
  EXPECT_EQ(shares[2]["share"], 1) << "96 evaluations of 0.4 and 1 s: all of them, whatever --budget says";
  EXPECT_NE(read_file(csv).find(",60\n"), std::string::npos);
  expect_refused(
      sandbox.tune(replay_of({written(sandbox, "untimed.json", kernel_tuner(1))}, {"--budget-time", "10s"})),
      1, {"untimed", "does not say how long"});
}

TEST(Replay, ARunWithCompilersStandsBesideOneAtATime) {
  const Sandbox sandbox;
  const std::string json = (sandbox / "out.json").string();
  const std::string file = written(sandbox, "timed.json", timed(OrderedJson::parse(kernel_tuner(1))));
  const ProgramResult outcome =
      sandbox.tune(replay_of({file}, {"--compilers", "4", "--budget-time", "3s", "--json", json}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\n  grid, 4 compilers  "), std::string::npos) << outcome.out;
  const OrderedJson object = OrderedJson::parse(read_file(json));
  EXPECT_EQ(object["compilers"], 4);
  const OrderedJson& strategies = object["spaces"][0]["strategies"];
  ASSERT_EQ(strategies.size(), 3U);
  EXPECT_EQ(strategies[2]["strategy"], "grid, 4 compilers");
  // The grid asks for the same in any case, and a run comes further in the same time.
  EXPECT_EQ(strategies[2]["budgets"], strategies[1]["budgets"]);
  EXPECT_GT(strategies[2]["at_times"][0]["share"], strategies[1]["at_times"][0]["share"]);
  expect_refused(sandbox.tune(replay_of({file}, {"--compilers", "4", "--in-flight", "2"})), 2,
                 {"--compilers: leave out"});
  expect_refused(sandbox.tune(replay_of({file}, {"--compilers", "100000"})), 2, {"--compilers", "10000"});
  expect_refused(
      sandbox.tune(replay_of({written(sandbox, "untimed.json", kernel_tuner(1))}, {"--compilers", "4"})), 1,
      {"untimed", "does not say how long"});
}

TEST(Replay, LeavesSmallSpacesOut) {
  const Sandbox sandbox;
  const std::string file = written(sandbox, "one.json", kernel_tuner(1));
  EXPECT_EQ(sandbox.tune(replay_of({file}, {"--at-least", "96"})).status, 0);
  expect_refused(sandbox.tune(replay_of({file}, {"--at-least", "97"})), 2, {"--at-least", "97"});
}

/// Calls the script that measures the tables of docs/results/search.md, and returns what it prints.
std::string figures(const Sandbox& sandbox, const std::string& arguments, bool works = true) {
  const std::string log = (sandbox / "log").string();
  const std::string command = std::string("python3 ") + TUNE_SOURCE_DIR + "/bench/search/figures.py " +
                              arguments + " --tune " + TUNE_PROGRAM + " >" + log + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()) == 0, works) << command << "\n" << read_file(log);
  return read_file(log);
}

TEST(Replay, TablesOfTheDocumentationAreCommands) {
  if (std::system("python3 -c 'import sys' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const Sandbox sandbox;
  const std::string one = written(sandbox, "one.json", timed(OrderedJson::parse(kernel_tuner(1)))),
                    two = written(sandbox, "two.json", timed(OrderedJson::parse(kernel_tuner(2))));
  // All names of strategies and of their options exist.
  const std::string commands = figures(sandbox, "--dry-run");
  const std::regex list("--strategy ([^ ]+) "), name("[^,]+");
  int tables = 0;
  for (std::sregex_iterator at(commands.begin(), commands.end(), list), end; at != end; ++at, ++tables) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator each(names.begin(), names.end(), name); each != end; ++each)
      EXPECT_NO_THROW(search::choose_strategy(each->str())) << each->str();
  }
  EXPECT_EQ(tables, 9);
  const std::string quick = " --repeats 1 --budget 8";
  EXPECT_NE(
      figures(sandbox, "own " + one + " --more='--at-least 90'" + quick).find("model minus random (exact):"),
      std::string::npos);
  EXPECT_TRUE(figures(sandbox, "gain", false).starts_with("figures.py: gain: name recorded spaces"));
  figures(sandbox, "warm " + one + " --from " + two + quick);
  EXPECT_NE(figures(sandbox, "gain " + one + quick).find("until 10%: 8 results (8 to 8), share "),
            std::string::npos);
}

TEST(Replay, ChoosesForAKernelByTheOthers) {
  const Sandbox sandbox;
  std::vector<std::string> files;
  for (const char* name : {"a1", "a2", "b1"}) {
    OrderedJson file = OrderedJson::parse(kernel_tuner(files.empty() ? 1 : 2));
    file["kernel_name"] = std::string(1, name[0]);
    files.push_back(written(sandbox, std::string(name) + ".json", file.dump()));
  }
  const std::string json = (sandbox / "out.json").string();
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--strategy", "grid,model:start=3,random", "--json", json});
    std::vector<std::string> call = {"replay", "--budget", "20", "--repeats", "3", "--space"};
    call.insert(call.end(), files.begin(), files.end());
    call.insert(call.end(), more.begin(), more.end());
    return sandbox.tune(call);
  };
  const ProgramResult outcome = with({"--choose-by", "kernel"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("kernel left out in turn: "), std::string::npos);
  EXPECT_NE(outcome.out.find("  a (2 spaces): "), std::string::npos) << outcome.out;
  const OrderedJson held = OrderedJson::parse(read_file(json))["held_out"];
  EXPECT_EQ(held["by"], "kernel");
  ASSERT_EQ(held["left_out"].size(), 2U);
  // What is chosen for b is the best over a1 and a2, and its figures are those on b1.
  const OrderedJson all = OrderedJson::parse(read_file(json))["spaces"];
  double max = 0;
  OrderedJson best;
  for (std::size_t s = 1; s <= 3; ++s) {
    const double mean = (all[0]["strategies"][s]["budgets"][0]["share"].get<double>() +
                         all[1]["strategies"][s]["budgets"][0]["share"].get<double>()) /
                        2;
    if (mean > max) best = all[2]["strategies"][s];
    max = std::max(max, mean);
  }
  EXPECT_EQ(held["left_out"][1]["chosen"], best);
  EXPECT_NEAR(held["left_out"][1]["share_of_the_others"].get<double>(), max, 1e-12);
  // By names of spaces instead.
  ASSERT_EQ(with({"--choose-by", "kernel", "--group", "one=a1", "two=a", "two=b"}).status, 0);
  EXPECT_EQ(OrderedJson::parse(read_file(json))["held_out"]["left_out"][1]["spaces"],
            (OrderedJson{"a2", "b1"}));
  expect_refused(with({"--choose-by", "kernel", "--group", "one=a", "one=b"}), 2,
                 {"all spaces belong to one kernel"});
  expect_refused(with({"--choose-by", "kernel", "--group", "one=c"}), 2, {"--group", "'c'"});
  expect_refused(with({"--choose-by", "colour"}), 2, {"--choose-by", "kernel"});
  expect_refused(with({"--only", "nothing"}), 2, {"--only", "'nothing'"});
  ASSERT_EQ(with({"--only", "a"}).status, 0);
  EXPECT_EQ(OrderedJson::parse(read_file(json))["spaces"].size(), 2U);
}

TEST(Replay, StrategiesWithOptionsAreNamedInFull) {
  const Sandbox sandbox;
  const std::string json = (sandbox / "out.json").string();
  const ProgramResult outcome = sandbox.tune(
      {"replay", "--space", written(sandbox, "one.json", kernel_tuner(1)), "--strategy",
       "model,auto:neighbours=never:start=8", "--repeats", "1", "--budget", "20", "--json", json});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson strategies = OrderedJson::parse(read_file(json))["spaces"][0]["strategies"];
  EXPECT_EQ(strategies[1]["strategy"], "model");
  EXPECT_EQ(strategies[2]["strategy"], "model:start=8:neighbours=never");
  const ProgramResult listed = sandbox.tune({"replay", "--options", "model"});
  EXPECT_EQ(listed.status, 0);
  EXPECT_TRUE(std::regex_search(listed.out, std::regex("(^|\n)start +5 +1 to 1000 +"))) << listed.out;
  // A run takes them too, and its record says so.
  const ProgramResult run =
      sandbox.tune({"run", "--device", "replay:" + written(sandbox, "one.json", kernel_tuner(1)),
                    "--strategy", "model:start=8", "--budget-evals", "20", "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(OrderedJson::parse(run.out)["strategy"], "model:start=8");
}

TEST(Replay, FormatsOfOneSpaceAreOneSpace) {
  const Sandbox sandbox;
  const auto one = cli::read_spaces(written(sandbox, "space.kt.json", kernel_tuner(1)));
  const auto other = cli::read_spaces(written(sandbox, "space.t4.json", t4(1)));
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(one[0].name, "space");
  EXPECT_EQ(one[0].name, other[0].name);  // and therefore the same seeds
  expect_same_space(one[0], other[0]);
}

TEST(Replay, WhatIsExportedReadsBackAsTheSameSpaces) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 90});
  add_recording(sandbox.database(), {.n = 512, .count = 40});
  add_recording(sandbox.database(), {.device = device_named("Invented B7"), .count = 25});
  add_recording(sandbox.database(), {.origin = Origin::replayed, .n = 128, .count = 25});  // nobody's times
  const auto all = cli::read_spaces(sandbox.database().string());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "stencil3d 64x64x64 radius=1,shape=star,type=float on Invented H2");
  EXPECT_EQ(all[0].space.size(), 90U);
  EXPECT_EQ(all[1].space.size(), 40U);
  EXPECT_EQ(all[2].device, "Invented B7");
  const bool has_roles = std::ranges::any_of(
      all[0].space.parameters(),
      [](const search::Parameter& parameter) { return parameter.role == search::Role::threads; });
  EXPECT_TRUE(has_roles);
  for (const bool samples : {true, false}) {
    const std::string file = (sandbox / (samples ? "all.db" : "medians.db")).string();
    std::vector<std::string> call = {"db", "export", "--out", file, "--db", sandbox.database().string()};
    if (!samples) call.push_back("--without-samples");
    ASSERT_EQ(sandbox.tune(call).status, 0);
    const auto again = cli::read_spaces(file);
    ASSERT_EQ(again.size(), 3U);
    for (std::size_t s = 0; s < again.size(); ++s) {
      EXPECT_EQ(again[s].name, all[s].name);
      expect_same_space(again[s], all[s]);
    }
  }
}

TEST(Replay, SpacesOfOneNameAreToldApart) {
  const Sandbox sandbox;
  const std::string file = written(sandbox, "a.json", kernel_tuner(1));
  const auto spaces = cli::read_spaces(std::vector<std::string>{file, file});
  ASSERT_EQ(spaces.size(), 2U);
  EXPECT_EQ(spaces[0].name, "a");
  EXPECT_EQ(spaces[1].name, "a (2)");
}

TEST(Replay, WarmRecordingsOfTheSameWorkAreLeftOut) {
  const Sandbox sandbox;
  const std::string one = written(sandbox, "one.json", kernel_tuner(1)),
                    copy = written(sandbox, "copy.t4.json", t4(1)),
                    two = written(sandbox, "two.json", kernel_tuner(2));
  const ProgramResult outcome = sandbox.tune(
      replay_of({one}, {"--warm", one, copy, two, "--warm-evaluations", "20", "--warm-strategy", "grid"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "one: one is not used for it: it is the same workload on the same device\n"
            "one: copy is not used for it: it is the same workload on the same device\n");
  EXPECT_NE(outcome.out.find(
                "Strategies began with the results of 20 evaluations by grid in each recording of --warm."),
            std::string::npos);
}

TEST(Replay, NotesOfAFileAreShown) {
  const Sandbox sandbox;
  std::string text = kernel_tuner(1);
  text.resize(text.size() - 2);
  const ProgramResult outcome = sandbox.tune(replay_of({written(sandbox, "cut.json", text)}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("note: it was cut off after 96 configurations, which count"), std::string::npos);
}

TEST(ThirdPartyRun, NeedsNoProblemAndIsStoredAsReplayed) {
  const Sandbox sandbox;
  const std::string file = written(sandbox, "one.kt.json", kernel_tuner(1));
  const std::vector<std::string> call = {"--device", "replay:" + file, "--strategy",
                                         "grid",     "--format",       "json"};
  const ProgramResult outcome = sandbox.tune(call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson run = OrderedJson::parse(outcome.out);
  EXPECT_EQ(run["problem"], "invented");
  EXPECT_EQ(run["size"], "1024x64");
  EXPECT_EQ(run["device"], "Invented A1");
  EXPECT_EQ(run["origin"], "replayed");
  EXPECT_EQ(run["evaluations"], 96);
  double best = 1;
  for (const OrderedJson& entry : entries(1))
    if (entry["time"].is_number()) best = std::min(best, 1e-3 * entry["time"].get<double>());
  EXPECT_DOUBLE_EQ(run["best"]["seconds"].get<double>(), best);
  // The same times are the same work, wherever the file lies: nothing is evaluated again.
  std::filesystem::rename(file, sandbox / "moved.json");
  const ProgramResult again = sandbox.tune({"run", "--device", "replay:" + (sandbox / "moved.json").string(),
                                            "--format", "json", "--budget-evals", "30"});
  EXPECT_EQ(OrderedJson::parse(again.out)["reused"], 30);
  const std::string runs = sandbox.tune({"list", "runs"}).out;
  EXPECT_NE(runs.find("Invented A1 (replayed)"), std::string::npos) << runs;
}

TEST(ThirdPartyRun, IsRestrictedLikeAnyOther) {
  const Sandbox sandbox;
  const std::string file = written(sandbox, "one.json", kernel_tuner(1));
  const ProgramResult outcome =
      sandbox.tune({"--device", "replay:" + file, "--where", "block_size_x * block_size_y <= 64", "--fix",
                    "shared=true", "--strategy", "grid", "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(OrderedJson::parse(outcome.out)["space_size"], 20);  // ten blocks, two values of work
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--device", "replay:" + file});
    return sandbox.tune(more);
  };
  expect_refused(with({"--fix", "shraed=true"}), 2, {"--fix", "did you mean 'shared'?"});
  expect_refused(with({"--where", "work == 3"}), 2, {"leave no configuration", file});
  expect_refused(with({"--where", "work / 0 == 3"}), 2, {"--where", "division"});
  expect_refused(with({"--size", "64x64"}), 2, {"--size", file});
  expect_refused(with({"--set", "radius=1"}), 2, {"--set", file});
  expect_refused(with({"--problem", "gemm"}), 2, {"the parameters differ", "only the recording has"});
  expect_refused(with({"--objective", "energy"}), 2, {file, "--objective"});
}

TEST(ThirdPartyRun, ACutOffFileIsSaid) {
  const Sandbox sandbox;
  std::string text = kernel_tuner(1);
  text.resize(text.size() - 2);
  const std::string file = written(sandbox, "cut.json", text);
  const ProgramResult outcome = sandbox.tune({"run", "--device", "replay:" + file, "--quiet"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, file + ": it was cut off after 96 configurations, which count\n");
  expect_refused(sandbox.tune({"run", "--device", "replay:/no/such.json"}), 2,
                 {"there is no file '/no/such.json'"});
}

TEST(Replay, FilesThatAreNoRecordingsAreRefused) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune(replay_of({"/no/such.json"})), 2, {"there is no file '/no/such.json'"});
  expect_refused(sandbox.tune(replay_of({sandbox.recording().parent_path().string()})), 2, {"is a folder"});
  const std::string bad = written(sandbox, "bad.json", "{\"cache\":\n?");
  expect_refused(sandbox.tune(replay_of({bad})), 2, {bad, "line 2"});
  const std::string start = written(sandbox, "start.db", read_file(sandbox.recording()).substr(0, 5000));
  expect_refused(sandbox.tune(replay_of({start})), 1, {start});
  const std::string good = written(sandbox, "good.json", kernel_tuner(1));
  expect_refused(sandbox.tune(replay_of({good}, {"--warm", bad})), 2, {bad});
  expect_refused(sandbox.tune(replay_of({good}, {"--json", "/no/such/out.json"})), 1,
                 {"--json", "/no/such/out.json", "folder"});
  expect_refused(sandbox.tune(replay_of({good}, {"--csv", "/no/such/out.csv"})), 1,
                 {"--csv", "/no/such/out.csv"});
}

}  // namespace
}  // namespace tune::testing
