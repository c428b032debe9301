// SPDX-License-Identifier: Apache-2.0
#include "db/read/related.hpp"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <set>

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

WorkloadKey of_width(std::int64_t nx, WorkloadKey key = example_key()) {
  key.instance.extents[0].second = nx;
  return key;
}

WorkloadKey with_radius(std::int64_t radius, WorkloadKey key = example_key()) {
  key.instance.settings[2].second = radius;
  return key;
}

WorkloadKey key_on(const std::string& device, WorkloadKey key = example_key()) {
  key.device.name = device;
  return key;
}

WorkloadKey on_older(const std::string& device, WorkloadKey key = example_key()) {
  key.device.name = device;
  key.device.compute_major = 8;
  return key;
}

WorkloadKey with_driver(const std::string& driver, WorkloadKey key = example_key()) {
  key.device.driver = driver;
  return key;
}

class Related : public ::testing::Test {
 protected:
  void record(const WorkloadKey& key, int count = 10, double time = 1e-3) {
    const RunId run = store_.begin_run(run_of(key));
    for (int i = 0; i < count; ++i) store_.record(run, measured(example_configuration(32 + i), {time}));
  }
  std::vector<db::RelatedWorkload> related(const WorkloadKey& key = example_key()) const {
    return db::related_workloads(database_, key);
  }
  std::vector<db::RelatedResult> results(const db::RelatedWorkload& one, std::size_t max = 1000) const {
    return db::related_results(database_, one, max);
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
};

TEST_F(Related, AnEmptyDatabaseHasNone) {
  EXPECT_TRUE(related().empty());
}

TEST_F(Related, ResultsOfThisBoardAreUsedWhereThereAreTen) {
  WorkloadKey other = of_width(1024), ours = of_width(1024);
  other.device.uuid = "GPU-other";
  other.device.power_limit = 350;
  record(other, 12, 1e-3);
  const auto times = [&] {
    std::set<double> all;
    for (const db::RelatedResult& one : results(related().at(0))) all.insert(one.second.value());
    return all;
  };
  EXPECT_TRUE(related().at(0).devices.empty());
  const double distance = related().at(0).distance;
  EXPECT_EQ(times(), std::set<double>{1e-3});
  const RunId run = store_.begin_run(run_of(ours));
  for (int i = 0; i < 9; ++i) store_.record(run, measured(example_configuration(100 + i), {2e-3}));
  EXPECT_EQ(times(), std::set<double>{1e-3}) << "nine are too few";
  store_.record(run, measured(example_configuration(110), {2e-3}));
  EXPECT_EQ(times(), std::set<double>{2e-3});
  EXPECT_LT(related().at(0).distance, distance);
}

TEST_F(Related, TheWorkItselfIsKnownNotRelated) {
  record(example_key());
  EXPECT_TRUE(related().empty());
  WorkloadKey replayed = example_key();
  replayed.origin = Origin::replayed;
  EXPECT_TRUE(related(replayed).empty());
  // Of another size it is.
  EXPECT_EQ(related(of_width(64)).size(), 1U);
}

TEST_F(Related, WhatWasReplayedIsNobodysMeasurement) {
  WorkloadKey other = of_width(64);
  other.origin = Origin::replayed;
  record(other);
  EXPECT_TRUE(related().empty());
}

TEST_F(Related, WhatAnotherProgramMeasuredIsByTheNameOfItsDevice) {
  const auto imported = [](const std::string& device) {
    WorkloadKey key = example_key();
    key.device = {};
    key.device.name = device;
    key.device.driver = "unknown";
    key.toolchain = {"T4, compiler unknown", "unknown"};
    key.origin = Origin::imported;
    return key;
  };
  record(imported("Another Device"), 20, 3e-3);
  record(imported(example_key().device.name), 12, 2e-3);
  record(with_driver("1.0"), 10, 1e-3);
  const std::vector<db::RelatedWorkload> found = related();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].workload.origin, Origin::measured) << "of equal fit, what was measured here comes first";
  EXPECT_EQ(found[1].workload.device, example_key().device.name);
  EXPECT_LT(found[1].distance, 0.1);
  EXPECT_GT(found[2].distance, 1);
  EXPECT_EQ(results(found[1]).size(), 12U);
  EXPECT_EQ(results(found[1]).front().second, 2e-3);
}

TEST_F(Related, AnotherProblemIsNotRelated) {
  WorkloadKey other = of_width(64);
  other.instance.problem = "rotate2d";
  record(other);
  EXPECT_TRUE(related().empty());
}

TEST_F(Related, FewerThanTenMeasurementsSayTooLittle) {
  record(of_width(64), 9);
  EXPECT_TRUE(related().empty());
  const RunId run = store_.begin_run(run_of(of_width(64)));
  store_.record(run, failed(example_configuration(500), Phase::verify, "wrong"));
  store_.record(run, measured(example_configuration(32), {2e-3}));  // again: still nine
  EXPECT_TRUE(related().empty());
  store_.record(run, measured(example_configuration(600), {2e-3}));
  ASSERT_EQ(related().size(), 1U);
  EXPECT_EQ(results(related()[0]).size(), 11U) << "the failure is told too";
  EXPECT_EQ(related()[0].configurations, 11U);
}

TEST_F(Related, OneMeasurementOfTheSameWorkWithOtherVersionsIsEnough) {
  record(with_driver("570"), 1);
  record(of_width(64, with_driver("570")), 9);
  record(key_on("Sibling"), 9);
  ASSERT_EQ(related().size(), 1U);
  EXPECT_EQ(related()[0].workload.driver, "570");
  EXPECT_TRUE(related()[0].same_but_versions);
  record(of_width(64), 10);
  ASSERT_EQ(related().size(), 2U);
  EXPECT_FALSE(related()[1].same_but_versions);
  const RunId run = store_.begin_run(run_of(with_driver("560")));
  store_.record(run, failed(example_configuration(500), Phase::verify, "wrong"));
  EXPECT_EQ(related().size(), 2U) << "a failure alone says nothing";
}

TEST_F(Related, AnotherSizeIsNearerThanAnotherSettingAndThatThanAnotherDevice) {
  record(on_older("Old", with_radius(4)));
  record(on_older("Old", of_width(256)));
  record(with_radius(4));
  record(key_on("Sibling"));
  record(of_width(128));
  record(of_width(256));
  record(with_driver("570"));
  std::vector<std::string> order;
  std::vector<double> distances;
  for (const db::RelatedWorkload& one : related()) {
    order.push_back(one.workload.device + " " + one.workload.size + " " + one.workload.driver +
                    (one.workload.settings.find("radius=4") == std::string::npos ? "" : " radius 4"));
    distances.push_back(one.distance);
  }
  const std::vector<std::string> expected = {
      "Invented H1 512x256x128 570",   "Invented H1 256x256x128 580.1",          "Sibling 512x256x128 580.1",
      "Invented H1 128x256x128 580.1", "Invented H1 512x256x128 580.1 radius 4", "Old 256x256x128 580.1",
      "Old 512x256x128 580.1 radius 4"};
  EXPECT_EQ(order, expected);
  EXPECT_NEAR(distances[0], 0.01, 1e-12);
  EXPECT_NEAR(distances[1], 0.7 / 3, 1e-12) << "0.1 for the volume, the rest for the shape";
  EXPECT_NEAR(distances[3], 1.4 / 3, 1e-12);
}

TEST_F(Related, AmongEquallyAlikeTheLargestComesFirst) {
  record(of_width(256), 12);
  record(of_width(1024), 30);
  ASSERT_EQ(related().size(), 2U);
  EXPECT_EQ(related()[0].workload.size, "1024x256x128");
}

TEST_F(Related, ColdAndWarmTimesAreOfDifferentWorks) {
  WorkloadKey warm = example_key();
  warm.cache = CacheState::warm;
  record(warm);
  ASSERT_EQ(related().size(), 1U);
  EXPECT_GT(related()[0].distance, 0);
  EXPECT_TRUE(related(warm).empty());
}

/// Few related_keys, of which each differs from `example_key` in any of what counts.
std::vector<WorkloadKey> related_keys() {
  std::vector<WorkloadKey> result;
  for (const bool sibling : {false, true})
    for (const int nx : {64, 512})
      for (const int radius : {2, 4})
        for (const char* driver : {"580.1", "590"})
          for (const Origin origin : {Origin::measured, Origin::replayed}) {
            WorkloadKey key = with_driver(driver, with_radius(radius, of_width(nx)));
            if (sibling) key = key_on("Sibling", key);
            key.origin = origin;
            result.push_back(key);
          }
  return result;
}

class RelatedProperty : public Related, public ::testing::WithParamInterface<unsigned> {
 protected:
  using Times = std::map<std::string, std::optional<double>>;

  RelatedProperty() {
    for (int r = 0; r < 40; ++r) {
      const std::size_t k = random_() % keys_.size();
      const RunId run = store_.begin_run(run_of(keys_[k]));
      for (auto left = random_() % 25; left > 0; --left) {
        const Configuration configuration = example_configuration(static_cast<int>(random_() % 25));
        const double time = 1e-6 * static_cast<double>(1 + random_() % 1000);
        const bool fails = random_() % 4 == 0;
        store_.record(
            run, fails ? failed(configuration, Phase::verify, "wrong") : measured(configuration, {time}));
        known_[k][configuration.key()] = fails ? std::nullopt : std::optional(time);
      }
    }
  }

  /// Workloads are related with ten measurements, or with one where only the driver differs.
  std::multiset<Times> expected(std::size_t itself) const {
    std::multiset<Times> result;
    for (const auto& [k, times] : known_) {
      WorkloadKey as_measured = keys_[itself];
      as_measured.origin = Origin::measured;
      if (keys_[k].origin != Origin::measured || same(keys_[k], as_measured)) continue;
      const auto succeeded = std::ranges::count_if(times, [](auto& one) { return one.second.has_value(); });
      if (succeeded >= (same_but_driver(keys_[k], as_measured) ? 1 : 10)) result.insert(times);
    }
    return result;
  }

  static bool same_but_driver(const WorkloadKey& a, const WorkloadKey& b) {
    return a.instance.extents == b.instance.extents && a.instance.settings == b.instance.settings &&
           a.device.name == b.device.name;
  }
  static bool same(const WorkloadKey& a, const WorkloadKey& b) {
    return same_but_driver(a, b) && a.device.driver == b.device.driver;
  }

  Times times_of(const db::RelatedWorkload& workload) const {
    Times times;
    const auto all = results(workload);
    for (const auto& [configuration, time] : all) times[configuration.key()] = time;
    EXPECT_EQ(times.size(), all.size()) << "a configuration came twice";
    EXPECT_EQ(times.size(), workload.configurations);
    return times;
  }

  std::mt19937 random_{GetParam()};
  std::vector<WorkloadKey> keys_ = related_keys();
  std::map<std::size_t, Times> known_;  ///< by place of the key
};

TEST_P(RelatedProperty, AreTheNewestResultsOfAllOtherWork) {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    std::multiset<Times> found;
    for (const db::RelatedWorkload& one : related(keys_[k])) found.insert(times_of(one));
    EXPECT_EQ(found, expected(k));
  }
}

TEST_P(RelatedProperty, NoneIsNearerThanTheOneBefore) {
  for (std::size_t k = 0; k < keys_.size(); k += 5) {
    const auto all = related(keys_[k]);
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_LE(all[i - 1].distance, all[i].distance);
      if (all[i - 1].distance == all[i].distance) {
        EXPECT_GE(all[i - 1].configurations, all[i].configurations);
      }
    }
  }
}

TEST_P(RelatedProperty, FewerResultsAreTheFastestAndSomeOfTheOthers) {
  for (const db::RelatedWorkload& workload : related(keys_[0])) {
    const Times all = times_of(workload);
    std::vector<double> sorted;
    for (const auto& [key, time] : all)
      if (time) sorted.push_back(*time);
    std::ranges::sort(sorted);
    for (const std::size_t max : {4U, 8U, 12U}) {
      const auto some = results(workload, max);
      EXPECT_GE(some.size(), max / 2);
      EXPECT_LE(some.size(), max + 4);
      std::set<std::string> seen;
      double last = 0;
      for (const auto& [configuration, time] : some) {
        EXPECT_TRUE(seen.insert(configuration.key()).second);
        EXPECT_EQ(time, all.at(configuration.key()));
        EXPECT_LE(last, time.value_or(1)) << "fastest first, failures last";
        last = time.value_or(1);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RelatedProperty, ::testing::Range(1U, 4U));

/// A work of so many evaluations, each tenth of which failed, in no order.
void add_many(db::Database& database, RunId run, int count) {
  database.connection().exec(format(R"(
WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < {})
INSERT INTO evaluations (run, work, configuration, configuration_key, time, minimum, error, tolerance, phase, reason,
                         detail, binary_hash, compile_seconds, load_seconds, verify_seconds, measure_seconds, recorded)
SELECT {}, (SELECT work FROM runs WHERE id = {}), '{{"block_x":' || i || '}}', 'block_x=' || i,
       CASE WHEN i % 10 > 0 THEN 1e-3 + i * 7919 % 100003 * 1e-6 END, CASE WHEN i % 10 > 0 THEN 1e-3 END,
       CASE WHEN i % 10 > 0 THEN 0.0 END, CASE WHEN i % 10 > 0 THEN 1.0 END,
       CASE WHEN i % 10 = 0 THEN 'verify' END, CASE WHEN i % 10 = 0 THEN 'wrong' END,
       CASE WHEN i % 10 = 0 THEN 'detail' END, '', 0.1, 0.0, 0.0, 0.1, '2026-01-31T12:00:00.000Z'
FROM numbers)",
                                    count, run, run));
}

TEST_F(Related, OfALargeDatabaseOnlyWhatIsNeededIsRead) {
  add_many(database_, store_.begin_run(run_of(of_width(64))), 60'000);
  add_many(database_, store_.begin_run(run_of(of_width(256))), 40'000);
  const std::clock_t start = std::clock();  // of the processor: others may be busy on it
  const auto workloads = related();
  ASSERT_EQ(workloads.size(), 2U);
  EXPECT_EQ(workloads[0].configurations + workloads[1].configurations, 100'000U);
  std::vector<std::vector<db::RelatedResult>> found;
  for (const db::RelatedWorkload& workload : workloads) found.push_back(results(workload, 5000));
  const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(taken, 1.0) << "seconds";
  for (const auto& some : found) {
    EXPECT_LE(some.size(), 5000U);
    EXPECT_GE(some.size(), 4500U);
    EXPECT_LT(some.front().second, 1.01e-3) << "the fastest of all";
    const auto failures = std::ranges::count_if(some, [](auto& one) { return !one.second; });
    EXPECT_NEAR(static_cast<double>(failures), 250, 25) << "a tenth of the half that is a sample";
  }
}

TEST_F(Related, AnotherShapeIsFartherThanAnotherSize) {
  const auto of_shape = [](std::vector<std::int64_t> lengths) {
    WorkloadKey key = example_key();
    for (std::size_t i = 0; i < lengths.size(); ++i) key.instance.extents[i].second = lengths[i];
    return key;
  };
  const WorkloadKey asked = of_shape({512, 64, 64});
  record(of_shape({64, 512, 64}));     // the same volume in another shape
  record(of_shape({1024, 128, 128}));  // the same shape, eight times the volume
  const auto found = related(asked);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].workload.extents[0].second, 1024);
  EXPECT_NEAR(found[0].distance, 0.3, 1e-9) << "a tenth for each doubling of the volume in the same shape";
  EXPECT_GT(found[1].distance, found[0].distance);
}

}  // namespace
}  // namespace tune::testing
