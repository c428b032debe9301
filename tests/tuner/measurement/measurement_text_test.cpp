// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tune
