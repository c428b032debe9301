// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/tuner/backends/cuda/known_devices.hpp"
#include "tuner/backends/cuda/plan/kernel_limits.hpp"

namespace tune::cuda {
namespace {

TEST(Occupancy, IsFullWhereNothingIsShort) {
  const auto full = occupancy(h200_properties(), {256, 32, 0, 0});
  EXPECT_EQ(full.blocks, 8);  // 2048 threads of an SM / 256
  EXPECT_DOUBLE_EQ(full.fraction, 1.0);
  EXPECT_EQ(full.limiter, "threads");
}

TEST(Occupancy, CountsRegistersByWarpAndQuarter) {
  const auto half = occupancy(h200_properties(), {256, 64, 0, 0});
  EXPECT_EQ(half.blocks, 4);  // 65536 registers / (64 * 256)
  EXPECT_DOUBLE_EQ(half.fraction, 0.5);
  EXPECT_EQ(half.limiter, "registers");
  // A warp takes 40 * 32 = 1280 registers; a quarter of the SM (16384) holds 12 warps, all 48; a
  // block has 7 warps. Dividing all registers by a block's would give 7.
  EXPECT_EQ(occupancy(h200_properties(), {224, 40, 0, 0}).blocks, 6);
  // 65 registers are rounded to 72: 7 warps a quarter, 28 of the 32 that a block has.
  EXPECT_EQ(occupancy(h200_properties(), {1024, 65, 0, 0}).blocks, 0);
}

TEST(Occupancy, AddsTheReservedSharedMemory) {
  const auto few = occupancy(h200_properties(), {128, 32, 0, 48 * 1024});
  EXPECT_EQ(few.blocks, 4);  // 228 KiB / (48 + 1) KiB
  EXPECT_DOUBLE_EQ(few.fraction, 0.25);
  EXPECT_EQ(few.limiter, "shared memory");
  // 76 KiB a block would be three in 228 KiB, but each takes one more.
  EXPECT_EQ(occupancy(h200_properties(), {128, 32, 0, 76 * 1024}).blocks, 2);
  EXPECT_EQ(occupancy(h200_properties(), {128, 32, 0, 75 * 1024}).blocks, 3);
  EXPECT_EQ(occupancy(h200_properties(), {128, 32, 40 * 1024, 35 * 1024}).blocks, 3)
      << "static counts as well";
  EXPECT_EQ(occupancy(h200_properties(), {128, 32, 0, 227 * 1024}).blocks, 1);
  EXPECT_EQ(occupancy(h200_properties(), {128, 32, 0, 228 * 1024}).blocks, 0);
}

TEST(Occupancy, IsBoundByTheNumberOfBlocks) {
  const auto small = occupancy(h200_properties(), {32, 16, 0, 0});
  EXPECT_EQ(small.blocks, 32);
  EXPECT_DOUBLE_EQ(small.fraction, 0.5);
  EXPECT_EQ(small.limiter, "blocks");
  EXPECT_DOUBLE_EQ(occupancy(h200_properties(), {33, 16, 0, 0}).fraction, 1.0)
      << "a begun warp counts as one";
}

TEST(Occupancy, DependsOnTheDevice) {
  EXPECT_EQ(occupancy(a100_properties(), {128, 32, 0, 80 * 1024}).blocks, 2);  // 164 KiB / (80 + 1) KiB
  EXPECT_EQ(occupancy(a100_properties(), {128, 32, 0, 82 * 1024}).blocks, 1);
  EXPECT_EQ(occupancy(h200_properties(), {128, 32, 0, 82 * 1024}).blocks, 2);
}

TEST(Occupancy, IsUnknownForAnUnknownArchitecture) {
  auto properties = h200_properties();
  properties.compute_major = 99;
  const auto unknown = occupancy(properties, {128, 32, 0, 0});
  EXPECT_EQ(unknown.blocks, 0);
  EXPECT_EQ(unknown.limiter, "");
}

}  // namespace
}  // namespace tune::cuda
