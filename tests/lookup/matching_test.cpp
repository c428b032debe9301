// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/matching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "db/read/best.hpp"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Match;
using ::testing::HasSubstr;

TEST(LookupMatching, ShapesOfEqualVolumeAreFarApart) {
  const auto distance = [](std::vector<std::int64_t> wanted, std::vector<std::int64_t> recorded) {
    return lookup::size_distance(wanted, recorded).value();
  };
  EXPECT_EQ(distance({1024, 1024}, {1024, 1024}), 0);
  EXPECT_GT(distance({1024, 1024}, {1048576, 1}), distance({1024, 1024}, {64, 64}));
  EXPECT_GT(distance({1024, 1024}, {2048, 512}), distance({1024, 1024}, {2048, 2048}));
  // Eight times the volume: evenly, or along one axis.
  EXPECT_NEAR(distance({128, 128, 128}, {64, 64, 64}), 3 * std::log(2), 1e-12);
  EXPECT_NEAR(distance({512, 64, 64}, {64, 64, 64}), (1 + 4. / 3) * std::log(8), 1e-12);
  EXPECT_EQ(distance({100, 200}, {200, 100}), distance({200, 100}, {100, 200}));
  EXPECT_FALSE(lookup::size_distance({1, 2}, {1, 2, 3}).has_value());
  EXPECT_EQ(lookup::size_distance({}, {1, 2, 3}), 0.0);
}

TEST(LookupMatching, AModelHasTheKeyThatTheDatabaseKeeps) {
  EXPECT_EQ(lookup::model_key(db::lookup_device(example_device())), example_device().model_key());
  DeviceProperties device = example_device();
  device.global_memory = 150109880320;
  EXPECT_EQ(lookup::model_key(db::lookup_device(device)), device.model_key());
  EXPECT_EQ(lookup::model_key({}), "");
}

TEST(LookupMatching, OfTheArchitectureTheDeviceMostAlikeIsNearest) {
  DatabaseSample sample;
  WorkloadKey half = on("Half"), nearly = on("Nearly"), slow = on("Slow"), minor = on("Minor");
  half.device.multiprocessors = example_device().multiprocessors / 2;
  nearly.device.multiprocessors = example_device().multiprocessors + 1;
  slow.device.multiprocessors = example_device().multiprocessors;
  slow.device.memory_clock /= 3;
  minor.device.compute_minor += 1;
  sample.record(minor, {{4, 1e-3}});
  sample.record(half, {{1, 1e-3}});
  sample.record(nearly, {{2, 2e-3}});
  sample.record(slow, {{3, 1e-3}});
  const lookup::Candidate found = sample.best(query_of(example_key()));
  EXPECT_EQ(found.match, Match::same_architecture);
  EXPECT_EQ(number_of(found), 2);
  EXPECT_THAT(found.why, HasSubstr(nearly.device.model_key()));
}

TEST(LookupMatching, SameMajorIsNearerThanOthers) {
  lookup::Device device;
  device.name = "X";
  device.compute_major = 8;
  device.compute_minor = 6;
  lookup::RecordedDevice recorded;
  recorded.name = recorded.model_key = "Y";
  const auto kin = [&](int major, int minor) {
    recorded.compute_major = major;
    recorded.compute_minor = minor;
    return lookup::kinship(device, recorded);
  };
  EXPECT_EQ(kin(8, 6), lookup::Kinship::architecture);
  EXPECT_EQ(kin(8, 9), lookup::Kinship::major);
  EXPECT_EQ(kin(9, 6), lookup::Kinship::other);
  recorded.name = "X";
  EXPECT_EQ(kin(8, 6), lookup::Kinship::same);
}

TEST(LookupMatching, AnotherMemorySizeIsAnotherModelButANameAloneFits) {
  DatabaseSample sample;
  sample.record(example_key(), {{1, 1e-3}});
  lookup::Query query = query_of(example_key());
  query.device.global_memory *= 2;
  EXPECT_EQ(sample.best(query).match, Match::same_architecture);
  query.device = {};
  query.device.name = example_device().name;
  EXPECT_EQ(sample.best(query).match, Match::exact);
  query.device.name = "Unheard-of 9000";
  EXPECT_EQ(sample.best(query).match, Match::portfolio);
  query.device = {};
  EXPECT_EQ(sample.best(query).match, Match::exact);
  query.size = {};
  EXPECT_THAT(sample.best(query).why, HasSubstr("a record of this problem"));
}

TEST(LookupMatching, StaleRecordsStandBehindFreshOnesOfEqualFitOnly) {
  DatabaseSample sample;
  WorkloadKey sources = example_key(), compiler = example_key(), driver = example_key();
  sources.toolchain.source_hash = "old";
  compiler.toolchain.compiler = "NVRTC 12.4 sm_90";
  driver.device.driver = "570";
  const lookup::Query query = query_of(example_key());
  sample.record(sized({64, 64, 64}), {{9, 1e-4}});
  sample.record(sources, {{1, 1e-3}});
  EXPECT_EQ(number_of(sample.best(query)), 1) << "this size before a fresh one of another";
  EXPECT_TRUE(sample.best(query).other_sources);
  EXPECT_THAT(sample.best(query).why, HasSubstr("the kernel sources have changed since"));
  sample.record(compiler, {{2, 2e-3}});
  EXPECT_EQ(number_of(sample.best(query)), 2);
  EXPECT_THAT(sample.best(query).why, HasSubstr("compiled by NVRTC 12.4"));
  sample.record(driver, {{3, 3e-3}});
  EXPECT_EQ(number_of(sample.best(query)), 3);
  EXPECT_TRUE(sample.best(query).stale());
  sample.record(example_key(), {{4, 4e-3}});
  EXPECT_EQ(number_of(sample.best(query)), 4);
  EXPECT_FALSE(sample.best(query).stale());
  // Who does not ask for versions gets the fastest.
  lookup::Query any = query;
  any.compiler.clear();
  any.source_hash.clear();
  any.device.driver.clear();
  EXPECT_EQ(number_of(sample.best(any)), 1);
  EXPECT_FALSE(sample.best(any).stale());
}

}  // namespace
}  // namespace tune::testing
