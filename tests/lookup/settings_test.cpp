// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "kernels/registry.hpp"
#include "lookup/src/matching.hpp"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Match;

TEST(LookupSettings, DefaultsAreThoseOfTheProblems) {
  std::set<std::string> listed, known;
  for (std::size_t i = 0; i < lookup::setting_defaults_count; ++i) {
    const lookup::SettingDefault& one = lookup::setting_defaults[i];
    listed.insert(std::string(one.problem) + " " + one.name + "=" + one.value);
  }
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    const auto problem = entry.make();
    for (const SettingInfo& setting : problem->info().settings)
      known.insert(std::string(entry.name) + " " + setting.name + "=" + setting.default_value.to_string());
  }
  EXPECT_EQ(listed, known);
  EXPECT_GT(known.size(), 5U);
}

TEST(LookupSettings, CanonicalOnesLeaveDefaultsOutAndAreSorted) {
  EXPECT_EQ(lookup::canonical_settings("stencil3d", "radius=1,shape=star,type=float"), "");
  EXPECT_EQ(lookup::canonical_settings("stencil3d", "type=double,radius=4"), "radius=4,type=double");
  EXPECT_EQ(lookup::canonical_settings("stencil3d", {{"type", "double"}, {"steps", "1"}}), "type=double");
  EXPECT_EQ(lookup::canonical_settings("unknown", "b=2,a=1"), "a=1,b=2");
  EXPECT_EQ(lookup::canonical_settings("unknown", ""), "");
}

TEST(LookupSettings, WhatIsLeftOutIsAtItsDefault) {
  DatabaseSample sample;
  WorkloadKey key = example_key();
  key.instance.settings = {{"type", "float"}, {"shape", "star"}, {"radius", 1}};
  sample.record(key, {{1, 1e-3}});
  lookup::Query query = query_of(key);
  query.settings = {};
  EXPECT_EQ(sample.best(query).match, Match::exact);
  query.settings = {{"steps", "1"}, {"radius", "1"}};
  EXPECT_EQ(sample.best(query).match, Match::exact);
}

TEST(LookupSettings, OtherOnesAreNeverOffered) {
  DatabaseSample sample;
  WorkloadKey key = example_key();
  key.instance.settings = {{"type", "float"}, {"shape", "star"}, {"radius", 2}};
  sample.record(key, {{1, 1e-3}});
  lookup::Query query = query_of(key);
  for (const auto& settings : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {}, {{"radius", "3"}}, {{"radius", "2"}, {"type", "double"}}, {{"radius", "2"}, {"steps", "2"}}}) {
    query.settings = settings;
    EXPECT_EQ(sample.best(query).match, Match::none);
    EXPECT_TRUE(sample.open().candidates(query, 10)->empty());
  }
  query.settings = {{"radius", "2"}};
  EXPECT_EQ(sample.best(query).match, Match::exact);
}

// The defaults of a definition are not known: settings on which all records agree may be left out.
TEST(LookupSettings, OfOtherProblemsMayBeLeftOutWhereTheyAreClear) {
  DatabaseSample sample;
  WorkloadKey key = example_key();
  key.instance.problem = "mine";
  key.instance.settings = {{"real", "float"}, {"mode", "a"}};
  sample.record(key, {{1, 1e-3}});
  lookup::Query query = query_of(key);
  const auto match = [&](std::vector<std::pair<std::string, std::string>> settings) {
    query.settings = std::move(settings);
    const auto best = sample.open().best(query);
    return best ? best->match : Match::none;
  };
  EXPECT_EQ(match({}), Match::exact);
  EXPECT_EQ(match({{"real", "float"}}), Match::exact);
  EXPECT_EQ(match({{"mode", "a"}, {"real", "float"}}), Match::exact);
  EXPECT_EQ(match({{"real", "double"}}), Match::none);
  EXPECT_EQ(match({{"real", "floa"}}), Match::none);
  EXPECT_NE(sample.open().best(query)->why.find("'tune list runs'"), std::string::npos);
  key.instance.settings = {{"real", "double"}, {"mode", "a"}};
  sample.record(key, {{2, 1e-3}});
  EXPECT_EQ(match({}), Match::none);
  EXPECT_EQ(match({{"mode", "a"}}), Match::none);
  EXPECT_EQ(match({{"real", "double"}}), Match::exact);
}

}  // namespace
}  // namespace tune::testing
