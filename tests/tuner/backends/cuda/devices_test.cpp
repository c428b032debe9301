// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/devices.hpp"

#include <gtest/gtest.h>

#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

TEST(Devices, SaysWhyThereIsNoDevice) {
  std::string reason;
  const auto devices = list_devices(&reason);
  EXPECT_EQ(devices.empty(), !reason.empty()) << reason;
  if (!devices.empty()) GTEST_SKIP() << "this machine has a device";
  EXPECT_TRUE(list_devices(nullptr).empty());
  EXPECT_THROW(open_device(0), Error);
}

TEST(Devices, RefusesDevicesThatAreNotThere) {
  EXPECT_THROW(open_device(-1), Error);
  EXPECT_THROW(open_device(1000), Error);
}

TEST(Devices, SaysWhyThereIsNoCompiler) {
  std::string reason;
  EXPECT_EQ(make_nvrtc_compiler("sm_1", &reason), nullptr);
  EXPECT_NE(reason.find("NVRTC"), std::string::npos) << reason;
}

}  // namespace
}  // namespace tune::cuda
