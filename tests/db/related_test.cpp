// SPDX-License-Identifier: Apache-2.0
#include "db/related.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "db/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::test {
namespace {

WorkKey sized(std::int64_t nx, WorkKey key = example_key()) {
  key.instance.extents[0].second = nx;
  return key;
}

WorkKey with_radius(std::int64_t radius, WorkKey key = example_key()) {
  key.instance.settings[2].second = radius;
  return key;
}

WorkKey on(const std::string& device, WorkKey key = example_key()) {
  key.device.name = device;
  return key;
}

WorkKey on_older(const std::string& device, WorkKey key = example_key()) {
  key.device.name = device;
  key.device.compute_major = 8;
  return key;
}

WorkKey with_driver(const std::string& driver, WorkKey key = example_key()) {
  key.device.driver = driver;
  return key;
}

class Related : public testing::Test {
 protected:
  void record(const WorkKey& key, int count = 10, double time = 1e-3) {
    const RunId run = store_.begin_run(run_of(key));
    for (int i = 0; i < count; ++i) store_.record(run, measured(example_configuration(32 + i), {time}));
  }
  std::vector<db::RelatedWork> related(std::size_t count = 100, const WorkKey& key = example_key()) const {
    return db::related_works(database_, key, count);
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
};

TEST_F(Related, AnEmptyDatabaseHasNone) {
  EXPECT_TRUE(related().empty());
}

TEST_F(Related, TheWorkItselfIsKnownNotRelated) {
  record(example_key());
  EXPECT_TRUE(related().empty());
  WorkKey replayed = example_key();
  replayed.origin = Origin::replayed;
  EXPECT_TRUE(related(100, replayed).empty());
  // Of another size it is.
  EXPECT_EQ(related(100, sized(64)).size(), 1U);
}

TEST_F(Related, WhatWasReplayedIsNobodysMeasurement) {
  WorkKey other = sized(64);
  other.origin = Origin::replayed;
  record(other);
  EXPECT_TRUE(related().empty());
}

TEST_F(Related, AnotherProblemIsNotRelated) {
  WorkKey other = sized(64);
  other.instance.problem = "rotate2d";
  record(other);
  EXPECT_TRUE(related().empty());
}

TEST_F(Related, FewerThanTenMeasurementsSayTooLittle) {
  record(sized(64), 9);
  EXPECT_TRUE(related().empty());
  const RunId run = store_.begin_run(run_of(sized(64)));
  store_.record(run, failed(example_configuration(500), Phase::verify, "wrong"));
  store_.record(run, measured(example_configuration(32), {2e-3}));  // again: still nine
  EXPECT_TRUE(related().empty());
  store_.record(run, measured(example_configuration(600), {2e-3}));
  ASSERT_EQ(related().size(), 1U);
  EXPECT_EQ(related()[0].results.size(), 11U) << "the failure is told too";
}

TEST_F(Related, AnotherSizeIsNearerThanAnotherSettingAndThatThanAnotherDevice) {
  record(on_older("Old", with_radius(4)));
  record(on_older("Old", sized(256)));
  record(with_radius(4));
  record(on("Sibling"));
  record(sized(128));
  record(sized(256));
  record(with_driver("570"));
  std::vector<std::string> order;
  std::vector<double> distances;
  for (const db::RelatedWork& one : related()) {
    order.push_back(one.work.device + " " + one.work.size + " " + one.work.driver +
                    (one.work.settings.find("radius=4") == std::string::npos ? "" : " radius 4"));
    distances.push_back(one.distance);
  }
  const std::vector<std::string> expected = {"Invented H1 512x256x128 570",
                                             "Invented H1 256x256x128 580.1",
                                             "Invented H1 128x256x128 580.1",
                                             "Sibling 512x256x128 580.1",
                                             "Invented H1 512x256x128 580.1 radius 4",
                                             "Old 256x256x128 580.1",
                                             "Old 512x256x128 580.1 radius 4"};
  EXPECT_EQ(order, expected);
  EXPECT_NEAR(distances[0], 0.01, 1e-12);
  EXPECT_NEAR(distances[1], 0.1, 1e-12);
  EXPECT_NEAR(distances[2], 0.2, 1e-12);
}

TEST_F(Related, AmongEquallyAlikeTheLargestComesFirst) {
  record(sized(256), 12);
  record(sized(1024), 30);
  ASSERT_EQ(related().size(), 2U);
  EXPECT_EQ(related()[0].work.size, "1024x256x128");
  EXPECT_EQ(related(1).size(), 1U);
  EXPECT_EQ(related(1)[0].work.size, "1024x256x128");
  EXPECT_TRUE(related(0).empty());
}

TEST_F(Related, ColdAndWarmTimesAreOfDifferentWorks) {
  WorkKey warm = example_key();
  warm.cache = CacheState::warm;
  record(warm);
  ASSERT_EQ(related().size(), 1U);
  EXPECT_GT(related()[0].distance, 0);
  EXPECT_TRUE(related(100, warm).empty());
}

/// Few keys, of which each differs from `example_key` in any of what counts.
std::vector<WorkKey> keys() {
  std::vector<WorkKey> result;
  for (const bool sibling : {false, true})
    for (const int nx : {64, 512})
      for (const int radius : {2, 4})
        for (const char* driver : {"580.1", "590"})
          for (const Origin origin : {Origin::measured, Origin::replayed}) {
            WorkKey key = with_driver(driver, with_radius(radius, sized(nx)));
            if (sibling) key = on("Sibling", key);
            key.origin = origin;
            result.push_back(key);
          }
  return result;
}

class RelatedProperty : public Related, public testing::WithParamInterface<unsigned> {
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

  /// What is known of other work that was measured, ten times at least.
  std::multiset<Times> expected(std::size_t itself) const {
    std::multiset<Times> result;
    for (const auto& [k, times] : known_) {
      WorkKey as_measured = keys_[itself];
      as_measured.origin = Origin::measured;
      if (keys_[k].origin != Origin::measured || same(keys_[k], as_measured)) continue;
      const auto succeeded = std::ranges::count_if(times, [](auto& one) { return one.second.has_value(); });
      if (succeeded >= 10) result.insert(times);
    }
    return result;
  }

  static bool same(const WorkKey& a, const WorkKey& b) {
    return a.instance.extents == b.instance.extents && a.instance.settings == b.instance.settings &&
           a.device.name == b.device.name && a.device.driver == b.device.driver;
  }

  static Times times_of(const db::RelatedWork& work) {
    Times times;
    for (const auto& [configuration, time] : work.results) times[configuration.key()] = time;
    return times;
  }

  std::mt19937 random_{GetParam()};
  std::vector<WorkKey> keys_ = keys();
  std::map<std::size_t, Times> known_;  ///< by place of the key
};

TEST_P(RelatedProperty, AreTheNewestResultsOfAllOtherWork) {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    std::multiset<Times> found;
    for (const db::RelatedWork& one : related(100, keys_[k])) {
      found.insert(times_of(one));
      EXPECT_EQ(times_of(one).size(), one.results.size()) << "a configuration came twice";
    }
    EXPECT_EQ(found, expected(k));
  }
}

TEST_P(RelatedProperty, FewerAreTheFirstOfAllAndNoneIsNearerThanTheOneBefore) {
  for (std::size_t k = 0; k < keys_.size(); k += 5) {
    const auto all = related(100, keys_[k]);
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_LE(all[i - 1].distance, all[i].distance);
      if (all[i - 1].distance == all[i].distance) {
        EXPECT_GE(all[i - 1].results.size(), all[i].results.size());
      }
    }
    for (const std::size_t count : {std::size_t{0}, all.size() / 2, all.size()}) {
      const auto some = related(count, keys_[k]);
      ASSERT_EQ(some.size(), count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(some[i].work.id, all[i].work.id);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RelatedProperty, testing::Range(1U, 4U));

}  // namespace
}  // namespace tune::test
