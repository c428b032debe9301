// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/tensor_map_shape.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

BufferSpec map_buffer() {
  BufferSpec spec{"in", ElementType::f32, {}, BufferRole::input};
  spec.layout = {{30, 10, 5}, {1, 32, 320}, 64, 64 + 320 * 5};
  return spec;
}

std::string map_refusal(const TensorMapSpec& map, const BufferSpec& over = map_buffer()) {
  const auto right = check_tensor_map(over, map);
  if (right) return "";
  EXPECT_EQ(right.error().phase, Phase::resources);
  EXPECT_EQ(right.error().reason, "tensor map");
  return right.error().detail;
}

TEST(TensorMapShape, CoversTheLogicalTensor) {
  const TensorMapSpec map = map_of(map_buffer(), {8, 4, 1});
  EXPECT_EQ(map.extents, (std::vector<std::uint64_t>{30, 10, 5}));
  EXPECT_EQ(map.strides, (std::vector<std::uint64_t>{128, 1280}));
  EXPECT_EQ(map_refusal(map), "");
  EXPECT_EQ(box_bytes(map_buffer(), map), 128u);
}

TEST(TensorMapShape, WhatIsRefusedSaysTheCure) {
  const auto expect = [](const char* says, auto change) {
    TensorMapSpec map = map_of(map_buffer(), {8, 4, 1});
    change(map);
    EXPECT_NE(map_refusal(map).find(says), std::string::npos) << map_refusal(map) << " / " << says;
    EXPECT_EQ(map_refusal(map).find('\n'), std::string::npos);
  };
  expect("a multiple of 16", [](auto& map) { map.box[0] = 7; });
  expect("take 1 to 256", [](auto& map) { map.box[1] = 257; });
  expect("take 1 to 256", [](auto& map) { map.box[2] = 0; });
  expect("pad rows", [](auto& map) { map.strides[0] = 120; });
  expect("below 2^40", [](auto& map) { map.strides[1] = std::uint64_t{1} << 40; });
  expect("make that a multiple of 16", [](auto& map) { map.offset = 1; });
  expect("make the extents smaller", [](auto& map) { map.extents[2] = 6; });
  expect("make the extents smaller", [](auto& map) {
    map.offset = 32;
    map.extents[0] = 32;
  });
  expect("take 1 to 2^32", [](auto& map) { map.extents[0] = 0; });
  expect("take 1 to 5", [](auto& map) { map.extents.clear(); });
  expect("2 strides", [](auto& map) { map.strides.pop_back(); });
  expect("take 32 at most", [](auto& map) {
    map.box[0] = 16;
    map.swizzle = MapSwizzle::bytes_32;
  });
  BufferSpec host = map_buffer();
  host.place = MemoryPlace::pinned;
  EXPECT_NE(map_refusal(map_of(map_buffer(), {8, 4, 1}), host).find("copy it to the device"),
            std::string::npos);
}

LaunchPlan plan_with_map(const TensorMapSpec& map) {
  LaunchPlan plan;
  plan.buffers = {map_buffer()};
  Launch launch;
  launch.entry = "k";
  launch.arguments = {TensorMapArgument{"in", map}};
  plan.launches = {launch};
  return plan;
}

TEST(TensorMapShape, OlderDevicesHaveNone) {
  const LaunchPlan plan = plan_with_map(map_of(map_buffer(), {8, 4, 1}));
  DeviceProperties device;
  device.compute_major = 8;
  device.compute_minor = 9;
  const auto refused = check_tensor_maps(device, plan);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("compute capability 9.0, the device has 8.9"), std::string::npos);
  device.compute_major = 9;
  EXPECT_TRUE(check_tensor_maps(device, plan));
  device.compute_major = 8;
  EXPECT_TRUE(check_tensor_maps(device, LaunchPlan{}));
}

// A map over pixels of four bytes: its boxes reach four times as far as those over bytes.
TEST(TensorMapShape, GroupsElements) {
  BufferSpec pixels{"in", ElementType::u8, Layout::dense({4 * 1024, 8})};
  TensorMapSpec map;
  map.extents = {1024, 8};
  map.strides = {4096};
  map.box = {256, 2};
  map.group = 4;
  EXPECT_TRUE(check_tensor_map(pixels, map));
  EXPECT_EQ(box_bytes(pixels, map), 2048U);
  map.extents[0] = 1025;
  EXPECT_FALSE(check_tensor_map(pixels, map));
  map.extents[0] = 1024;
  map.group = 3;
  const Result<void> wrong = check_tensor_map(pixels, map);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().detail.find("its elements have 3 bytes"), std::string::npos)
      << wrong.error().detail;
}

TEST(TensorMapShape, EveryFieldIsInThePlansText) {
  const TensorMapSpec map = map_of(map_buffer(), {8, 4, 1});
  const std::string text = launches_of(plan_with_map(map));
  const auto differs = [&](auto change) {
    TensorMapSpec other = map;
    change(other);
    EXPECT_NE(launches_of(plan_with_map(other)), text);
  };
  differs([](auto& m) { m.offset = 4; });
  differs([](auto& m) { m.extents[1] = 9; });
  differs([](auto& m) { m.strides[1] = 2560; });
  differs([](auto& m) { m.box[1] = 5; });
  differs([](auto& m) { m.swizzle = MapSwizzle::bytes_32; });
  differs([](auto& m) { m.promotion = MapPromotion::none; });
  differs([](auto& m) { m.group = 2; });
}

}  // namespace
}  // namespace tune
