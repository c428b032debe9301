// SPDX-License-Identifier: Apache-2.0
#include "search/space/configuration.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

const Configuration sample_configuration{
    {"variant", "direct"}, {"block_x", 32}, {"async", true}, {"scale", 0.5}};

TEST(Configuration, FindsByName) {
  EXPECT_EQ(sample_configuration["block_x"], Value(32));
  EXPECT_TRUE(sample_configuration.has("variant"));
  EXPECT_FALSE(sample_configuration.has("block"));
  EXPECT_EQ(sample_configuration.find("block_y"), nullptr);
}

TEST(Configuration, NamesTheParameterThatIsMissing) {
  try {
    (void)sample_configuration["block_y"];
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("block_y"), std::string::npos);
  }
}

TEST(Configuration, SetAddsOrReplacesInPlace) {
  Configuration configuration = sample_configuration;
  configuration.set("variant", "fft");
  configuration.set("radix", 8);
  EXPECT_EQ(configuration.to_string(), "variant=fft, block_x=32, async=true, scale=0.5, radix=8");
}

TEST(Configuration, KeyIsSortedByName) {
  EXPECT_EQ(sample_configuration.key(), "async=true,block_x=32,scale=0.5,variant=direct");
  EXPECT_EQ(Configuration().key(), "");
}

TEST(Configuration, EqualityIgnoresOrderButNotKinds) {
  const Configuration reordered{{"scale", 0.5}, {"async", true}, {"block_x", 32}, {"variant", "direct"}};
  EXPECT_EQ(sample_configuration, reordered);
  Configuration other = sample_configuration;
  other.set("async", 1);
  EXPECT_FALSE(sample_configuration == other);
  other = sample_configuration;
  other.set("more", 1);
  EXPECT_FALSE(sample_configuration == other);
  EXPECT_FALSE(other == sample_configuration);
}

TEST(Configuration, ParsesWhatItWrites) {
  EXPECT_EQ(Configuration::parse(sample_configuration.key()), sample_configuration);
  EXPECT_EQ(Configuration::parse(sample_configuration.to_string()).to_string(),
            sample_configuration.to_string());
  EXPECT_EQ(Configuration::parse("  a = 1 ,b=x=y"), (Configuration{{"a", 1}, {"b", "x=y"}}));
  EXPECT_TRUE(Configuration::parse(" ").entries().empty());
}

TEST(Configuration, RejectsWhatIsNoConfiguration) {
  for (const char* text : {"a", "a=1,", "=1", "a=1,,b=2", "a=1,a=2", ","}) {
    EXPECT_THROW(Configuration::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace tune::search
