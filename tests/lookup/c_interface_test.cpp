// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "lookup/include/tune/lookup.h"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;

struct CQuery {
  std::vector<std::int64_t> size;
  std::vector<tune_lookup_setting> settings;
  DeviceProperties device = example_device();
  tune_lookup_query query = {};

  explicit CQuery(const WorkloadKey& key) {
    for (const auto& [name, extent] : key.instance.extents) size.push_back(extent);
    for (const auto& [name, value] : key.instance.settings) texts_.emplace_back(name, value.to_string());
    for (const auto& [name, value] : texts_) settings.push_back({name.c_str(), value.c_str()});
    query.problem = "stencil3d";
    query.device.name = device.name.c_str();
    query.device.compute_major = device.compute_major;
    query.device.compute_minor = device.compute_minor;
    query.device.multiprocessors = device.multiprocessors;
    query.device.global_memory = device.global_memory;
    query.device.bandwidth = device.peak_bandwidth();
    query.size = size.data();
    query.extents = size.size();
    query.settings = settings.data();
    query.setting_count = settings.size();
  }
  CQuery(const CQuery&) = delete;
  CQuery& operator=(const CQuery&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
};

class LookupC : public ::testing::Test {
 protected:
  LookupC() { sample_.record(example_key(), {{1, 2e-3}, {2, 1e-3}, {3, 3e-3}}); }
  ~LookupC() override { tune_lookup_close(lookup_); }

  void open() { ASSERT_EQ(tune_lookup_open(sample_.path().c_str(), "", &lookup_), TUNE_LOOKUP_OK); }

  DatabaseSample sample_;
  tune_lookup* lookup_ = nullptr;
};

TEST_F(LookupC, GivesWhatTheOtherInterfaceDoes) {
  open();
  const CQuery asked(example_key());
  tune_lookup_candidate* found = nullptr;
  ASSERT_EQ(tune_lookup_best(lookup_, &asked.query, &found), TUNE_LOOKUP_OK);
  EXPECT_EQ(tune_lookup_match_of(found), TUNE_LOOKUP_EXACT);
  EXPECT_EQ(tune_lookup_seconds(found), 1e-3);
  EXPECT_EQ(tune_lookup_loss(found, nullptr, nullptr), 0);
  EXPECT_EQ(tune_lookup_stale(found), 0);
  EXPECT_STREQ(tune_lookup_why(found), "recorded for exactly this");
  ASSERT_EQ(tune_lookup_count(found), 5U);
  EXPECT_STREQ(tune_lookup_name(found, 1), "block_x");
  EXPECT_STREQ(tune_lookup_value(found, 1), "2");
  EXPECT_EQ(tune_lookup_name(found, 5), nullptr);
  EXPECT_EQ(tune_lookup_value(found, 5), nullptr);
  EXPECT_EQ(tune_lookup_integer(found, "block_x", 7), 2);
  EXPECT_EQ(tune_lookup_integer(found, "unroll", 7), 1);
  EXPECT_EQ(tune_lookup_integer(found, "variant", 7), 7);
  EXPECT_EQ(tune_lookup_integer(found, "absent", 7), 7);
  EXPECT_EQ(tune_lookup_real(found, "alpha", 7), 0.1);
  EXPECT_STREQ(tune_lookup_text(found, "variant", "?"), "direct");
  EXPECT_STREQ(tune_lookup_text(found, "absent", "?"), "?");
  tune_lookup_close(lookup_);
  lookup_ = nullptr;
  EXPECT_EQ(tune_lookup_integer(found, "block_x", 7), 2) << "outlives the lookup";
  tune_lookup_free(found);
}

TEST_F(LookupC, ImportedResultsHaveAFunctionOfTheirOwn) {
  WorkloadKey imported = example_key();
  imported.origin = Origin::imported;
  sample_.record(imported, {{4, 0.5e-3}});
  open();
  const CQuery asked(example_key());
  tune_lookup_candidate* found = nullptr;
  ASSERT_EQ(tune_lookup_best(lookup_, &asked.query, &found), TUNE_LOOKUP_OK);
  EXPECT_EQ(tune_lookup_integer(found, "block_x", -1), 2);
  tune_lookup_free(found);
  ASSERT_EQ(tune_lookup_best_imported(lookup_, &asked.query, &found), TUNE_LOOKUP_OK);
  EXPECT_EQ(tune_lookup_integer(found, "block_x", -1), 4);
  EXPECT_THAT(tune_lookup_why(found), HasSubstr("measured by another program"));
  tune_lookup_free(found);
  EXPECT_EQ(tune_lookup_best_imported(nullptr, &asked.query, &found), TUNE_LOOKUP_BAD_QUERY);
}

TEST_F(LookupC, Alternatives) {
  open();
  const CQuery asked(example_key());
  tune_lookup_candidate* found[8] = {};
  std::size_t count = 99;
  ASSERT_EQ(tune_lookup_candidates(lookup_, &asked.query, 2, found, &count), TUNE_LOOKUP_OK);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(tune_lookup_integer(found[0], "block_x", -1), 2);
  EXPECT_EQ(tune_lookup_integer(found[1], "block_x", -1), 1);
  EXPECT_EQ(found[2], nullptr);
  tune_lookup_free(found[0]);
  tune_lookup_free(found[1]);
}

TEST_F(LookupC, NothingKnownIsNoError) {
  open();
  CQuery asked(example_key());
  asked.query.problem = "other";
  tune_lookup_candidate* found = nullptr;
  ASSERT_EQ(tune_lookup_best(lookup_, &asked.query, &found), TUNE_LOOKUP_OK);
  EXPECT_EQ(tune_lookup_match_of(found), TUNE_LOOKUP_NONE);
  EXPECT_EQ(tune_lookup_count(found), 0U);
  tune_lookup_free(found);
}

TEST_F(LookupC, ALossAndARefresh) {
  open();
  sample_.record(sized({64, 64, 64}), {{1, 1e-3}, {2, 1.5e-3}});
  WorkloadKey wanted = sized({96, 96, 96});
  const CQuery asked(wanted);
  tune_lookup_candidate* found = nullptr;
  ASSERT_EQ(tune_lookup_best(lookup_, &asked.query, &found), TUNE_LOOKUP_OK);
  EXPECT_EQ(tune_lookup_match_of(found), TUNE_LOOKUP_NEAREST_SIZE);
  double expected = 0, worst = 0;
  EXPECT_EQ(tune_lookup_loss(found, &expected, &worst), 2);
  EXPECT_NEAR(expected, 0.75, 1e-12);
  EXPECT_NEAR(worst, 1, 1e-12);
  tune_lookup_free(found);
  sample_.record(wanted, {{9, 1e-3}});
  tune_lookup_refresh(lookup_);
  ASSERT_EQ(tune_lookup_best(lookup_, &asked.query, &found), TUNE_LOOKUP_OK);
  EXPECT_EQ(tune_lookup_integer(found, "block_x", -1), 9);
  tune_lookup_free(found);
}

TEST_F(LookupC, ErrorsAreCodesWithAMessageOfTheThread) {
  auto* none = reinterpret_cast<tune_lookup*>(this);
  EXPECT_EQ(tune_lookup_open((sample_ / "absent.db").c_str(), "", &none), TUNE_LOOKUP_MISSING);
  EXPECT_EQ(none, nullptr);
  EXPECT_THAT(tune_lookup_message(), HasSubstr("absent.db"));
  std::thread([] { EXPECT_STREQ(tune_lookup_message(), ""); }).join();
  open();
  tune_lookup_candidate* found = nullptr;
  CQuery asked(example_key());
  asked.size[0] = -1;
  EXPECT_EQ(tune_lookup_best(lookup_, &asked.query, &found), TUNE_LOOKUP_BAD_QUERY);
  EXPECT_EQ(found, nullptr);
  EXPECT_THAT(tune_lookup_message(), HasSubstr("not positive"));
}

TEST_F(LookupC, NullPointersAreRefused) {
  open();
  const CQuery asked(example_key());
  tune_lookup_candidate* found = nullptr;
  std::size_t count = 0;
  EXPECT_EQ(tune_lookup_open("", "", nullptr), TUNE_LOOKUP_BAD_QUERY);
  EXPECT_EQ(tune_lookup_best(nullptr, &asked.query, &found), TUNE_LOOKUP_BAD_QUERY);
  EXPECT_EQ(tune_lookup_best(lookup_, nullptr, &found), TUNE_LOOKUP_BAD_QUERY);
  EXPECT_EQ(tune_lookup_best(lookup_, &asked.query, nullptr), TUNE_LOOKUP_BAD_QUERY);
  EXPECT_EQ(tune_lookup_candidates(lookup_, &asked.query, 3, nullptr, &count), TUNE_LOOKUP_BAD_QUERY);
  const tune_lookup_query empty = {};
  EXPECT_EQ(tune_lookup_best(lookup_, &empty, &found), TUNE_LOOKUP_BAD_QUERY);
  tune_lookup_close(nullptr);
  tune_lookup_free(nullptr);
  tune_lookup_refresh(nullptr);
  EXPECT_EQ(tune_lookup_match_of(nullptr), TUNE_LOOKUP_NONE);
  EXPECT_EQ(tune_lookup_integer(nullptr, "block_x", 3), 3);
  EXPECT_STREQ(tune_lookup_why(nullptr), "");
}

TEST(LookupCodes, AreTheSameInBothInterfaces) {
  EXPECT_EQ(static_cast<int>(lookup::Code::bad_query), TUNE_LOOKUP_BAD_QUERY);
  EXPECT_EQ(static_cast<int>(lookup::Code::missing), TUNE_LOOKUP_MISSING);
  EXPECT_EQ(static_cast<int>(lookup::Code::newer_schema), TUNE_LOOKUP_NEWER_SCHEMA);
  EXPECT_EQ(static_cast<int>(lookup::Code::unreadable), TUNE_LOOKUP_UNREADABLE);
  EXPECT_EQ(static_cast<int>(lookup::Match::portfolio), TUNE_LOOKUP_PORTFOLIO);
  EXPECT_EQ(static_cast<int>(lookup::Match::none), TUNE_LOOKUP_NONE);
}

}  // namespace
}  // namespace tune::testing
