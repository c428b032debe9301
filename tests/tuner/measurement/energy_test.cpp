// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tuner/measurement/sampling.hpp"

namespace tune {
namespace {

/// Reads a counter of a device of 400 W that moves every `step` seconds, every 3 ms.
double measured(double step, double min, double phase, double until = 5) {
  EnergyWindow window(min);
  for (double t = 0; t < until; t += 0.003)
    if (window.add(t, 400 * step * std::floor((t + phase) / step))) break;
  return window.watts();
}

TEST(EnergyWindow, MeasuresFromStepToStep) {
  for (const double step : {0.02, 0.1, 0.25})
    for (const double phase : {0.0, 0.013, 0.09})
      EXPECT_NEAR(measured(step, 0.5, phase), 400, 400 * 0.013) << step << " " << phase;
  EXPECT_NEAR(measured(1e-4, 0.5, 0), 400, 4) << "a counter that moves all the time";
}

TEST(EnergyWindow, WaitsForSteps) {
  EXPECT_EQ(measured(10, 0.5, 0), 0) << "no step";
  EXPECT_EQ(measured(0.1, 0.5, 0, 0.4), 0) << "too short";
}

TEST(EnergyWindow, EndsOnceItKnows) {
  EnergyWindow window(0.5);
  EXPECT_FALSE(window.add(0.0, 0));
  EXPECT_FALSE(window.add(0.1, 100)) << "the first step starts it";
  EXPECT_FALSE(window.add(0.5, 300)) << "0.4 s";
  EXPECT_FALSE(window.add(0.7, 300)) << "no step";
  EXPECT_TRUE(window.add(0.8, 450));
  EXPECT_DOUBLE_EQ(window.watts(), 500);
  EXPECT_TRUE(window.add(0.9, 1000));
  EXPECT_DOUBLE_EQ(window.watts(), 500);
}

}  // namespace
}  // namespace tune
