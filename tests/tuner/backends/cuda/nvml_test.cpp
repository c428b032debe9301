// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tuner/measurement/sampling.hpp"

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

// A stand-in for the library, which knows one GPU: its own name finds it while it is loaded.
TEST(Nvml, OfAPartOfAGpuTheEnergyIsNotKnown) {
  const std::shared_ptr<void> loaded(dlopen(TUNE_NVML_STAND_IN, RTLD_NOW), dlclose);
  ASSERT_NE(loaded, nullptr) << dlerror();
  const auto nvml = Nvml::open();
  ASSERT_NE(nvml, nullptr);
  if (nvml->driver_version() != "stand-in") GTEST_SKIP() << "the driver's own library is loaded";
  const auto whole = nvml->find("GPU-1", "0000:17:00.0");
  const auto part = nvml->find("GPU-of-a-part", "0000:17:00.0");
  ASSERT_TRUE(whole && part);
  EXPECT_EQ(whole->energy(), 5.0);
  EXPECT_EQ(whole->read().power, 300);
  EXPECT_EQ(part->energy(), std::nullopt);
  EXPECT_EQ(part->read().power, 0);
  EXPECT_EQ(part->read().core_clock, whole->read().core_clock);
}

}  // namespace
}  // namespace tune::cuda
