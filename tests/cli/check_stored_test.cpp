// SPDX-License-Identifier: Apache-2.0
// Stored winners measured again: what counts as a regression, and what continuous integration is told.
#include "cli/check/check_stored.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <numbers>
#include <thread>

#include "cli/output/output_file.hpp"
#include "db/store/sqlite_store.hpp"
#include "library/run/stored_winners.hpp"
#include "search/random.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;
using tune::testing::FakeBackend;
using tune::testing::toy_instance;
using tune::testing::ToyProblem;
using tune::testing::ToySources;

constexpr auto never = [] { return false; };

Configuration toy(int block, int items, const std::string& kind = "plain") {
  return {{"kind", kind}, {"block", block}, {"items", items}};
}

/// What the fake backend's kernel takes at 1000 elements; its default is block 128, items 1.
double true_time(int block, int items) {
  return 1e-6 * 1024 / (block * items);
}

/// Stored results of the toy problem, and a fake device.
class CheckStored : public ::testing::Test {
 protected:
  void record(const Configuration& configuration, double seconds, double power_limit = 0) {
    RunRecord run;
    run.key = {toy_instance(1000), backend_.properties(), {"fake 1 sm_90", "sources"}};
    run.key.device.power_limit = power_limit;
    run_ = store_.begin_run(run);
    Evaluation evaluation;
    evaluation.configuration = configuration;
    Measurement measurement;
    measurement.samples = {seconds};
    measurement.error = 0;
    measurement.tolerance = 1e-6;
    evaluation.outcome = measurement;
    store_.record(run_, evaluation);
  }
  RecheckVerdict check(const RecheckLimits& limits = {},
                       std::shared_ptr<Problem> problem = std::make_shared<ToyProblem>(),
                       const std::function<bool()>& stop = never) {
    db::BestQuery query;
    query.problem = "toy";
    query.device = db::lookup_device(backend_.properties());
    auto found = db::best(database_, query);
    EXPECT_EQ(found.size(), 1U);
    const run::StoredWorkload workload = {std::move(problem), toy_instance(1000), found.at(0)};
    return run::check_stored_workload(workload, database_, backend_, sources_, limits, stop).verdict;
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
  FakeBackend backend_;
  ToyProblem problem_;
  ToySources sources_;
  RunId run_ = 0;  ///< the last one
};

TEST_F(CheckStored, WhatIsAsFastAsRecordedIsFine) {
  record(toy(256, 4), true_time(256, 4));
  record(toy(128, 1), true_time(128, 1));
  const RecheckVerdict verdict = check();
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::ok) << verdict.text;
  EXPECT_FALSE(verdict.bad());
  EXPECT_NEAR(verdict.seconds.median, true_time(256, 4), 0.02 * true_time(256, 4));
  ASSERT_TRUE(verdict.gain.has_value());
  EXPECT_NEAR(verdict.gain->median, 8, 1e-9);
  EXPECT_NEAR(verdict.stored_gain.value(), 8, 1e-9);
  EXPECT_THAT(verdict.text, HasSubstr("8 times as fast as the default, recorded 8"));
}

TEST_F(CheckStored, BothAreMeasuredInTurns) {
  record(toy(256, 4), true_time(256, 4));
  check();
  std::vector<std::string> prepared;
  for (const std::string& call : backend_.runner().calls)
    if (call == "measure 1000") prepared.push_back(call);
  EXPECT_GE(prepared.size(), 18U);  // nine rounds of two
}

TEST_F(CheckStored, AGainThatShrankIsARegressionWhateverTheClocks) {
  // Recorded ten times as fast as the default; it is eight times now, although both are faster than recorded.
  record(toy(256, 4), 2e-6);
  record(toy(128, 1), 20e-6);
  const RecheckVerdict verdict = check();
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::lost);
  EXPECT_TRUE(verdict.bad());
  EXPECT_THAT(verdict.text, HasSubstr("recorded 10"));
  EXPECT_EQ(check({.threshold = 0.3}).kind, RecheckVerdict::Kind::ok);
}

TEST_F(CheckStored, AGainIsOfOneBoard) {
  record(toy(256, 4), true_time(256, 4), 700);
  record(toy(128, 1), 9 * true_time(128, 1), 350);
  const RecheckVerdict verdict = check();
  EXPECT_FALSE(verdict.stored_gain.has_value());
  EXPECT_FALSE(verdict.bad()) << verdict.text;
}

// The median of a few samples that won a search is too small by chance; the re-ranking has no such error.
TEST_F(CheckStored, TheTimeOfTheRerankingIsTheRecordedOne) {
  record(toy(256, 4), 0.9 * true_time(256, 4));
  ASSERT_EQ(check().kind, RecheckVerdict::Kind::lost);
  RerankResult rerank;
  rerank.places.push_back({});
  rerank.places[0].configuration = toy(256, 4);
  rerank.places[0].rounds.assign(9, {true_time(256, 4), 0});
  rerank.places = rank_top_k(std::move(rerank.places), rerank.objective);
  store_.record_rerank(run_, rerank);
  const RecheckVerdict verdict = check();
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::ok) << verdict.text;
}

TEST_F(CheckStored, ASlowerMachineAloneIsNone) {
  record(toy(256, 4), 0.5 * true_time(256, 4));
  record(toy(128, 1), 0.5 * true_time(128, 1));
  EXPECT_EQ(check().kind, RecheckVerdict::Kind::ok);
  const RecheckVerdict absolute = check({.threshold = 0.03, .absolute = true});
  EXPECT_EQ(absolute.kind, RecheckVerdict::Kind::lost);
  EXPECT_THAT(absolute.text, HasSubstr("recorded 500 ns"));
}

TEST_F(CheckStored, WithoutARecordOfTheDefaultTheTimeCounts) {
  record(toy(256, 4), 0.9 * true_time(256, 4));
  EXPECT_EQ(check().kind, RecheckVerdict::Kind::lost);
  EXPECT_EQ(check({.threshold = 0.15}).kind, RecheckVerdict::Kind::ok);
}

TEST_F(CheckStored, ADefaultThatIsFasterIsARegression) {
  record(toy(32, 1), true_time(32, 1));
  const RecheckVerdict verdict = check();
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::beaten);
  EXPECT_THAT(verdict.text, HasSubstr("the default configuration is faster"));
}

TEST_F(CheckStored, TheDefaultItselfIsComparedWithItsTime) {
  record(toy(128, 1), true_time(128, 1));
  const RecheckVerdict verdict = check();
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::ok);
  EXPECT_FALSE(verdict.gain.has_value());
}

TEST_F(CheckStored, WhatIsWrongOrCannotRunFails) {
  for (const char* kind : {"wrong", "overrun", "faulting", "too_big", "broken_compile"}) {
    DeviceEvaluator evaluator(problem_, toy_instance(1000), backend_, sources_);
    const StoredWinner stored = {toy(256, 4, kind), 1e-6, toy(128, 1), 8e-6};
    const RecheckVerdict verdict = judge(stored, measure_again(stored, evaluator, never), {});
    EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::failed) << kind;
    EXPECT_TRUE(verdict.bad());
  }
}

TEST_F(CheckStored, WhatIsNotValidAnyMoreFails) {
  record({{"kind", "plain"}, {"block", 96}, {"items", 4}}, 1e-6);
  const RecheckVerdict verdict = check();
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::failed);
  EXPECT_THAT(verdict.text, HasSubstr("not valid any more"));
}

TEST_F(CheckStored, ADefaultThatCannotRunLeavesTheTime) {
  const StoredWinner stored = {toy(256, 4), true_time(256, 4), toy(128, 1, "wrong"), 8e-6};
  DeviceEvaluator evaluator(problem_, toy_instance(1000), backend_, sources_);
  const RecheckVerdict verdict = judge(stored, measure_again(stored, evaluator, never), {});
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::ok);
  EXPECT_FALSE(verdict.gain.has_value());
}

TEST_F(CheckStored, AnInterruptIsNoVerdict) {
  const StoredWinner stored = {toy(256, 4), 1e-9, toy(128, 1)};
  DeviceEvaluator evaluator(problem_, toy_instance(1000), backend_, sources_);
  int turns = 0;
  const auto stop = [&turns] { return ++turns > 3; };
  const RecheckVerdict verdict = judge(stored, measure_again(stored, evaluator, stop), {});
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::unknown);
  EXPECT_FALSE(verdict.bad());
}

/// The toy problem with a reference that takes ten seconds.
class SlowReference : public ToyProblem {
 public:
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    for (int i = 0; i < 10'000; ++i) {
      throw_if_stopped();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return ToyProblem::reference(instance, inputs);
  }
};

TEST_F(CheckStored, AnInterruptDoesNotWaitForAReference) {
  record(toy(256, 4), true_time(256, 4));
  const Stopwatch watch;
  const RecheckVerdict verdict =
      check({}, std::make_shared<SlowReference>(), [&watch] { return watch.seconds() > 0.05; });
  EXPECT_EQ(verdict.kind, RecheckVerdict::Kind::unknown);
  EXPECT_LT(watch.seconds(), 0.5);
}

/// Winner 1 s, default 2 s, times `slower` for the winner: with noise, outliers and a drift of both.
class NoisyDevice : public RerankDevice {
 public:
  NoisyDevice(double slower, std::uint64_t seed) : slower_(slower), random_(seed) {}
  void begin_rerank(std::span<const Configuration>) override {}
  Result<Timing> time_candidate(std::size_t index) override {
    drift_ += 0.001 * normal();
    Timing timing;
    for (int i = 0; i < 5; ++i) {
      const double outlier = random_.uniform() < 0.05 ? 1.2 : 1.0;
      timing.samples.push_back((index == 0 ? slower_ : 2) * (1 + drift_) * std::exp(0.01 * normal()) *
                               outlier);
    }
    return timing;
  }

 private:
  double normal() {
    return std::sqrt(-2 * std::log(1 - random_.uniform())) *
           std::cos(2 * std::numbers::pi * random_.uniform());
  }
  double slower_;
  search::Random random_;
  double drift_ = 0;
};

int alarms(double slower, double threshold) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    NoisyDevice device(slower, seed);
    const StoredWinner stored = {toy(256, 4), 1, toy(128, 1), 2};
    count += judge(stored, measure_again(stored, device, never), {threshold, false}).bad() ? 1 : 0;
  }
  return count;
}

TEST(CheckStoredStatistics, NoiseIsNoRegressionAndOneIsSeen) {
  EXPECT_EQ(alarms(1.0, 0.03), 0);
  EXPECT_LE(alarms(1.03, 0.03), 20);  // exactly at the threshold: the interval's 5 %, one-sided, and some
  EXPECT_GE(alarms(1.05, 0.03), 195);
}

TEST(Junit, IsXmlThatHoldsAnyText) {
  const std::string text =
      cli::junit_xml("s", {{"p", "a \"b\" <c> & d", 1.5, "line one\nline two\x01", std::nullopt},
                           {"p", "e", 0.25},
                           {"q", "f", 0, std::nullopt, "why"}});
  EXPECT_EQ(text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.750\">\n"
            "  <testsuite name=\"s\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.750\">\n"
            "    <testcase classname=\"p\" name=\"a &quot;b&quot; &lt;c&gt; &amp; d\" time=\"1.500\">\n"
            "      <failure message=\"line one&#10;line two \"/>\n    </testcase>\n"
            "    <testcase classname=\"p\" name=\"e\" time=\"0.250\"/>\n"
            "    <testcase classname=\"q\" name=\"f\" time=\"0.000\">\n"
            "      <skipped message=\"why\"/>\n    </testcase>\n"
            "  </testsuite>\n</testsuites>\n");
}

TEST(Junit, AFileIsWrittenWholeOrNotAtAll) {
  const TemporaryFolder folder;
  cli::write_whole_file(folder / "a.xml", "text");
  EXPECT_EQ(read_file(folder / "a.xml"), "text");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.xml.part"));
  EXPECT_THROW(cli::write_whole_file(folder / "absent" / "a.xml", "text"), Error);
}

// The user's own database need not exist.
TEST(CheckStoredCommand, WinnersOfAShippedRecordingAreEnough) {
  const Sandbox sandbox;
  ASSERT_FALSE(std::filesystem::exists(sandbox.database()));
  const cli::StoredDatabases databases("");
  std::vector<run::StoredCheck> skipped;
  const auto workloads = cli::stored_workloads({}, databases, device_named(), skipped);
  std::vector<std::string> sizes;
  for (const run::StoredWorkload& workload : workloads) sizes.push_back(workload.instance.size());
  EXPECT_THAT(sizes, ::testing::UnorderedElementsAre("64x64x64", "512x512x512"));
  EXPECT_TRUE(skipped.empty());
  EXPECT_TRUE(cli::stored_workloads({}, databases, device_named("Another"), skipped).empty());
}

TEST(CheckStoredCommand, IsRefusedWhereItCannotBe) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"check", "--stored"}), 4, {"there is no GPU here"});
  expect_refused(sandbox.tune({"check", "stencil3d", "--junit", "x.xml"}), 2, {"--junit needs --stored"});
  expect_refused(sandbox.tune({"check", "stencil3d", "--threshold", "3%"}), 2,
                 {"--threshold needs --stored"});
  expect_refused(sandbox.tune({"check", "--stored", "--threshold", "x"}), 2, {"--threshold: 'x'"});
}

}  // namespace
}  // namespace tune::testing
