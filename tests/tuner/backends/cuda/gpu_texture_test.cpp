// SPDX-License-Identifier: Apache-2.0
// Textures on a device, against the emulator's model of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "tests/support/texture_sample.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/emulator/memory/texture_fetch.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

using GpuTextures = GpuTest;
using emulator::Texture;
using tune::testing::all_texture_samples;
using tune::testing::texture_sample;
using tune::testing::TextureSample;
using tune_emulator::TextureCall;
using tune_emulator::TextureRequest;

/// The sample's texture over its tensor, without the gaps that the plan has.
Texture on_host(const TextureSample& sample) {
  BufferSpec dense = sample.plan.buffer("image");
  dense.layout = Layout::dense(dense.layout.extents);
  TextureLimits any;
  any.pitch_alignment = 1;
  return {"image", sample.texture.texture, dense.type, *texture_shape(dense, sample.texture.texture, any),
          reinterpret_cast<const char*>(sample.inputs.at("image").bytes().data())};
}

TextureRequest request_of(const TextureSample& sample, std::size_t fetch, int component) {
  const TextureSpec& spec = sample.texture.texture;
  TextureRequest request{};
  request.call = sample.gather                          ? TextureCall::gather_2d
                 : spec.memory == TextureMemory::linear ? TextureCall::fetch_1d
                 : spec.dimensions == 1                 ? TextureCall::sample_1d
                 : spec.dimensions == 2                 ? TextureCall::sample_2d
                                                        : TextureCall::sample_3d;
  for (std::size_t axis = 0; axis < 3; ++axis) request.at[axis] = sample.coordinate(fetch, axis);
  request.index = static_cast<int>(std::floor(request.at[0]));
  request.component = component;
  return request;
}

/// What the emulator says that the fetch gives.
double modelled(const TextureSample& sample, const Texture& texture, std::size_t fetch, std::size_t channel,
                int component) {
  const TextureRequest request = request_of(sample, fetch, component);
  const std::uint32_t bits = value(texture, request, footprint(texture, request))[channel];
  if (texture.element == ElementType::f32 || texture.spec.read == ReadMode::normalized)
    return std::bit_cast<float>(bits);
  return texture.element == ElementType::i32 ? static_cast<double>(static_cast<std::int32_t>(bits)) : bits;
}

/// The largest difference between device and model.
double largest_difference(const TextureSample& sample, const std::vector<float>& device, int component) {
  const Texture texture = on_host(sample);
  const auto channels = static_cast<std::size_t>(sample.channels);
  double worst = 0;
  for (std::size_t i = 0; i < sample.fetches(); ++i)
    for (std::size_t c = 0; c < channels; ++c) {
      const double difference = std::abs(static_cast<double>(device[channels * i + c]) -
                                         modelled(sample, texture, i, c, component));
      worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
    }
  return worst;
}

/// Texels are in [-1, 1]: a weight that is wrong by 1/256 shows as some thousandths. The device sums in
/// single precision; bytes it filters in fixed point.
double allowed(const TextureSample& sample) {
  const TextureSpec& spec = sample.texture.texture;
  const bool bytes = sample.inputs.at("image").type() == ElementType::u8;
  if (spec.filter == FilterMode::point) return spec.read == ReadMode::normalized ? 1e-7 : 0;
  if (spec.dimensions == 3) return 0.01;  // the device rounds some of eight weights the other way
  return bytes ? 5e-5 : 2e-6;
}

TEST_F(GpuTextures, FetchWhatTheEmulatorSays) {
  std::map<std::string, double> worst;
  std::size_t seen = 0;
  for (const TextureSample& sample : all_texture_samples()) {
    const bool second = sample.gather && sample.inputs.at("image").type() == ElementType::f32;
    const auto prepared = run(sample.plan, sample.inputs);
    const auto out = prepared->fetch("out");
    ASSERT_TRUE(out) << out.error().detail;
    const double difference = largest_difference(sample, floats(*out), second ? 1 : 0);
    EXPECT_LE(difference, allowed(sample)) << sample.text();
    const TextureSpec& spec = sample.texture.texture;
    double& known = worst[format("{} {}", spec.filter == FilterMode::linear ? "linear" : "point",
                                 to_string(sample.inputs.at("image").type()))];
    known = std::max(known, difference);
    ++seen;
    const auto harmed = prepared->check_memory();
    EXPECT_TRUE(harmed) << harmed.error().detail;
  }
  EXPECT_GT(seen, 400u);
  for (const auto& [kind, difference] : worst)
    std::printf("%s: %.3g from the model at most\n", kind.c_str(), difference);
}

/// A ramp: texel i is i, so that a fetch gives the place that the device takes the coordinate for.
LaunchPlan ramp_plan(std::uint64_t fetches) {
  TextureSpec spec;
  spec.dimensions = 1;
  spec.filter = FilterMode::linear;
  return plan_of(
      "extern \"C\" __global__ void k(cudaTextureObject_t t, const float* at, float* out) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = tex1D<float>(t, at[i]);\n}\n",
      {buffer("ramp", Layout::dense({2}), BufferRole::input),
       buffer("at", Layout::dense({fetches}), BufferRole::input),
       buffer("out", Layout::dense({fetches}), BufferRole::output)},
      launch("k", {static_cast<std::uint32_t>(fetches / 64), 1, 1}, {64, 1, 1},
             {TextureArgument{"ramp", spec}, BufferArgument{"at"}, BufferArgument{"out"}}));
}

// The weights themselves: 8 bits behind the point, rounded to the nearest.
TEST_F(GpuTextures, WeightsHaveEightBitsBehindThePoint) {
  constexpr std::uint64_t steps = 16 * 256;  // sixteen coordinates for each weight
  HostTensor at(ElementType::f32, {steps});
  for (std::size_t i = 0; i < steps; ++i) at.as<float>()[i] = 0.5f + static_cast<float>(i) / steps;
  const auto prepared = run(ramp_plan(steps), {{"ramp", counting({2})}, {"at", at}});
  const auto weights = floats(*prepared->fetch("out"));
  std::size_t nearest = 0, truncated = 0, ties_up = 0, no_multiple = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double scaled = 256.0 * static_cast<double>(weights[i]);
    if (scaled != std::floor(scaled)) ++no_multiple;
    if (i % 16 == 8) {
      if (scaled == std::floor(static_cast<double>(i) / 16) + 1) ++ties_up;
      continue;
    }
    if (scaled == std::floor(static_cast<double>(i) / 16 + 0.5)) ++nearest;
    if (scaled == std::floor(static_cast<double>(i) / 16)) ++truncated;
  }
  std::printf(
      "of %d weights %zu are no multiples of 1/256; besides the ties %zu are nearest, %zu truncated; "
      "%zu of 256 ties go up\n",
      static_cast<int>(steps), no_multiple, nearest, truncated, ties_up);
  EXPECT_EQ(no_multiple, 0u);
  EXPECT_EQ(nearest, steps - 256);
  EXPECT_EQ(ties_up, 256u);
}

TEST_F(GpuTextures, TexelsOfWeightZeroAreLeftOut) {
  auto plan = ramp_plan(64);
  HostTensor ramp = counting({2}, 3);
  ramp.as<float>()[1] = std::numeric_limits<float>::infinity();
  HostTensor at(ElementType::f32, {64});
  std::ranges::fill(at.as<float>(), 0.5f);
  const auto prepared = run(plan, {{"ramp", ramp}, {"at", at}});
  EXPECT_EQ(floats(*prepared->fetch("out"))[0], 3.0f);
}

TEST_F(GpuTextures, ArraysFollowTheirInputs) {
  constexpr std::uint64_t n = 64;
  HostTensor at(ElementType::f32, {n});
  std::ranges::fill(at.as<float>(), 0.5f);
  const auto prepared = run(ramp_plan(n), {{"ramp", counting({2}, 3)}, {"at", at}});
  EXPECT_EQ(floats(*prepared->fetch("out"))[5], 3.0f);
  const TensorSet others = {{"ramp", counting({2}, 40)}, {"at", at}};
  ASSERT_TRUE(prepared->run_checked(views_of(others)));
  EXPECT_EQ(floats(*prepared->fetch("out"))[5], 40.0f);
}

// A launch writes what the next one reads through a texture.
TEST_F(GpuTextures, PipelinesReadWhatEarlierLaunchesWrote) {
  TextureSpec spec;
  spec.memory = TextureMemory::linear;
  spec.dimensions = 1;
  const auto layout = Layout::dense({256});
  auto plan = plan_of(
      "extern \"C\" __global__ void fill(const float* in, float* middle) {\n"
      "  middle[threadIdx.x] = 2 * in[threadIdx.x];\n}\n"
      "extern \"C\" __global__ void turn(cudaTextureObject_t t, float* out) {\n"
      "  out[threadIdx.x] = tex1Dfetch<float>(t, 255 - threadIdx.x);\n}\n",
      {buffer("in", layout, BufferRole::input), buffer("middle", layout, BufferRole::scratch),
       buffer("out", layout, BufferRole::output)},
      launch("fill", {1, 1, 1}, {256, 1, 1}, {BufferArgument{"in"}, BufferArgument{"middle"}}));
  plan.compile.entries.push_back("turn");
  plan.launches.push_back(
      launch("turn", {1, 1, 1}, {256, 1, 1}, {TextureArgument{"middle", spec}, BufferArgument{"out"}}));
  const auto prepared = run(plan, {{"in", counting({256})}});
  const auto out = floats(*prepared->fetch("out"));
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 2.0f * static_cast<float>(255 - i));
}

// Short executions are timed as graphs of many, each with buffers and textures of its own.
TEST_F(GpuTextures, AreTimedInGraphs) {
  for (const auto memory : {TextureMemory::array, TextureMemory::pitched}) {
    TextureSpec spec;
    spec.memory = memory;
    spec.filter = FilterMode::linear;
    const TextureSample sample = texture_sample(spec, ElementType::f32, {61, 33});
    const auto prepared = run(sample.plan, sample.inputs);
    const auto timing = prepared->measure({});
    ASSERT_TRUE(timing) << timing.error().detail;
    EXPECT_GT(timing->executions, 1);
    const auto out = prepared->fetch("out");
    ASSERT_TRUE(out);
    EXPECT_LE(largest_difference(sample, floats(*out), 0), allowed(sample));
  }
}

/// Reason and detail of the failure to prepare.
template<class Prepare>
std::string refusal(const Prepare& prepare, const LaunchPlan& plan) {
  const auto prepared = prepare(plan);
  if (prepared) return "prepared";
  EXPECT_EQ(prepared.error().phase, Phase::resources);
  return prepared.error().reason + ": " + prepared.error().detail;
}

TEST_F(GpuTextures, WhatTheDeviceDoesNotTakeIsAFailure) {
  const auto says = [&](LaunchPlan plan, const std::string& what) {
    const std::string text = refusal([](const LaunchPlan& wanted) { return prepare(wanted); }, plan);
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  TextureSpec pitched;
  pitched.memory = TextureMemory::pitched;
  LaunchPlan plan = texture_sample(pitched, ElementType::f32, {64, 8}).plan;
  plan.buffers[0].layout.strides[1] = 67;
  plan.buffers[0].layout.allocation = 67 * 8;
  says(plan,
       "texture: the texture over `image`: its rows lie 268 bytes apart, which must be a multiple of 32");
  TextureSpec array;
  array.dimensions = 1;
  plan = texture_sample(array, ElementType::f32, {64}).plan;
  plan.buffers[0].layout = Layout::dense({std::uint64_t{1} << 20});
  says(plan, "1048576 texels along dimension 0, the limit is ");
}

// The limits that the emulator takes for granted.
TEST_F(GpuTextures, TheLimitsAreThoseThatAreAssumed) {
  TextureSpec spec;
  const auto edge = [&](int dimensions, const Extents& extents) {
    spec.dimensions = dimensions;
    LaunchPlan plan = texture_sample(spec, ElementType::u8, Extents(extents.size(), 1)).plan;
    plan.buffers[0].layout = Layout::dense(extents);
    return refusal([](const LaunchPlan& wanted) { return prepare(wanted); }, plan);
  };
  const TextureLimits assumed;
  EXPECT_EQ(edge(1, {assumed.array_1d}), "prepared");
  EXPECT_EQ(edge(2, {assumed.array_2d[0], 1}), "prepared");
  EXPECT_EQ(edge(2, {1, assumed.array_2d[1]}), "prepared");
  EXPECT_EQ(edge(3, {assumed.array_3d[0], 1, 1}), "prepared");
  EXPECT_EQ(edge(3, {1, 1, assumed.array_3d[2]}), "prepared");
}

}  // namespace
}  // namespace tune::cuda
