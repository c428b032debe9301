// SPDX-License-Identifier: Apache-2.0
// tune db export and import: what other programs write and read.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "db/read/queries.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Outcomes by configuration: a time, or the phase of a failure.
std::map<std::string, std::string> outcomes(const fs::path& database) {
  std::map<std::string, std::string> found;
  db::ResultFilter all;
  all.failures = true;
  for (const db::ResultRow& row : db::list_results(db::Database(database, db::OpenMode::read_only), all))
    found[row.configuration.key()] =
        row.time ? std::to_string(*row.time * 1e12) : std::string(to_string(row.failure->phase));
  return found;
}

/// Phases as T4 gives them back.
std::map<std::string, std::string> as_t4(std::map<std::string, std::string> found) {
  for (auto& [key, outcome] : found)
    if (outcome == "resources" || outcome == "crash") outcome = "launch";
  return found;
}

TEST(DbFormats, T4ThereAndBackIsTheSame) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 300, .sample = 11, .samples_each = 3});
  const std::string file = (sandbox / "out.t4.json.gz").string(), other = (sandbox / "other.db").string();
  const ProgramResult exported = done(sandbox, {"db", "export", "--out", file});
  EXPECT_TRUE(has(exported.out, "300 configurations")) << exported.out;
  EXPECT_TRUE(has(exported.err, "failures of phase crash are written as runtime")) << exported.err;
  EXPECT_TRUE(has(exported.err, "T4 has no driver")) << exported.err;
  const ProgramResult imported = done(sandbox, {"db", "import", file, "--db", other});
  EXPECT_TRUE(has(imported.out,
                  "T4 stencil3d 64x64x64 radius=1,shape=star,type=float on Invented H2: 300 evaluations"))
      << imported.out;
  EXPECT_EQ(outcomes(other), as_t4(outcomes(sandbox.database())));
  const std::string again = done(sandbox, {"db", "import", file, "--db", other}).out;
  EXPECT_TRUE(has(again, "0 evaluations added, 300 were there")) << again;
  EXPECT_TRUE(has(done(sandbox, {"db", "check", other}).out, "nothing is wrong"));
  // And once more from there, exactly.
  const std::string second = (sandbox / "second.t4.json").string(), third = (sandbox / "third.db").string();
  done(sandbox, {"db", "export", "--out", second, "--db", other});
  EXPECT_TRUE(has(done(sandbox, {"db", "import", second, "--db", other}).out, "0 evaluations added"));
  done(sandbox, {"db", "import", second, "--db", third});
  EXPECT_EQ(outcomes(third), outcomes(other));
}

TEST(DbFormats, EveryFormatIsReplayed) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 40});
  for (const char* ending : {".t4.json", ".kt.json", ".ktt.json", ".kt.json.gz"}) {
    SCOPED_TRACE(ending);
    const std::string file = (sandbox / (std::string("out") + ending)).string();
    const std::string database = (sandbox / (std::string("db") + ending + ".db")).string();
    done(sandbox, {"db", "export", "--out", file});
    done(sandbox, {"db", "import", file, "--db", database});
    EXPECT_EQ(outcomes(database).size(), 40U);
    done(sandbox, {"replay", "--space", database, "--strategy", "random", "--repeats", "2", "--budget", "5"});
  }
}

/// A cache of an unknown kernel, as Kernel Tuner writes it.
std::string cache(int more = 0) {
  std::string text =
      R"({"device_name": "NVIDIA A100", "kernel_name": "convolve", "problem_size": [4096, 512],
"tune_params_keys": ["block_size_x", "tile"], "tune_params": {"block_size_x": [16, 32], "tile": [1, 2]}, "objective": "time",
"cache": {
"16,1": {"block_size_x": 16, "tile": 1, "time": 2.0, "times": [1.5, 2.0, 2.5], "compile_time": 400, "timestamp": "2023-12-22 09:54:05.502007+00:00"},
"16,2": {"block_size_x": 16, "tile": 2, "time": "RuntimeFailedConfig", "timestamp": "2023-12-22 09:54:06.5+00:00"},
"32,1": {"block_size_x": 32, "tile": 1, "time": 3.0, "timestamp": "2023-12-22 09:54:07.5+00:00"})";
  if (more > 0)
    text +=
        R"(,
"32,2": {"block_size_x": 32, "tile": 2, "time": 1.0, "timestamp": "2023-12-22 09:54:08.5+00:00"})";
  return text + "}\n}";
}

TEST(DbFormats, AnImportedKernelIsListedReportedAndReplayed) {
  const Sandbox sandbox;
  const std::string file = written(sandbox, "cache.json", cache());
  const ProgramResult outcome = done(sandbox, {"db", "import", file});
  EXPECT_TRUE(has(outcome.err, "no driver, no compiler and no sources: stored as unknown")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "medians of the same samples")) << outcome.err;
  const std::string results = done(sandbox, {"list", "results", "--problem", "convolve"}).out;
  EXPECT_TRUE(has(results, "NVIDIA A100 (imported)")) << results;
  EXPECT_TRUE(has(done(sandbox, {"report"}).out, "imported: measured by another program"));
  EXPECT_TRUE(has(done(sandbox, {"show", "1"}).out, "2023-12-22"));
  const std::string database = sandbox.database().string();
  const ProgramResult run =
      done(sandbox, {"run", "--device", "replay:" + database, "--db", (sandbox / "new.db").string(),
                     "--strategy", "grid", "--quiet", "--format", "json"});
  EXPECT_EQ(Json::parse(run.out)["best"]["seconds"], 0.002);
  const ProgramResult named =
      done(sandbox, {"run", "--problem", "convolve", "--size", "4096x512", "--device", "replay:" + database,
                     "--db", (sandbox / "new.db").string(), "--quiet"});
  EXPECT_TRUE(has(named.out, "NVIDIA A100")) << named.out;
  expect_refused(
      sandbox.tune({"run", "--problem", "convolve", "--size", "1x1", "--device", "replay:" + database}), 2,
      {"--size"});
}

TEST(DbFormats, ACacheThatHasGrownAddsWhatIsNew) {
  const Sandbox sandbox;
  done(sandbox, {"db", "import", written(sandbox, "cache.json", cache())});
  const ProgramResult grown = done(sandbox, {"db", "import", written(sandbox, "grown.json", cache(1))});
  EXPECT_TRUE(has(grown.out, "1 evaluation added, 3 were there")) << grown.out;
  EXPECT_EQ(outcomes(sandbox.database()).size(), 4U);
}

TEST(DbFormats, ImportedAndMeasuredAreNeverRankedTogether) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  add_recording(sandbox.database(), {.count = 30});
  const std::vector<std::string> question = {"best", "stencil3d", "--size", "64x64x64", "--format", "flags"};
  const std::string answer = done(sandbox, question).out;
  std::string text = cache();
  text.replace(text.find("\"time\": 2.0"), 11, "\"time\": 0.0000001");
  done(sandbox, {"db", "import", written(sandbox, "cache.json", text), "--problem", "stencil3d", "--size",
                 "64x64x64", "--device", "Invented H2"});
  const ProgramResult again = done(sandbox, question);
  EXPECT_EQ(again.out, answer);
  EXPECT_EQ(lines_of(again.err).size(), 1U) << again.err;
  EXPECT_TRUE(has(again.err, "there are imported results of stencil3d: --imported answers with them"))
      << again.err;
}

/// Energies and other numbers of a cache, whose objective is the energy.
std::string cache_with_figures() {
  std::string text = cache();
  text.replace(text.find("\"objective\": \"time\""), 19, "\"objective\": \"energy\"");
  text.replace(text.find("\"time\": 2.0"), 11,
               R"("time": 2.0, "energy": 5.5, "GFLOP/s": 12.5, "nvml_temperature": 61)");
  text.replace(text.find("\"time\": 3.0"), 11, R"("time": 3.0, "energy": 4.5, "GFLOP/s": 8.25)");
  return text;
}

TEST(DbFormats, EnergiesAndMetricsAreKept) {
  const Sandbox sandbox;
  const ProgramResult imported =
      done(sandbox, {"db", "import", written(sandbox, "e.json", cache_with_figures())});
  EXPECT_TRUE(has(imported.err, "its objective is energy: 'tune best --objective energy' ranks by it"))
      << imported.err;
  const fs::path database = sandbox.database();
  EXPECT_EQ(number(database,
                   "SELECT COUNT(*) FROM evaluations WHERE energy = 5.5 AND time = 2e-3 AND metrics ="
                   " '{\"GFLOP/s\":12.5,\"nvml_temperature\":61.0}'"),
            1);
  EXPECT_EQ(number(database, "SELECT COUNT(*) FROM runs WHERE objective = 'energy'"), 1);
  EXPECT_EQ(number(database, "SELECT COUNT(*) FROM results WHERE metrics ->> 'GFLOP/s' > 8"), 2);
  const std::vector<std::string> best = {"best", "convolve", "--imported", "--format", "json"};
  EXPECT_EQ(Json::parse(done(sandbox, best).out)["metrics"]["GFLOP/s"], 12.5);
  std::vector<std::string> by_energy = best;
  by_energy.insert(by_energy.end(), {"--objective", "energy"});
  EXPECT_EQ(Json::parse(done(sandbox, by_energy).out)["value"], 4.5);
  const std::string text = done(sandbox, {"best", "convolve", "--imported"}).out;
  EXPECT_TRUE(has(text, ", 5.5 J") && has(text, "GFLOP/s 12.5")) << text;
  // And there and back, by way of both formats that have them.
  for (const char* ending : {".kt.json", ".t4.json"}) {
    SCOPED_TRACE(ending);
    const std::string file = (sandbox / (std::string("x") + ending)).string(), other = file + ".db";
    done(sandbox, {"db", "export", "--out", file});
    done(sandbox, {"db", "import", file, "--db", other});
    EXPECT_EQ(number(other,
                     "SELECT COUNT(*) FROM evaluations WHERE energy = 5.5 AND metrics ="
                     " '{\"GFLOP/s\":12.5,\"nvml_temperature\":61.0}'"),
              1);
    done(sandbox, {"db", "check", other});
  }
  EXPECT_TRUE(has(done(sandbox, {"db", "export", "--out", (sandbox / "x.ktt.json").string()}).err,
                  "energies and metrics are left out"));
}

TEST(DbFormats, ImportsOfOlderProgramsGetTheirEnergies) {
  const Sandbox sandbox;
  const std::string file = written(sandbox, "e.json", cache_with_figures());
  done(sandbox, {"db", "import", file});
  {
    db::Database database(sandbox.database());
    database.write([](SQLite::Database& connection) {
      connection.exec("UPDATE evaluations SET energy = NULL, metrics = NULL");
    });
  }
  EXPECT_TRUE(has(done(sandbox, {"db", "import", file}).out, "0 evaluations added, 3 were"));
  EXPECT_EQ(number(sandbox.database(),
                   "SELECT COUNT(*) FROM evaluations WHERE energy IS NOT NULL"
                   " AND metrics IS NOT NULL"),
            2);
}

TEST(DbFormats, AnObjectiveThatIsNoTimeIsTold) {
  const Sandbox sandbox;
  const auto file = [&](const std::string& measurements) {
    return written(
        sandbox, "o.t4.json",
        R"({"metadata": {"timeunit": "ms", "kernel_name": "k"}, "results": [{"configuration": {"a": 1},
 "invalidity": "correct", "objectives": ["GFLOP/s"], "measurements": [)" +
            measurements + "]}]}");
  };
  const std::string speed = R"({"name": "GFLOP/s", "value": 812.5, "unit": "GFLOP/s"})";
  expect_refused(sandbox.tune({"db", "import", file(speed)}), 2,
                 {"entry 1", "none of its measurements is a time", "'GFLOP/s'"});
  const ProgramResult told =
      done(sandbox, {"db", "import", file(speed + R"(, {"name": "time", "value": 2, "unit": "ms"},
 {"name": "power", "value": 300, "unit": "W"}, {"name": "energy", "value": 600, "unit": "mJ"})")});
  EXPECT_TRUE(has(told.err, "its objective is GFLOP/s: kept as a metric; results are ranked by their times"))
      << told.err;
  EXPECT_EQ(number(sandbox.database(),
                   "SELECT COUNT(*) FROM evaluations WHERE time = 2e-3 AND abs(energy - 0.6) < 1e-9 AND"
                   " metrics ->> 'GFLOP/s' = 812.5 AND metrics ->> 'power (W)' = 300"),
            1);
  const std::string out = (sandbox / "again.t4.json").string();
  done(sandbox, {"db", "export", "--out", out});
  const Json again = Json::parse(read_file(out))["results"][0]["measurements"];
  EXPECT_EQ(again[2], Json({{"name", "GFLOP/s"}, {"value", 812.5}})) << again;
  EXPECT_EQ(again[3], Json({{"name", "power"}, {"value", 300.0}, {"unit", "W"}})) << again;
}

TEST(DbFormats, WhatIsMissingIsAskedForAndCanBeGiven) {
  const Sandbox sandbox;
  const std::string file = written(
      sandbox, "gemm.t4.json",
      R"({"metadata": {"timeunit": "miliseconds"}, "results": [{"configuration": {"a": 1, "b": "x"}, "invalidity": "correct",
 "measurements": [{"name": "time", "value": 1.5, "unit": ""}]}, {"configuration": {"a": 2}, "invalidity": "compile"}]})");
  const ProgramResult without = done(sandbox, {"db", "import", file});
  for (const char* words : {"names no device", "names no kernel", "has no size", "no times of day"})
    EXPECT_TRUE(has(without.err, words)) << without.err;
  EXPECT_TRUE(has(without.out, "T4 gemm on unknown device")) << without.out;
  const ProgramResult with =
      done(sandbox, {"db", "import", file, "--problem", "gemm", "--size", "64x32", "--device", "NVIDIA A100",
                     "--db", (sandbox / "with.db").string()});
  EXPECT_TRUE(has(with.out, "T4 gemm 64x32 on NVIDIA A100: 2 evaluations")) << with.out;
  EXPECT_FALSE(has(with.err, "names no")) << with.err;
  done(sandbox, {"db", "check", (sandbox / "with.db").string()});
  done(sandbox, {"list", "runs", "--db", (sandbox / "with.db").string()});
  done(sandbox, {"replay", "--space", (sandbox / "with.db").string(), "--strategy", "random", "--repeats",
                 "2", "--budget", "2"});
}

TEST(DbFormats, NamesCannotSteerATerminal) {
  const Sandbox sandbox;
  std::string text = cache();
  text.replace(text.find("convolve"), 8, "con\\u001b[31mvolve\\n");
  text.replace(text.find("RuntimeFailedConfig"), 19, "odd\\u0007" + std::string(5000, 'x'));
  const ProgramResult outcome = done(sandbox, {"db", "import", written(sandbox, "odd.json", text)});
  const std::string shown = outcome.out + outcome.err + done(sandbox, {"list", "results"}).out +
                            done(sandbox, {"show", "1"}).out + done(sandbox, {"db", "info"}).out;
  for (const char control : {'\x1b', '\x07'}) EXPECT_EQ(shown.find(control), std::string::npos);
  EXPECT_EQ(shown.find(std::string(300, 'x')), std::string::npos);
  const std::string named = done(sandbox, {"db", "import", written(sandbox, "plain.json", cache()),
                                           "--problem", "a\nb\x1b[31mc", "--device", "x\x1by"})
                                .out;
  EXPECT_TRUE(has(named, "a_b_[31mc 4096x512 on x_y")) << named;
}

TEST(DbFormats, NothingIsStoredOfFilesOfWhichOneIsBad) {
  const Sandbox sandbox;
  const std::string good = written(sandbox, "good.json", cache()),
                    bad = written(sandbox, "bad.json", "{\n\n? : 1,\n}");
  expect_refused(sandbox.tune({"db", "import", good, bad}), 2, {"bad.json: line 3", "not JSON"});
  expect_refused(sandbox.tune({"db", "import", "/no/such.json"}), 2, {"/no/such.json"});
  expect_refused(sandbox.tune({"db", "import", written(sandbox, "empty.json", "")}), 2, {"empty"});
  expect_refused(sandbox.tune({"db", "import", good, "--size", "64by64"}), 2, {"--size", "'64by64'"});
  expect_refused(sandbox.tune({"db", "import",
                               written(sandbox, "none.json", R"({"results": [{"configuration": {}}]})")}),
                 1, {"no parameters"});
  expect_refused(sandbox.tune({"db", "import", written(sandbox, "five.json", R"({"results": 5})")}), 2,
                 {"'results' is 5, not a list"});
  expect_refused(sandbox.tune({"db", "import", sandbox.recording().string()}), 2, {"tune db merge"});
  EXPECT_FALSE(fs::exists(sandbox.database()));
}

TEST(DbFormats, ASizeThatIsNoneIsNotStored) {
  const Sandbox sandbox;
  const std::string good = written(sandbox, "good.json", cache());
  for (const char* size : {"0", "3x-1", "99999999999999999", "99999999x99999999x99999999", "64x"})
    expect_refused(sandbox.tune({"db", "import", good, "--size", size}), 2, {"--size", size});
  EXPECT_FALSE(fs::exists(sandbox.database()));
  std::string text = cache();
  text.replace(text.find("[4096, 512]"), 11, "\"0x-5\"");
  const ProgramResult odd = done(sandbox, {"db", "import", written(sandbox, "odd.json", text)});
  EXPECT_TRUE(has(odd.err, "'0x-5' is not a size: stored without")) << odd.err;
  EXPECT_TRUE(has(odd.out, "Kernel Tuner convolve on NVIDIA A100")) << odd.out;
  done(sandbox, {"db", "check"});
}

TEST(DbFormats, SettingsCanBeSaidAndMergedFilesAreTold) {
  const Sandbox sandbox;
  std::string other = cache();
  other.replace(other.find("\"time\": 3.0"), 11, "\"time\": 4.0");
  const std::string a = written(sandbox, "a.json", cache()), b = written(sandbox, "b.json", other);
  const ProgramResult merged = done(sandbox, {"db", "import", a, b});
  EXPECT_TRUE(has(
      merged.err,
      "2 files become one workload, convolve 4096x512 on NVIDIA A100: newer results of the same configuration replace 1 of their 4 results"))
      << merged.err;
  EXPECT_TRUE(has(merged.err, "--set NAME=VALUE")) << merged.err;
  EXPECT_TRUE(has(done(sandbox, {"db", "import", a, a}).err, "no result replaces another"));
  const std::string apart = (sandbox / "apart.db").string();
  const ProgramResult first =
      done(sandbox, {"db", "import", a, "--set", "radius=1,type=float", "--db", apart});
  EXPECT_TRUE(has(first.out, "convolve 4096x512 radius=1,type=float on")) << first.out;
  EXPECT_FALSE(has(first.err, "become one workload")) << first.err;
  const ProgramResult second = done(sandbox, {"db", "import", b, "--set", "radius=2", "--db", apart});
  EXPECT_TRUE(has(second.out, "3 evaluations added, 0 were there")) << second.out;
  expect_refused(sandbox.tune({"db", "import", a, "--set", "radius"}), 2, {"--set", "name=value"});
}

TEST(DbFormats, ATimeBelowAPicosecondIsNone) {
  const Sandbox sandbox;
  std::string text = cache();
  text.replace(text.find("\"time\": 3.0"), 11, "\"time\": 1e-310");
  done(sandbox, {"db", "import", written(sandbox, "tiny.json", text)});
  EXPECT_EQ(outcomes(sandbox.database()).at("block_size_x=32,tile=1"), "launch");
}

TEST(DbFormats, ImportedResultsOfAProblemOfThisProgramAreSearched) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 30});
  const std::string file = (sandbox / "x.t4.json").string(), database = (sandbox / "i.db").string();
  done(sandbox, {"db", "export", "--out", file});
  done(sandbox, {"db", "import", file, "--db", database});
  std::vector<std::string> call = {
      "run",      "--device", "replay:" + database, "--db", (sandbox / "new.db").string(), "--quiet",
      "--format", "json"};
  const Json unnamed = Json::parse(done(sandbox, call).out);
  EXPECT_EQ(unnamed["problem"], "stencil3d");
  EXPECT_EQ(unnamed["space_size"], 30);
  call.insert(call.end(), {"--problem", "stencil3d", "--size", "64x64x64"});
  EXPECT_EQ(Json::parse(done(sandbox, call).out)["space_size"], 30);
  done(sandbox, {"list", "results", "--db", (sandbox / "new.db").string()});
  done(sandbox, {"report", "--db", (sandbox / "new.db").string()});
  done(sandbox, {"db", "import", written(sandbox, "two.json", cache()), "--db", database});
  const ProgramResult several = sandbox.tune({"run", "--device", "replay:" + database});
  expect_refused(several, 2, {"several recordings", "stencil3d", "convolve"});
  EXPECT_FALSE(has(several.err, "...")) << several.err;
  // What this program measured itself comes first.
  done(sandbox, {"db", "import", file});
  call[2] = "replay:" + sandbox.database().string();
  const ProgramResult measured = done(sandbox, call);
  EXPECT_FALSE(has(measured.err, "another program's")) << measured.err;
}

TEST(DbFormats, ExportOfSeveralWorksNeedsAFolder) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20});
  add_recording(sandbox.database(), {.n = 128, .count = 10});
  add_recording(sandbox.database(), {.origin = Origin::replayed, .n = 256, .count = 10});
  const std::string file = (sandbox / "x.t4.json").string();
  expect_refused(sandbox.tune({"db", "export", "--out", file}), 2,
                 {"2 workloads match", "--size", "64x64x64"});
  EXPECT_TRUE(
      has(done(sandbox, {"db", "export", "--out", file, "--size", "128x128x128"}).out, "10 configurations"));
  expect_refused(sandbox.tune({"db", "export", "--out", file, "--size", "64x64x64"}), 2,
                 {"x.t4.json exists"});
  expect_refused(
      sandbox.tune({"db", "export", "--out", (sandbox / "y.t4.json").string(), "--size", "256x256x256"}), 3,
      {"replayed results are not exported"});
  fs::create_directory(sandbox / "all");
  done(sandbox, {"db", "export", "--out", (sandbox / "all").string(), "--format", "kernel-tuner", "--best"});
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(sandbox / "all")) {
    ++files;
    EXPECT_EQ(Json::parse(read_file(entry.path()))["cache"].size(), 1U);
  }
  EXPECT_EQ(files, 2U);
  expect_refused(sandbox.tune({"db", "export", "--out", file, "--format", "t5"}), 2, {"--format", "t4"});
  expect_refused(sandbox.tune({"db", "export", "--out", file, "--best", "--all"}), 2, {"choose one"});
}

/// Six results of another tuner: what does the most work in a second is not the fastest.
class MetricObjective : public ::testing::Test {
 protected:
  MetricObjective() {
    std::ofstream(sandbox_ / "k.cu") << "extern \"C\" __global__ void k(float* out, int n) {}  // BLOCK\n";
    nlohmann::ordered_json cache = {{"device_name", "X"},
                                    {"kernel_name", "padded"},
                                    {"problem_size", "1000"},
                                    {"tune_params_keys", {"BLOCK", "PAD"}},
                                    {"tune_params", {{"BLOCK", {32, 64}}, {"PAD", {0, 500, 1000}}}}};
    const double times[] = {1.0, 1.3, 1.5, 0.9, 1.1, 1.2};  // ms
    for (int i = 0; i < 6; ++i)
      cache["cache"][std::to_string(i)] = {{"BLOCK", i < 3 ? 32 : 64},
                                           {"PAD", 500 * (i % 3)},
                                           {"time", times[i]},
                                           {"GFLOP/s", i == 1 ? 99 : i}};
    std::ofstream(sandbox_ / "cache.json") << cache;
    done(sandbox_, {"db", "import", file("cache.json"), "--db", file("theirs.db")});
  }

  std::string file(const std::string& name) const { return (sandbox_ / name).string(); }
  std::string definition(const std::string& objective = "") const {
    std::ofstream(sandbox_ / "k.json") << R"json({"problem": "padded", "kernel": "k.cu", "sizes": {"n": 1000},
      "parameters": {"BLOCK": [32, 64], "PAD": [0, 500, 1000]},
      "arguments": {"out": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"}},
      "launches": {"entry": "k", "grid": 4, "block": "BLOCK + 0 * PAD"}, "reference": "none",
      "metrics": {"rate": "(n + PAD) / time", "joules": "energy * 2"})json"
                                       << objective << "}";
    return file("k.json");
  }
  Json best(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"best", "--imported", "--format", "json", "--db", file("theirs.db")});
    return Json::parse(done(sandbox_, arguments).out);
  }
  Json run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"run", "--format", "json", "--quiet", "--device", "replay:" + file("theirs.db")});
    return Json::parse(done(sandbox_, arguments).out);
  }

  Sandbox sandbox_;
};

TEST_F(MetricObjective, RanksARunAndItsAnswers) {
  const std::string problem = definition();
  EXPECT_EQ(run({"--problem", problem})["best"]["configuration"]["PAD"], 0);
  const Json rated = run({"--problem", problem, "--objective", "max:rate"});
  EXPECT_EQ(rated["best"]["configuration"], (Json{{"BLOCK", 64}, {"PAD", 1000}}));
  EXPECT_EQ(rated["objective"], "max:rate");
  EXPECT_EQ(best({"--problem", problem})["configuration"]["PAD"], 0);
  EXPECT_EQ(best({"--problem", problem, "--objective", "max:rate"})["configuration"]["PAD"], 1000);
  EXPECT_EQ(best({"--problem", problem, "--objective", "min:rate"})["configuration"]["BLOCK"], 32);
  const std::string shown = done(sandbox_, {"show", "2"}).out;
  EXPECT_TRUE(has(shown, "objective   max:rate")) << shown;
}

TEST_F(MetricObjective, OfTheDefinitionIsTheDefault) {
  const std::string problem = definition(R"(, "objective": "max:rate")");
  EXPECT_EQ(run({"--problem", problem})["objective"], "max:rate");
  EXPECT_EQ(run({"--problem", problem, "--objective", "time"})["objective"], "time");
  EXPECT_EQ(best({"--problem", problem})["configuration"]["PAD"], 1000);
  EXPECT_EQ(best({"--problem", problem, "--objective", "time"})["configuration"]["PAD"], 0);
}

TEST_F(MetricObjective, OfImportedResultsIsTheFigureBesideTheTime) {
  const Json found = best({"--problem", "padded", "--objective", "max:GFLOP/s"});
  EXPECT_EQ(found["configuration"], (Json{{"BLOCK", 32}, {"PAD", 500}}));
  EXPECT_DOUBLE_EQ(found["value"], 99) << "not the inverse, which is minimised";
  const std::string text = done(sandbox_, {"best", "--imported", "--db", file("theirs.db"), "--problem",
                                           "padded", "--objective", "max:GFLOP/s"})
                               .out;
  EXPECT_TRUE(has(text, "GFLOP/s 99: the largest stored value")) << text;
}

TEST_F(MetricObjective, ThatIsNotThereIsRefusedInOneLine) {
  const std::string problem = definition();
  const auto expect = [&](const std::vector<std::string>& arguments, const std::string& words) {
    std::vector<std::string> all = {"run", "--device", "replay:" + file("theirs.db"), "--problem"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = sandbox_.tune(all);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_TRUE(has(result.err, words)) << result.err;
  };
  expect({problem, "--objective", "max:speed"}, "the metrics of padded are 'rate', 'joules'");
  expect({problem, "--objective", "fast"},
         "'fast' is not time, energy, edp, min:METRIC, max:METRIC or pareto:A,B");
  expect({problem, "--objective", "min:joules"}, "the recording has no joules");
  expect({"stencil3d", "--objective", "max:rate"}, "stencil3d has no metrics");
  expect({definition(R"(, "objective": "max:speed")")}, "'metrics' has no 'speed'");
}

}  // namespace
}  // namespace tune::testing
