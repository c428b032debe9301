// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tuner/backends/cuda/plan/launch_sequence.hpp"

namespace tune::cuda {
namespace {

Launch some_launch(bool cooperative) {
  Launch launch;
  launch.entry = "kernel";
  launch.grid = {5, 6, 7};
  launch.block = {32, 4, 2};
  launch.dynamic_shared_memory = 4096;
  launch.cooperative = cooperative;
  return launch;
}

TEST(LaunchSettings, ACooperativeLaunchIsStartedAsOne) {
  const LaunchSettings settings(some_launch(true), nullptr);
  ASSERT_EQ(settings.config.numAttrs, 1u);
  EXPECT_EQ(settings.config.attrs[0].id, cudaLaunchAttributeCooperative);
  EXPECT_EQ(settings.config.attrs[0].val.cooperative, 1);
}

TEST(LaunchSettings, AnOrdinaryLaunchHasNoAttributes) {
  EXPECT_EQ(LaunchSettings(some_launch(false), nullptr).config.numAttrs, 0u);
}

TEST(LaunchSettings, TheLaunchIsToldInFull) {
  const auto stream = reinterpret_cast<cudaStream_t>(0x10);
  const LaunchSettings settings(some_launch(false), stream);
  const auto& config = settings.config;
  EXPECT_EQ(config.gridDim.x, 5u);
  EXPECT_EQ(config.gridDim.y, 6u);
  EXPECT_EQ(config.gridDim.z, 7u);
  EXPECT_EQ(config.blockDim.x, 32u);
  EXPECT_EQ(config.blockDim.y, 4u);
  EXPECT_EQ(config.blockDim.z, 2u);
  EXPECT_EQ(config.dynamicSmemBytes, 4096u);
  EXPECT_EQ(config.stream, stream);
}

}  // namespace
}  // namespace tune::cuda
