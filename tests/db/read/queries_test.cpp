// SPDX-License-Identifier: Apache-2.0
#include "db/read/queries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/read/run_details.hpp"
#include "db/store/json.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

using ::testing::ElementsAre;

class QueriesTest : public ::testing::Test {
 protected:
  /// A run with these evaluations, ended.
  RunId run(const WorkloadKey& key, const std::vector<Evaluation>& evaluations) {
    const RunId id = store_.begin_run(run_of(key));
    for (const Evaluation& evaluation : evaluations) store_.record(id, evaluation);
    store_.end_run(id, RunEnd::exhausted);
    return id;
  }

  std::string tick() {
    ++seconds_;
    return format("2026-01-31T12:{:02}:{:02}.000Z", seconds_ / 60, seconds_ % 60);
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  int seconds_ = 0;
  db::SqliteStore store_{database_, [this] { return tick(); }};
};

WorkloadKey other_device() {
  WorkloadKey key = example_key();
  key.device.name = "Invented Z9";
  return key;
}

WorkloadKey other_problem() {
  WorkloadKey key = example_key();
  key.instance.problem = "matmul";
  return key;
}

TEST_F(QueriesTest, AnEmptyDatabaseHasNothing) {
  EXPECT_TRUE(db::list_problems(database_).empty());
  EXPECT_TRUE(db::list_devices(database_).empty());
  EXPECT_TRUE(db::list_runs(database_).empty());
  EXPECT_TRUE(db::list_results(database_).empty());
  try {
    db::run_details(database_, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::no_answer);
  }
}

TEST_F(QueriesTest, ProblemsAndDevicesAreCounted) {
  run(example_key(),
      {measured(example_configuration(1), {1e-3}), failed(example_configuration(2), Phase::launch, "fault")});
  run(other_device(), {measured(example_configuration(1), {1e-3})});
  run(other_problem(), {});
  const auto problems = db::list_problems(database_);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].problem, "matmul");
  EXPECT_EQ(problems[0].runs, 1);
  EXPECT_EQ(problems[0].evaluations, 0);
  EXPECT_EQ(problems[1].problem, "stencil3d");
  EXPECT_EQ(problems[1].instances, 1);
  EXPECT_EQ(problems[1].devices, 2);
  EXPECT_EQ(problems[1].runs, 2);
  EXPECT_EQ(problems[1].evaluations, 3);
  EXPECT_EQ(problems[1].failures, 1);
  EXPECT_EQ(problems[1].last_run, "2026-01-31T12:00:05.000Z");

  const auto devices = db::list_devices(database_);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "Invented H1");
  EXPECT_EQ(devices[0].model_key, example_device().model_key());
  EXPECT_EQ(devices[0].runs, 2);
  EXPECT_EQ(devices[0].evaluations, 2);
  EXPECT_THAT(devices[0].drivers, ElementsAre("580.1"));
  expect_equal(devices[0].properties, example_device());
  EXPECT_EQ(devices[1].name, "Invented Z9");
}

TEST_F(QueriesTest, ADeviceShowsTheNewestFactsAndEveryDriver) {
  run(example_key(), {});
  WorkloadKey updated = example_key();
  updated.device.driver = "590.2";
  updated.device.copy_bandwidth = 7;
  run(updated, {});
  const auto devices = db::list_devices(database_);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_THAT(devices[0].drivers, ElementsAre("580.1", "590.2"));
  EXPECT_EQ(devices[0].properties.copy_bandwidth, 7);
}

TEST_F(QueriesTest, FactsThatCameLaterAreStoredWhereTheyAreKnown) {
  DeviceProperties properties = example_device();
  EXPECT_EQ(db::to_json(properties).find("host_to_device"), std::string::npos)
      << "the text of older versions, and its hash";
  EXPECT_EQ(db::properties_from_json(db::to_json(properties)).device_to_host_bandwidth, 0);
  properties.host_to_device_bandwidth = 5.5e10;
  properties.device_to_host_bandwidth = 5.25e10;
  EXPECT_EQ(db::properties_from_json(db::to_json(properties)).host_to_device_bandwidth, 5.5e10);
  EXPECT_EQ(db::properties_from_json(db::to_json(properties)).device_to_host_bandwidth, 5.25e10);
}

TEST_F(QueriesTest, RunsAreListedNewestFirstAndFiltered) {
  const RunId one = run(
      example_key(), {measured(example_configuration(1), {3e-3}), measured(example_configuration(2), {2e-3}),
                      failed(example_configuration(3), Phase::verify, "wrong")});
  const RunId two = run(other_device(), {failed(example_configuration(3), Phase::verify, "wrong")});
  const RunId three = run(other_problem(), {});
  const auto ids = [&](const db::RunFilter& filter) {
    std::vector<RunId> result;
    for (const db::RunSummary& summary : db::list_runs(database_, filter)) result.push_back(summary.run);
    return result;
  };
  EXPECT_THAT(ids({}), ElementsAre(three, two, one));
  EXPECT_THAT(ids({.problem = "stencil3d"}), ElementsAre(two, one));
  EXPECT_THAT(ids({.device = "Invented Z9"}), ElementsAre(two));
  EXPECT_THAT(ids({.device = example_device().model_key()}), ElementsAre(three, one));
  EXPECT_THAT(ids({.problem = "stencil3d", .device = "Invented H1"}), ElementsAre(one));
  EXPECT_THAT(ids({.limit = 2}), ElementsAre(three, two));
  EXPECT_THAT(ids({.problem = "'; DROP TABLE runs; --"}), ElementsAre());

  const db::RunSummary first = db::list_runs(database_).back();
  EXPECT_EQ(first.evaluations, 3);
  EXPECT_EQ(first.failures, 1);
  EXPECT_EQ(first.best, 2e-3);
  EXPECT_EQ(first.best_configuration, example_configuration(2).key());
  EXPECT_EQ(first.workload.size, "512x256x128");
  EXPECT_EQ(first.workload.settings, example_instance().settings_key());
  EXPECT_EQ(first.workload.extents, example_instance().extents);
  EXPECT_EQ(first.workload.architecture, "sm_91");
  EXPECT_FALSE(db::list_runs(database_)[1].best);
}

TEST_F(QueriesTest, ResultsAreFastestFirst) {
  run(example_key(),
      {failed(example_configuration(9), Phase::launch, "fault"), measured(example_configuration(1), {3e-3}),
       measured(example_configuration(2), {1e-3, 5e-3, 2e-3})});
  const auto rows = db::list_results(database_);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].time, 2e-3);
  EXPECT_EQ(rows[0].minimum, 1e-3);
  EXPECT_EQ(rows[0].samples, 3);
  EXPECT_EQ(rows[0].error, 1.5e-6);
  EXPECT_EQ(rows[0].tolerance, 2.5e-6);
  EXPECT_EQ(rows[0].configuration.entries(), example_configuration(2).entries());
  EXPECT_EQ(rows[0].amount.limit, 1.25e-3);
  EXPECT_EQ(rows[0].amount.item, "cell update");
  EXPECT_EQ(rows[0].binary_hash, "feedface");
  EXPECT_EQ(rows[0].phases.measure, 0.0625);
  ASSERT_TRUE(rows[0].resources);
  expect_equal(*rows[0].resources, example_resources());
  EXPECT_EQ(rows[1].time, 3e-3);

  const auto all = db::list_results(database_, {.failures = true});
  ASSERT_EQ(all.size(), 3U);
  ASSERT_TRUE(all[2].failure);
  EXPECT_EQ(all[2].failure->phase, Phase::launch);
  EXPECT_EQ(all[2].failure->reason, "fault");
  EXPECT_FALSE(all[2].time);
  EXPECT_FALSE(all[2].resources);
}

TEST_F(QueriesTest, ResultsAreFiltered) {
  const RunId one = run(example_key(), {measured(example_configuration(1), {1e-3})});
  WorkloadKey small = example_key();
  small.instance.extents[0].second = 64;
  run(small, {measured(example_configuration(1), {2e-3})});
  WorkloadKey setting = example_key();
  setting.instance.settings[2].second = 4;
  run(setting, {measured(example_configuration(1), {3e-3})});
  run(other_device(), {measured(example_configuration(1), {4e-3})});
  run(other_problem(), {measured(example_configuration(1), {5e-3})});
  WorkloadKey replayed = example_key();
  replayed.origin = Origin::replayed;
  run(replayed, {measured(example_configuration(1), {6e-3})});
  const auto times = [&](const db::ResultFilter& filter) {
    std::vector<double> result;
    for (const db::ResultRow& row : db::list_results(database_, filter)) result.push_back(*row.time * 1e3);
    return result;
  };
  EXPECT_THAT(times({.problem = "matmul"}), ElementsAre(5));
  EXPECT_THAT(times({.size = "64x256x128"}), ElementsAre(2));
  EXPECT_THAT(times({.settings = setting.instance.settings_key()}), ElementsAre(3));
  EXPECT_THAT(times({.device = "Invented Z9"}), ElementsAre(4));
  EXPECT_THAT(times({.run = one}), ElementsAre(1));
  EXPECT_THAT(times({.origin = Origin::replayed}), ElementsAre(6));
  EXPECT_THAT(times({.origin = Origin::measured, .limit = 2}), ElementsAre(1, 2));
  const std::int64_t workload = db::list_runs(database_).back().workload.id;
  EXPECT_THAT(times({.workload = workload}), ElementsAre(1));
}

TEST_F(QueriesTest, WhatWasEvaluatedAgainIsSuperseded) {
  const RunId one = run(example_key(), {measured(example_configuration(1), {1e-3})});
  run(example_key(), {measured(example_configuration(1), {2e-3})});
  const auto current = db::list_results(database_);
  ASSERT_EQ(current.size(), 1U);
  EXPECT_EQ(current[0].time, 2e-3);
  const auto all = db::list_results(database_, {.superseded = true});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].time, 1e-3);
  EXPECT_FALSE(all[0].current);
  EXPECT_TRUE(all[1].current);
  EXPECT_EQ(db::list_results(database_, {.run = one, .superseded = true}).size(), 1U);
}

TEST_F(QueriesTest, RunDetailsTellTheWholeRun) {
  run(example_key(), {measured(example_configuration(1), {5e-3})});
  const RunId id = store_.begin_run(example_run());
  store_.record(id, failed(example_configuration(7), Phase::verify, "wrong", "first"));
  store_.record(id, store_.known(example_key()).at(0));
  store_.record(id, measured(example_configuration(2), {9e-3}));
  store_.record(id, failed(example_configuration(8), Phase::compile, "spills"));
  store_.record(id, measured(example_configuration(3), {3e-3, 1e-3, 2e-3}));
  store_.record(id, failed(example_configuration(9), Phase::verify, "wrong", "second"));
  store_.record(id, failed(example_configuration(10), Phase::verify, "nan"));

  const db::RunDetails details = db::run_details(database_, id);
  ASSERT_EQ(details.progress.size(), 7U);
  const std::vector<std::optional<double>> best = {{}, 5e-3, 5e-3, 5e-3, 2e-3, 2e-3, 2e-3};
  const std::vector<std::optional<double>> time = {{}, 5e-3, 9e-3, {}, 2e-3, {}, {}};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(details.progress[i].sequence, static_cast<std::int64_t>(i));
    EXPECT_EQ(details.progress[i].best, best[i]) << i;
    EXPECT_EQ(details.progress[i].time, time[i]) << i;
    EXPECT_EQ(details.progress[i].reused, i == 1) << i;
  }
  ASSERT_TRUE(details.winner);
  EXPECT_EQ(details.winner->configuration, example_configuration(3));
  EXPECT_THAT(details.winner_samples, ElementsAre(3e-3, 1e-3, 2e-3));
  ASSERT_EQ(details.failures.size(), 3U);
  EXPECT_EQ(details.failures[0].phase, Phase::compile);
  EXPECT_EQ(details.failures[1].reason, "wrong");
  EXPECT_EQ(details.failures[1].count, 2);
  EXPECT_EQ(details.failures[1].detail, "first");
  EXPECT_EQ(details.failures[1].example, example_configuration(7));
  EXPECT_EQ(details.failures[2].reason, "nan");
  EXPECT_EQ(details.summary.workload.device, example_key().device.name);
  EXPECT_EQ(details.summary.evaluations, 7);
  EXPECT_EQ(details.summary.ended, "");
}

TEST_F(QueriesTest, ARunWhereAllFailedHasNoWinner) {
  const RunId id = run(example_key(), {failed(example_configuration(7), Phase::verify, "wrong")});
  EXPECT_FALSE(db::run_details(database_, id).winner);
}

}  // namespace
}  // namespace tune::testing
