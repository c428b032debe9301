// SPDX-License-Identifier: Apache-2.0
// What a program is told where no record answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Match;
using ::testing::HasSubstr;

class LookupAbsence : public ::testing::Test {
 protected:
  LookupAbsence() {
    WorkloadKey key = example_key();
    key.instance.settings = {{"type", "float"}, {"shape", "star"}, {"radius", 2}};
    sample_.record(key, {{1, 1e-3}});
    query_ = query_of(key);
    key.instance.problem = "mine";
    key.instance.settings = {{"real", "float"}};
    sample_.record(key, {{1, 1e-3}});
  }
  std::string why() {
    const lookup::Candidate none = sample_.best(query_);
    EXPECT_EQ(none.match, Match::none);
    return none.why;
  }

  DatabaseSample sample_;
  lookup::Query query_;
};

TEST_F(LookupAbsence, OfAProblemNamesThoseThereAre) {
  query_.problem = "stencil3D";
  EXPECT_EQ(why(), "there are no records of stencil3D; there are those of mine, stencil3d");
}

TEST_F(LookupAbsence, OfExtentsShowsASize) {
  query_.size = {512, 512};
  EXPECT_EQ(why(),
            "a size of stencil3d has 3 extents (" + example_instance().size() + "), that of the query 2");
}

TEST_F(LookupAbsence, OfASettingNamesThoseThereAre) {
  query_.settings = {{"radios", "2"}};
  EXPECT_THAT(why(), HasSubstr("there are no records of stencil3d with these settings: it has no setting "
                               "'radios', but "));
  EXPECT_THAT(why(), HasSubstr("radius"));
  query_.settings = {{"radius", "3"}};
  EXPECT_EQ(why(), "there are no records of stencil3d with these settings; there are: radius=2");
  query_.problem = "mine";
  query_.settings = {{"real", "double"}};
  EXPECT_EQ(why(),
            "there are no records of mine with these settings; there are: real=float; name all settings that "
            "'tune list runs' shows");
}

TEST_F(LookupAbsence, OfWarmCachesSaysThatThereAreColdOnes) {
  query_.warm_caches = true;
  EXPECT_EQ(why(), "there are no records of stencil3d with warm caches, but some with cold caches");
}

TEST_F(LookupAbsence, OfFilesNamesTheFolder) {
  lookup::Options options;
  options.database = "";
  options.recordings.emplace().push_back("/dev");
  EXPECT_EQ(lookup::Lookup::open(options)->best(query_)->why,
            "there is no database, and no recordings are in /dev; set TUNE_RECORDINGS to their folder");
}

TEST_F(LookupAbsence, OfADeviceNamesThoseThereAre) {
  query_.device = {};
  query_.device.name = "H200";
  const lookup::Candidate portfolio = sample_.best(query_);
  EXPECT_EQ(portfolio.match, Match::portfolio);
  EXPECT_THAT(portfolio.why,
              HasSubstr("no record is like this query (recorded devices: " + example_device().name + ")"));
}

}  // namespace
}  // namespace tune::testing
