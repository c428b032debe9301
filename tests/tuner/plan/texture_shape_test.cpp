// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/texture_shape.hpp"

#include <gtest/gtest.h>

#include "tuner/base/error.hpp"

namespace tune {
namespace {

BufferSpec buffer(const Extents& extents, ElementType type = ElementType::f32) {
  return {"in", type, Layout::dense(extents), BufferRole::input};
}

TextureSpec texture(TextureMemory memory, int dimensions, int channels = 1) {
  TextureSpec spec;
  spec.memory = memory;
  spec.dimensions = dimensions;
  spec.channels = channels;
  return spec;
}

std::string texture_refusal(const BufferSpec& over, const TextureSpec& spec) {
  const auto shape = texture_shape(over, spec);
  if (shape) return "taken";
  EXPECT_EQ(shape.error().phase, Phase::resources);
  EXPECT_EQ(shape.error().reason, "texture");
  return shape.error().detail;
}

TEST(TextureShape, TakesChannelsFromTheFirstDimensionOrOneOfTheirOwn) {
  for (const Extents& extents : {Extents{4, 16, 9}, Extents{64, 9}}) {
    const auto shape = texture_shape(buffer(extents), texture(TextureMemory::array, 2, 4));
    ASSERT_TRUE(shape) << shape.error().detail;
    EXPECT_EQ(shape->extents, (std::array<std::uint64_t, 3>{16, 9, 1}));
    EXPECT_EQ(shape->strides, (std::array<std::uint64_t, 3>{16, 256, 0}));
  }
  EXPECT_NE(texture_refusal(buffer({2, 16, 9}), texture(TextureMemory::array, 2, 4)), "taken");
  EXPECT_NE(texture_refusal(buffer({66, 9}), texture(TextureMemory::array, 2, 4)), "taken");
}

TEST(TextureShape, FollowsTheLayout) {
  BufferSpec padded = buffer({10, 6, 4});
  padded.layout.strides = {1, 16, 128};
  padded.layout.offset = 3;
  padded.layout.allocation = 3 + 4 * 128;
  const auto shape = texture_shape(padded, texture(TextureMemory::array, 3));
  ASSERT_TRUE(shape) << shape.error().detail;
  EXPECT_EQ(shape->strides, (std::array<std::uint64_t, 3>{4, 64, 512}));
}

TEST(TextureShape, NamesWhatCudaDoesNotOffer) {
  const auto array = texture(TextureMemory::array, 1);
  auto changed = array;
  EXPECT_EQ(texture_refusal(buffer({8}), array), "taken");
  EXPECT_EQ(texture_refusal(buffer({8}, ElementType::f64), array),
            "the texture over `in`: there are no textures of double");
  EXPECT_NE(texture_refusal(buffer({9}), texture(TextureMemory::array, 1, 3)), "taken");
  EXPECT_NE(texture_refusal(buffer({8, 8, 8}), texture(TextureMemory::pitched, 3)), "taken");
  EXPECT_NE(texture_refusal(buffer({8, 8}), texture(TextureMemory::linear, 2)), "taken");
  changed.filter = FilterMode::linear;
  EXPECT_EQ(texture_refusal(buffer({8}), changed), "taken");
  EXPECT_NE(texture_refusal(buffer({8}, ElementType::u8), changed), "taken");
  changed.read = ReadMode::normalized;
  EXPECT_EQ(texture_refusal(buffer({8}, ElementType::u8), changed), "taken");
  EXPECT_NE(texture_refusal(buffer({8}, ElementType::i32), changed), "taken");
  changed.memory = TextureMemory::linear;
  EXPECT_NE(texture_refusal(buffer({8}, ElementType::u8), changed), "taken");
  changed = texture(TextureMemory::pitched, 2);
  changed.gather = true;
  EXPECT_NE(texture_refusal(buffer({32, 8}), changed), "taken");
  BufferSpec written = buffer({8});
  written.role = BufferRole::scratch;
  EXPECT_NE(texture_refusal(written, array), "taken");
  EXPECT_EQ(texture_refusal(written, texture(TextureMemory::linear, 1)), "taken");
}

TEST(TextureShape, NamesTheLimits) {
  EXPECT_EQ(texture_refusal(buffer({9, 8}), texture(TextureMemory::pitched, 2)),
            "the texture over `in`: its rows lie 36 bytes apart, which must be a multiple of 32");
  EXPECT_EQ(texture_refusal(buffer({8, 65'001}), texture(TextureMemory::pitched, 2)),
            "the texture over `in`: 65001 texels along dimension 1, the limit is 65000");
  EXPECT_EQ(texture_refusal(buffer({131'073}), texture(TextureMemory::array, 1)),
            "the texture over `in`: 131073 texels along dimension 0, the limit is 131072");
  EXPECT_NE(texture_refusal(buffer({8, 8, 16'385}), texture(TextureMemory::array, 3)), "taken");
  EXPECT_EQ(texture_refusal(buffer({8, 16'385}), texture(TextureMemory::array, 2)), "taken");
  auto gather = texture(TextureMemory::array, 2);
  gather.gather = true;
  EXPECT_NE(texture_refusal(buffer({32'769, 8}), gather), "taken");
  BufferSpec shifted = buffer({8});
  shifted.layout.offset = 4;
  shifted.layout.allocation = 12;
  EXPECT_EQ(
      texture_refusal(shifted, texture(TextureMemory::linear, 1)),
      "the texture over `in`: its first texel lies 16 bytes into the allocation, which must be a multiple "
      "of 512");
  EXPECT_EQ(texture_refusal(shifted, texture(TextureMemory::array, 1)), "taken");
  BufferSpec overlapping = buffer({8, 8});
  overlapping.layout.strides[1] = 7;
  EXPECT_NE(texture_refusal(overlapping, texture(TextureMemory::array, 2)), "taken");
}

LaunchPlan plan_with(const TextureSpec& spec) {
  LaunchPlan plan;
  plan.buffers = {buffer({64, 8})};
  Launch launch;
  launch.arguments = {TextureArgument{"in", spec}};
  plan.launches = {launch, launch};
  return plan;
}

TEST(PlanTextures, AreCountedOnceAndArraysTakeMemory) {
  EXPECT_EQ(plan_with(texture(TextureMemory::array, 2)).textures().size(), 1u);
  EXPECT_EQ(plan_with(texture(TextureMemory::array, 2)).memory(), 2u * 64 * 8 * 4);
  EXPECT_EQ(plan_with(texture(TextureMemory::pitched, 2)).memory(), 64u * 8 * 4);
  EXPECT_THROW(plan_with({}).buffer("out"), Error);
}

// Plans with equal texts are measured once.
TEST(PlanTextures, EveryMemberIsPartOfThePlansText) {
  const TextureSpec spec = texture(TextureMemory::array, 2);
  std::vector<TextureSpec> others(9, spec);
  others[0].memory = TextureMemory::pitched;
  others[1].dimensions = 1;
  others[2].channels = 2;
  others[3].address[0] = AddressMode::wrap;
  others[4].address[2] = AddressMode::border;
  others[5].filter = FilterMode::linear;
  others[6].read = ReadMode::normalized;
  others[7].normalized_coordinates = true;
  others[8].gather = true;
  EXPECT_EQ(launches_of(plan_with(spec)), launches_of(plan_with(spec)));
  for (const TextureSpec& other : others)
    EXPECT_NE(launches_of(plan_with(other)), launches_of(plan_with(spec)));
}

}  // namespace
}  // namespace tune
