// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/units.hpp"

#include <gtest/gtest.h>

#include "tuner/core/error.hpp"

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

}  // namespace
}  // namespace tune
