// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/units.hpp"

#include <gtest/gtest.h>

#include "tuner/base/error.hpp"

namespace tune {
namespace {

TEST(Units, ShowFourDigitsAndAPrefix) {
  EXPECT_EQ(si(2.845e-4, "s"), "284.5 us");
  EXPECT_EQ(si(1.0, "s"), "1 s");
  EXPECT_EQ(si(4.27e12, "B/s"), "4.27 TB/s");
  EXPECT_EQ(si(999.96, "B/s"), "1000 B/s");
  EXPECT_EQ(si(0, "s"), "0 s");
  EXPECT_EQ(si(3e15, "s"), "3000 Ts");
  EXPECT_EQ(bytes_text(232448), "227 KiB");
  EXPECT_EQ(bytes_text(1), "1 B");
  EXPECT_EQ(percent_text(0.917), "92 %");
  EXPECT_EQ(percent_text(0.0123), "1.2 %");
}

TEST(Units, ShowDurationsForWaitingPeople) {
  EXPECT_EQ(duration_text(1.26), "1.3 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(duration_text(3720), "1 h 2 min");
}

TEST(Units, ReadDurations) {
  EXPECT_EQ(parse_duration("90", "--t"), 90);
  EXPECT_EQ(parse_duration("90s", "--t"), 90);
  EXPECT_EQ(parse_duration("1.5h", "--t"), 5400);
  EXPECT_EQ(parse_duration("2min", "--t"), 120);
  for (const char* wrong : {"", "s", "-3s", "0", "5x", "nan", "inf"})
    EXPECT_THROW(parse_duration(wrong, "--t"), UsageError) << wrong;
}

TEST(Units, ReadSizes) {
  EXPECT_EQ(parse_size("1", "T"), 1U);
  EXPECT_EQ(parse_size("4096", "T"), 4096U);
  EXPECT_EQ(parse_size("500M", "T"), 524'288'000U);
  EXPECT_EQ(parse_size("2G", "T"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size("1.5K", "T"), 1536U);
  EXPECT_EQ(parse_size("1T", "T"), std::uint64_t{1} << 40);
  for (const char* wrong : {"", "G", "0", "-1G", "5x", "2GB", "nan", "inf", "99999999999T", "1 G"})
    EXPECT_THROW(parse_size(wrong, "T"), UsageError) << wrong;
}

}  // namespace
}  // namespace tune
