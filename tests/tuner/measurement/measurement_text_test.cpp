// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "tuner/measurement/median_interval.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune {
namespace {

TEST(MeasurementText, SaysWhyNoFurtherSampleWasTaken) {
  const auto text = [](StopReason reason) {
    Timing timing;
    timing.stop = reason;
    return to_text(timing);
  };
  EXPECT_EQ(text(StopReason::precise), "stopped: precise enough");
  EXPECT_EQ(text(StopReason::pruned), "stopped: slower than the incumbent");
  EXPECT_EQ(text(StopReason::samples), "stopped: sample limit reached");
  EXPECT_EQ(text(StopReason::time), "stopped: time limit reached");
}

// No interval can be told of one value.
TEST(MeasurementText, OneValueHasNoInterval) {
  const auto interval = [](std::vector<double> values) { return median_interval(values, 0.95); };
  EXPECT_EQ(interval_text(interval({2e-3}), "s"), "2 ms, from one measurement");
  EXPECT_EQ(interval_text(interval({2e-3, 3e-3}), "s"), "2 ms to 3 ms with 50 % confidence");
  EXPECT_EQ(difference_text(interval({1.5})), "+50.00 %");
  EXPECT_EQ(difference_text(interval({1.5, 1.25})), "+37.50 % (+25.00 to +50.00 %)");
}

}  // namespace
}  // namespace tune
