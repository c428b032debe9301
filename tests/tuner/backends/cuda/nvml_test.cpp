// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/nvml.hpp"

#include <gtest/gtest.h>

namespace tune::cuda {
namespace {

TEST(ThrottleText, NamesReasons) {
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(0x1), "") << "an idle device is not throttled";
  EXPECT_EQ(throttle_text(0x4), "power cap");
  EXPECT_EQ(throttle_text(0x4 | 0x20), "power cap, thermal");
}

TEST(Nvml, IsThereOrNot) {
  const auto nvml = Nvml::open();
  if (nvml == nullptr) GTEST_SKIP() << "no NVML on this machine";
  EXPECT_FALSE(nvml->driver_version().empty());
  EXPECT_FALSE(nvml->find("GPU-00000000-0000-0000-0000-000000000000", "ffff:ff:ff.0"));
}

}  // namespace
}  // namespace tune::cuda
