// SPDX-License-Identifier: Apache-2.0
// What people are told of finals: in the summary of a run, and by what reads the database later.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/input/problem_selection.hpp"
#include "cli/run/run_summary.hpp"
#include "db/store/sqlite_store.hpp"
#include "reports/data/result.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

Configuration streaming(int unroll) {
  return {{"variant", "streaming"}, {"block_x", 32}, {"unroll", unroll}};
}

Evaluation measured_at(int unroll, double seconds) {
  Evaluation evaluation;
  evaluation.configuration = streaming(unroll);
  Measurement measurement;
  measurement.samples.assign(7, seconds);
  measurement.samples.front() *= 1.01;
  measurement.error = 1e-7;
  measurement.tolerance = 1e-6;
  measurement.stop = StopReason::precise;
  measurement.executions = 4;
  measurement.throttled = 1;
  measurement.machine = {1.755e9, 2.6e9, 55, 640, "power cap", ""};
  evaluation.outcome = measurement;
  evaluation.binary_hash = "code " + std::to_string(unroll);
  return evaluation;
}

RerankPlace rounds_at(int unroll, double seconds) {
  RerankPlace place;
  place.configuration = streaming(unroll);
  for (int round = 0; round < 8; ++round)
    place.rounds.push_back({seconds * (1 + 0.001 * (round * unroll % 5)), 0});
  return place;
}

RerankResult example_rerank() {
  RerankResult rerank;
  rerank.places =
      rank_top_k({rounds_at(1, 20e-6), rounds_at(2, 20.04e-6), rounds_at(4, 20.5e-6)}, Objective::time);
  return rerank;
}

RunRecord record() {
  RunRecord run;
  run.key.instance = invented_instance(64);
  run.key.device = device_named();
  run.key.toolchain = {"NVRTC 13.0 sm_90", "0123abcd"};
  run.options.strategy = "grid";
  run.options.seed = 1;
  run.space_size = 4;
  run.limit = 18e-6;
  run.items = 262144;
  run.flops = 2e6;
  run.bytes = 2e6;
  run.item = "cell update";
  return run;
}

SessionResult result() {
  SessionResult value;
  value.run = 3;
  value.end = RunEnd::exhausted;
  value.rerank = example_rerank();
  Progress& progress = value.progress;
  progress.evaluations = 30;
  progress.measured = 28;
  progress.failures = {{Phase::verify, 2}, {Phase::resources, 10}};
  progress.cannot_run = {{Phase::resources, 10}};
  progress.from_cache = 12;
  progress.same_code = 3;
  progress.best = measured_at(1, 19.8e-6);
  progress.seconds = 10;
  progress.rerank_seconds = 2;
  progress.phases = {20, 1, 2, 3, 0.5};
  progress.search_seconds = 0.1;
  progress.store_seconds = 0.2;
  return value;
}

TEST(RunSummaryText, NamesTheWinnerItsIntervalAndItsTies) {
  const RunRecord run = record();
  const SessionResult value = result();
  expect_golden("cli/run_finals.txt", cli::to_text({run, value, "Invented H2 (device 0)", "results.db"}));
}

TEST(RunSummaryText, SaysWhatSearchingGainedAndWhatComesNext) {
  const RunRecord run = record();
  SessionResult value = result();
  const std::string without = cli::to_text({run, value, "x", "y"});
  EXPECT_EQ(without.find("speed-up"), std::string::npos) << without;
  EXPECT_EQ(without.find("next  "), std::string::npos) << without;
  value.default_value = 2 * value.rerank.places.front().time.median;
  value.median_value = 3 * value.rerank.places.front().time.median;
  const std::string text = cli::to_text({run, value, "x", "y", nullptr, "--problem stencil3d", " --db r.db"});
  EXPECT_NE(text.find("speed-up    2x over the default configuration, 3x over the median"), std::string::npos)
      << text;
  EXPECT_NE(text.find("next        tune best --problem stencil3d --db r.db --format flags\n"
                      "            tune report --run 3 --db r.db --out report.html\n"
                      "            tune show 3 --db r.db\n"),
            std::string::npos)
      << text;
}

TEST(RunSummaryText, NamesTheBestByWhatDiffers) {
  const RunRecord run = record();
  SessionResult value = result();
  value.top = {{streaming(2), 19.7e-6}, {streaming(1), 19.8e-6}, {streaming(8), 21.78e-6}};
  const std::string text = cli::to_text({run, value, "x", "y"});
  EXPECT_NE(text.find("top         20.03 us  1x        the best; below, what differs from it\n"
                      "            20.08 us  1x (tie)  unroll=2\n"
                      "            20.54 us  1.03x     unroll=4\n"
                      "            21.78 us  1.1x      unroll=8\n"),
            std::string::npos)
      << text;
  const Json top = Json::parse(cli::to_json({run, value, "x", "y"}))["top"];
  ASSERT_EQ(top.size(), 4U);
  EXPECT_EQ(top[1]["tied"], true);
  EXPECT_NEAR(top[3]["ratio"].get<double>(), 1.1, 1e-9);
}

TEST(RunSummaryText, MultiplicationsAreCountedAsFlops) {
  RunRecord run = record();
  run.item = "multiply-add";
  run.flops = 2 * run.items;
  const SessionResult value = result();
  const std::string text = cli::to_text({run, value, "x", "y"});
  EXPECT_EQ(text.find("multiply-add"), std::string::npos) << text;
  EXPECT_NE(text.find("26.18 GFLOP/s"), std::string::npos) << text;
  const reports::Rate rate =
      reports::main_rate({run.limit, run.items, run.flops, 0, run.item}, run.key.device);
  EXPECT_EQ(reports::rate_text(rate, 20e-6), "26.21 GFLOP/s");
}

TEST(RunSummaryText, SaysHowMuchOfTheRecordedBestWasFound) {
  const RunRecord run = record();
  const SessionResult value = result();
  cli::FinishedRun summary{run, value, "x", "y"};
  EXPECT_EQ(cli::to_text(summary).find("recorded  "), std::string::npos);
  summary.recorded_best = 0.97 * value.rerank.places.front().time.median;
  EXPECT_NE(cli::to_text(summary).find("recorded    97 % of the best of the recording, 19.43 us\n"),
            std::string::npos)
      << cli::to_text(summary);
  EXPECT_NEAR(Json::parse(cli::to_json(summary))["share_of_recorded_best"].get<double>(), 0.97, 1e-9);
  summary.recorded_best = value.rerank.places.front().time.median;
  EXPECT_NE(cli::to_text(summary).find("recorded    the best of the recording was found\n"),
            std::string::npos);
}

TEST(WorkOptions, NameTheSameWorkInAnotherCommand) {
  cli::ProblemOptions options;
  options.stencil = "my heat.stencil";
  options.settings = {{"steps", 100}, {"type", "double"}};
  EXPECT_EQ(cli::work_options(options, CacheState::warm, Objective::time),
            "--stencil 'my heat.stencil' --set steps=100,type=double --cache warm");
  options = {.problem = "gemm", .size = "8x8x8", .stencil = {}, .settings = {}, .reference = {}};
  EXPECT_EQ(cli::work_options(options, CacheState::cold, Objective::energy),
            "--problem gemm --size 8x8x8 --objective energy");
}

TEST(RunSummaryText, WithoutTiesItSaysHowFarTheNextIs) {
  const RunRecord run = record();
  SessionResult value = result();
  value.rerank.places.erase(value.rerank.places.begin() + 1);
  const std::string text = cli::to_text({run, value, "x", "y"});
  EXPECT_NE(text.find("ties        none: the next of 2 candidates is slower by +2."), std::string::npos)
      << text;
}

TEST(RunSummaryText, SaysWhatKnownTimesAreMultipliedBy) {
  const RunRecord run = record();
  SessionResult value = result();
  EXPECT_EQ(cli::to_text({run, value, "x", "y"}).find("multiplied"), std::string::npos);
  value.progress.reused = 5;
  value.progress.known_scale = 1.0312;
  EXPECT_NE(cli::to_text({run, value, "x", "y"}).find("multiplied by 1.03"), std::string::npos);
  EXPECT_EQ(Json::parse(cli::to_json({run, value, "x", "y"}))["known_scale"], 1.0312);
}

TEST(RunSummaryText, SaysHowFarTheTwoOrdersAgree) {
  RunRecord run = record();
  SessionResult value = result();
  EXPECT_EQ(cli::to_text({run, value, "x", "y"}).find("in full"), std::string::npos);
  EXPECT_TRUE(Json::parse(cli::to_json({run, value, "x", "y"})).at("fidelity_agreement").is_null());
  run.key.instance.settings = {{"steps", 480}};
  run.low_fidelity = std::make_shared<RunRecord>(run);
  run.low_fidelity->key.instance.settings = {{"steps", 24}};
  value.fidelity = {17, 0.934};
  const std::string text = cli::to_text({run, value, "x", "y"});
  EXPECT_NE(text.find("17 were measured at steps=24 and in full: rank correlation 0.93\n"), std::string::npos)
      << text;
  const Json json = Json::parse(cli::to_json({run, value, "x", "y"}))["fidelity_agreement"];
  EXPECT_EQ(json, (Json{{"evaluations", 17}, {"rank_correlation", 0.934}}));
  value.fidelity = {2, std::nullopt};
  EXPECT_NE(cli::to_text({run, value, "x", "y"}).find("2 were measured at steps=24 and in full: too few"),
            std::string::npos);
}

TEST(RunSummaryText, HasTheNoticeOnce) {
  const RunRecord run = record();
  SessionResult value = result();
  EXPECT_EQ(cli::to_text({run, value, "x", "y"}).find("\nnote "), std::string::npos);
  EXPECT_EQ(Json::parse(cli::to_json({run, value, "x", "y"})).at("notice"), nullptr);
  value.notice = "rounding may change half";
  const std::string text = cli::to_text({run, value, "x", "y"});
  EXPECT_NE(text.find("\nnote        rounding may change half\n"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(cli::to_json({run, value, "x", "y"}))["notice"], value.notice);
}

TEST(RunSummaryText, AsJson) {
  const RunRecord run = record();
  const SessionResult value = result();
  const Json json = Json::parse(cli::to_json({run, value, "x", "y"}));
  EXPECT_EQ(json["finals"].size(), 3U);
  EXPECT_EQ(json["finals"][1]["tied"], true);
  EXPECT_EQ(json["finals"][2]["tied"], false);
  EXPECT_EQ(json["best"]["seconds"], json["finals"][0]["seconds"]);
  EXPECT_LE(json["best"]["low_seconds"], json["best"]["seconds"]);
  EXPECT_NEAR(json["best"]["confidence"].get<double>(), 0.99, 0.01);
  EXPECT_EQ(json["evaluations_per_second"], (30 + 10) / 8.0);  // finals come after the search
  EXPECT_EQ(json["device_busy"], 6 / 8.0);
  EXPECT_EQ(json["from_cache"], 12);
  EXPECT_EQ(json["phase_seconds"]["reference"], 0.5);
  EXPECT_EQ(json["phase_seconds"]["finals"], 2);
}

class StoredRerank : public ::testing::Test {
 protected:
  StoredRerank() {
    db::Database database(sandbox_.database());
    db::SqliteStore store(database, [] { return std::string("2026-01-31T12:00:00.000Z"); });
    const RunId run = store.begin_run(record());
    for (const int unroll : {1, 2, 4}) store.record(run, measured_at(unroll, (19.8 + 0.1 * unroll) * 1e-6));
    store.record_rerank(run, example_rerank());
    store.end_run(run, RunEnd::exhausted);
  }
  Sandbox sandbox_;
};

TEST_F(StoredRerank, AreShownWithTheirRun) {
  const ProgramResult outcome = sandbox_.tune({"show", "1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_golden("cli/show_finals.txt", sandbox_.steady(outcome.out));
  const Json json = Json::parse(sandbox_.tune({"show", "1", "--format", "json"}).out);
  EXPECT_EQ(json["finals"].size(), 3U);
  EXPECT_EQ(json["finals"][0]["round_seconds"].size(), 8U);
  EXPECT_EQ(json["winner"]["seconds"], json["finals"][0]["seconds"]);
}

TEST_F(StoredRerank, BestNamesWhatTies) {
  // Their sources are the present ones: they would come before what is stored here.
  sandbox_.remove_recordings();
  const std::vector<std::string> best = {"best",        "--problem", "stencil3d",
                                         "--size",      "64x64x64",  "--device",
                                         "Invented H2", "--db",      sandbox_.database().string()};
  const ProgramResult outcome = sandbox_.tune(best);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* words :
       {"with 99 % confidence, 8 rounds of re-ranking in", "ties        1 other configuration", "unroll=2"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  std::vector<std::string> as_json = best;
  as_json.insert(as_json.end(), {"--format", "json"});
  const Json json = Json::parse(sandbox_.tune(as_json).out);
  EXPECT_EQ(json["finals"]["ties"].size(), 1U);
  EXPECT_EQ(json["finals"]["run"], 1);
}

}  // namespace
}  // namespace tune::testing
