// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "tests/db/examples.hpp"
#include "tuner/session/store.hpp"

/// Tests what every Store has to do. A test program instantiates it for its own:
/// INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance, testing::Values(factory)); Include it in one source
/// file of a program.
namespace tune::testing {

/// A store with what it lives in; empty at first.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Store& store() = 0;
  /// Reopens the store as a later start of the program; a store in memory does nothing.
  virtual void reopen() = 0;
};

using StoreFactory = std::function<std::unique_ptr<StoreUnderTest>()>;

class StoreConformance : public ::testing::TestWithParam<StoreFactory> {
 protected:
  Store& store() { return under_test_->store(); }
  void reopen() { under_test_->reopen(); }

  std::unique_ptr<StoreUnderTest> under_test_ = GetParam()();
};

TEST_P(StoreConformance, KnowsNothingAtFirst) {
  EXPECT_TRUE(store().known(example_key()).empty());
}

TEST_P(StoreConformance, GivesBackEveryFieldOfAMeasurement) {
  const Evaluation given = measured(example_configuration(), {3e-3, 1.0000000000000002e-3, 2e-3});
  const RunId run = store().begin_run(example_run());
  store().record(run, given);
  reopen();
  const auto known = store().known(example_key());
  ASSERT_EQ(known.size(), 1U);
  expect_equal(known[0], given);
  EXPECT_TRUE(known[0].reused);
}

TEST_P(StoreConformance, GivesBackEveryFieldOfAFailure) {
  const RunId run = store().begin_run(example_run());
  int block = 0;
  std::vector<Evaluation> given;
  for (const Phase phase : {Phase::constraint, Phase::compile, Phase::resources, Phase::launch, Phase::verify,
                            Phase::timeout, Phase::crash}) {
    Evaluation evaluation =
        failed(example_configuration(++block), phase, "reason", "it's a \"log\"\nwith lines\tand \xc3\xa4");
    if (phase == Phase::resources) evaluation.resources = example_resources();
    store().record(run, evaluation);
    given.push_back(evaluation);
  }
  reopen();
  const auto known = store().known(example_key());
  ASSERT_EQ(known.size(), given.size());
  for (const Evaluation& evaluation : known) {
    const auto same = [&](const Evaluation& other) {
      return other.configuration == evaluation.configuration;
    };
    const auto found = std::find_if(given.begin(), given.end(), same);
    ASSERT_NE(found, given.end());
    expect_equal(evaluation, *found);
  }
}

TEST_P(StoreConformance, KeepsSamplesInTheOrderTaken) {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(1e-3 + ((i * 37) % 100) * 1e-6);
  const RunId run = store().begin_run(example_run());
  store().record(run, measured(example_configuration(), samples));
  reopen();
  EXPECT_EQ(store().known(example_key()).at(0).outcome->samples, samples);
}

TEST_P(StoreConformance, ConfigurationsAreEqualWhateverTheOrderOfTheirParameters) {
  const RunId run = store().begin_run(example_run());
  store().record(run, measured({{"a", 1}, {"b", 2}}, {2e-3}));
  store().record(run, measured({{"b", 2}, {"a", 1}}, {1e-3}));
  EXPECT_EQ(store().known(example_key()).size(), 1U);
}

TEST_P(StoreConformance, KeepsTheTypesOfValues) {
  const RunId run = store().begin_run(example_run());
  store().record(run,
                 measured({{"p", 1}, {"q", 1.0}, {"r", true}, {"s", "1"}, {"t", "it's, \"x\""}}, {1e-3}));
  reopen();
  const Configuration found = store().known(example_key()).at(0).configuration;
  EXPECT_TRUE(found["p"].is_int());
  EXPECT_TRUE(found["q"].is_real());
  EXPECT_TRUE(found["r"].is_bool());
  EXPECT_TRUE(found["s"].is_text());
  EXPECT_EQ(found["t"].as_text(), "it's, \"x\"");
}

TEST_P(StoreConformance, TheNewestEvaluationOfAConfigurationCounts) {
  const RunId first = store().begin_run(example_run());
  store().record(first, measured(example_configuration(), {1e-3}));
  store().end_run(first, RunEnd::exhausted);
  const RunId second = store().begin_run(example_run());
  EXPECT_NE(first, second);
  store().record(second, measured(example_configuration(), {2e-3}));
  ASSERT_EQ(store().known(example_key()).size(), 1U);
  EXPECT_EQ(store().known(example_key())[0].outcome->samples, std::vector{2e-3});
  store().record(second, failed(example_configuration(), Phase::verify, "wrong"));
  ASSERT_EQ(store().known(example_key()).size(), 1U);
  EXPECT_FALSE(store().known(example_key())[0].outcome);
}

TEST_P(StoreConformance, AccidentsNeverReplaceAMeasurement) {
  const RunId run = store().begin_run(example_run());
  const auto now_known = [&] { return store().known(example_key()).at(0); };
  Evaluation timeout = failed(example_configuration(), Phase::timeout, "launch");
  timeout.outcome.error().time_limit = 10;
  store().record(run, timeout);
  EXPECT_EQ(now_known().outcome.error().time_limit, 10) << "it counts where there is nothing else";
  store().record(run, measured(example_configuration(), {1e-3}));
  store().record(run, timeout);
  for (const Phase phase : {Phase::crash, Phase::resources})
    store().record(
        run, failed(example_configuration(), phase, phase == Phase::crash ? "killed" : "device memory"));
  store().record(run, failed(example_configuration(), Phase::crash, "illegal address"));
  EXPECT_TRUE(now_known().outcome.has_value());
  Evaluation twice = failed(example_configuration(), Phase::crash, "illegal address");
  twice.attempts = 2;
  store().record(run, twice);
  ASSERT_FALSE(now_known().outcome.has_value());
  EXPECT_EQ(now_known().attempts, 3) << "of all evaluations";
}

TEST_P(StoreConformance, ARunThatWasKilledIsKnownToo) {
  const RunId run = store().begin_run(example_run());
  store().record(run, measured(example_configuration(), {1e-3}));
  reopen();  // no end_run
  EXPECT_EQ(store().known(example_key()).size(), 1U);
}

TEST_P(StoreConformance, AReusedEvaluationDoesNotReplaceWhatItCameFrom) {
  const RunId first = store().begin_run(example_run());
  store().record(first, measured(example_configuration(), {1e-3, 2e-3}));
  const RunId second = store().begin_run(example_run());
  Evaluation reused = store().known(example_key()).at(0);
  store().record(second, reused);
  const auto known = store().known(example_key());
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].outcome->samples, (std::vector{1e-3, 2e-3}));
}

/// As finals would give it, with rounds of these seconds.
inline RerankPlace candidate(int block_x, const std::vector<double>& seconds) {
  RerankPlace place;
  place.configuration = example_configuration(block_x);
  for (const double one : seconds) place.rounds.push_back({one, 100 * one});
  return place;
}

inline RerankResult example_rerank(Objective objective = Objective::time) {
  RerankResult rerank;
  rerank.objective = objective;
  rerank.places = rank_top_k({candidate(1, {1e-3, 1.1e-3, 1.2e-3}), candidate(2, {2e-3, 2.2e-3})}, objective);
  return rerank;
}

inline RunRecord run_by(Objective objective) {
  RunRecord run = example_run();
  run.options.objective = objective;
  return run;
}

TEST_P(StoreConformance, GivesBackTheNewestFinalsOfTheObjective) {
  EXPECT_TRUE(store().known_rerank(example_key(), Objective::time).places.empty());
  const RunId run = store().begin_run(run_by(Objective::time));
  store().record(run, measured(example_configuration(1), {1e-3}));
  store().record(run, measured(example_configuration(2), {2e-3}));
  store().record_rerank(run, example_rerank());
  store().begin_run(run_by(Objective::time));  // a newer run without finals changes nothing
  reopen();
  const RerankResult known = store().known_rerank(example_key(), Objective::time);
  EXPECT_EQ(known.objective, Objective::time);
  ASSERT_EQ(known.places.size(), 2U);
  EXPECT_EQ(known.places[0].configuration, example_configuration(1));
  ASSERT_EQ(known.places[1].rounds.size(), 2U);
  EXPECT_EQ(known.places[1].rounds[1].seconds, 2.2e-3);
  EXPECT_EQ(known.places[1].rounds[1].energy, 100 * 2.2e-3);
  EXPECT_TRUE(store().known_rerank(example_key(), Objective::energy).places.empty());
  WorkloadKey warm = example_key();
  warm.cache = CacheState::warm;
  EXPECT_TRUE(store().known_rerank(warm, Objective::time).places.empty());
}

TEST_P(StoreConformance, FinalsOfAConfigurationThatWasEvaluatedAgainAreNotKnown) {
  const RunId run = store().begin_run(run_by(Objective::time));
  store().record(run, measured(example_configuration(1), {1e-3}));
  store().record(run, measured(example_configuration(2), {2e-3}));
  store().record_rerank(run, example_rerank());
  store().record(run, failed(example_configuration(1), Phase::verify, "wrong"));
  const RerankResult known = store().known_rerank(example_key(), Objective::time);
  ASSERT_EQ(known.places.size(), 1U);
  EXPECT_EQ(known.places[0].configuration, example_configuration(2));
}

/// Every part of the key tells results apart.
struct KeyPart {
  const char* name;
  std::function<void(WorkloadKey&)> change;
};

inline std::vector<KeyPart> key_parts() {
  return {
      {"device model", [](WorkloadKey& key) { key.device.name = "Invented H2"; }},
      {"multiprocessors", [](WorkloadKey& key) { key.device.multiprocessors = 114; }},
      {"driver", [](WorkloadKey& key) { key.device.driver = "581.0"; }},
      {"compiler", [](WorkloadKey& key) { key.toolchain.compiler = "NVRTC 13.1 sm_91"; }},
      {"sources", [](WorkloadKey& key) { key.toolchain.source_hash = "0123abce"; }},
      {"cache", [](WorkloadKey& key) { key.cache = CacheState::warm; }},
      {"origin", [](WorkloadKey& key) { key.origin = Origin::replayed; }},
      {"problem", [](WorkloadKey& key) { key.instance.problem = "matmul"; }},
      {"size", [](WorkloadKey& key) { key.instance.extents[1].second = 257; }},
      {"setting", [](WorkloadKey& key) { key.instance.settings[2].second = 3; }},
  };
}

TEST_P(StoreConformance, EveryPartOfTheKeyTellsResultsApart) {
  store().record(store().begin_run(example_run()), measured(example_configuration(), {1e-3}));
  double time = 1e-3;
  for (const KeyPart& part : key_parts()) {
    SCOPED_TRACE(part.name);
    WorkloadKey key = example_key();
    part.change(key);
    EXPECT_TRUE(store().known(key).empty());
    time += 1e-3;
    store().record(store().begin_run(run_of(key)), measured(example_configuration(), {time}));
    ASSERT_EQ(store().known(key).size(), 1U);
    EXPECT_EQ(store().known(key)[0].outcome->time(), time);
    EXPECT_EQ(store().known(example_key()).at(0).outcome->time(), 1e-3);
  }
}

TEST_P(StoreConformance, TheBoardOfAModelAndItsClocksAreNoPartOfTheKey) {
  store().record(store().begin_run(example_run()), measured(example_configuration(), {1e-3}));
  WorkloadKey key = example_key();
  key.device.uuid = "GPU-another";
  key.device.copy_bandwidth = 1;
  key.device.power_limit = 300;
  EXPECT_EQ(store().known(key).size(), 1U);
}

}  // namespace tune::testing
