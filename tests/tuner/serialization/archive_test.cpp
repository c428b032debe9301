// SPDX-License-Identifier: Apache-2.0
#include "tuner/serialization/archive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/fake_backend.hpp"
#include "tests/support/stream_sample.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::process {
namespace {

template<class T>
T travelled(const T& value) {
  return decoded<T>(from_bytes(to_bytes(encode(value))));
}

/// No member as it is by default.
TextureSpec unusual_texture() {
  return {.memory = TextureMemory::pitched,
          .dimensions = 1,
          .channels = 4,
          .address = {AddressMode::wrap, AddressMode::mirror, AddressMode::border},
          .filter = FilterMode::linear,
          .read = ReadMode::normalized,
          .normalized_coordinates = true,
          .gather = true};
}

TensorMapSpec unusual_map() {
  return {.offset = 4,
          .extents = {1, 2, 3},
          .strides = {std::uint64_t{1} << 39, 32},
          .box = {4, 5, 6},
          .swizzle = MapSwizzle::bytes_64,
          .promotion = MapPromotion::bytes_256,
          .group = 2};
}

LaunchPlan toy_plan() {
  const testing::ToyProblem problem;
  auto plan = *problem.plan(testing::toy_instance(1000), {{"kind", "plain"}, {"block", 64}, {"items", 2}},
                            testing::ToySources());
  plan.compile.headers = {{"a.cuh", "// a\n"}, {"b.cuh", std::string("\0\xff", 2)}};
  plan.compile.options = {"-lineinfo"};
  auto& launch = std::get<Launch>(plan.launches[0]);
  launch.dynamic_shared_memory = 1ULL << 40;
  launch.cooperative = true;
  launch.arguments = {BufferArgument{"out"},
                      ScalarArgument{std::int32_t{-5}},
                      ScalarArgument{std::uint32_t{4'000'000'000}},
                      ScalarArgument{std::numeric_limits<std::int64_t>::min()},
                      ScalarArgument{std::numeric_limits<std::uint64_t>::max()},
                      ScalarArgument{0.1f},
                      ScalarArgument{1e-320},
                      TensorMapArgument{"in", unusual_map()},
                      TextureArgument{"in", unusual_texture()}};
  plan.buffers.push_back(
      {"counter", ElementType::u32, Layout::dense({1}), BufferRole::scratch, false, BufferFill::zero});
  return plan;
}

TEST(Archive, PlansSurviveToTheLastBit) {
  LaunchPlan plan = toy_plan();
  plan.compile.headers[1].text = "// b";
  const LaunchPlan copy = travelled(plan);
  EXPECT_EQ(content_of(copy.compile), content_of(plan.compile));
  EXPECT_EQ(launches_of(copy), launches_of(plan));
  EXPECT_EQ(copy.buffers[0].layout, plan.buffers[0].layout);
  EXPECT_EQ(copy.buffers.back().fill, BufferFill::zero);
  EXPECT_EQ(std::get<TextureArgument>(std::get<Launch>(copy.launches[0]).arguments.back()).texture,
            unusual_texture());
  EXPECT_EQ(std::get<TensorMapArgument>(std::get<Launch>(copy.launches[0]).arguments[7]).map, unusual_map());
}

TEST(Archive, SetupAndToleranceSurvive) {
  LaunchPlan plan = toy_plan();
  EXPECT_FALSE(travelled(plan).tolerance);
  plan.setup = {FourierTransform{FourierDirection::forward, "in", "out", {7}}, plan.launches[0]};
  plan.tolerance = Tolerance{.absolute = 1e-300,
                             .derivation = "why",
                             .values_along = {{}, {1, 1e-310}, {std::numeric_limits<double>::infinity()}},
                             .share_of_values = 0.1};
  const LaunchPlan copy = travelled(plan);
  ASSERT_EQ(copy.setup.size(), 2u);
  EXPECT_EQ(launches_of(copy), launches_of(plan));
  ASSERT_TRUE(copy.tolerance);
  EXPECT_EQ(copy.tolerance->absolute, 1e-300);
  EXPECT_EQ(copy.tolerance->derivation, "why");
  EXPECT_EQ(copy.tolerance->values_along, plan.tolerance->values_along);
  EXPECT_EQ(copy.tolerance->share_of_values, 0.1);
  const Bounds bounds = plan.tolerance->of("out");
  EXPECT_EQ(travelled(bounds).limits_along, bounds.limits_along);
}

TEST(Archive, StreamsCopiesAndPlacesSurvive) {
  LaunchPlan plan = testing::StreamSample().plan;
  plan.graph = GraphUse::never;
  plan.buffers[2].part = {"in", 3, 1, 2};
  plan.buffers[2].device = 1;
  std::get<Copy>(plan.launches[3]).order.device = 1;
  plan.launches.push_back(FourierTransform{FourierDirection::forward, "sent", "made", {7}, 1, {5, {1, 2}}});
  const LaunchPlan copy = travelled(plan);
  EXPECT_EQ(launches_of(copy), launches_of(plan));
  EXPECT_EQ(copy.graph, GraphUse::never);
  EXPECT_EQ(copy.buffers[0].place, MemoryPlace::pinned);
  ASSERT_EQ(copy.launches.size(), plan.launches.size());
  EXPECT_EQ(std::get<Copy>(copy.launches[9]), std::get<Copy>(plan.launches[9]));
  EXPECT_EQ(order_of(copy.launches.back()), order_of(plan.launches.back()));
  EXPECT_EQ(std::get<BufferArgument>(std::get<Launch>(copy.launches[4]).arguments[1]),
            (BufferArgument{"made", 185, 185}));
  EXPECT_EQ(copy.buffers[2].part, plan.buffers[2].part);
  EXPECT_EQ(copy.devices(), 2u);
}

TEST(Archive, FourierTransformsSurviveAmongLaunches) {
  LaunchPlan plan = toy_plan();
  plan.compile.headers.clear();
  plan.launches.push_back(FourierTransform{FourierDirection::inverse, "in", "out", {7, 1, 1ULL << 40}});
  plan.launches.push_back(plan.launches[0]);
  const LaunchPlan copy = travelled(plan);
  ASSERT_EQ(copy.launches.size(), 3u);
  EXPECT_EQ(std::get<FourierTransform>(copy.launches[1]), std::get<FourierTransform>(plan.launches[1]));
  EXPECT_EQ(launches_of(copy), launches_of(plan));
}

TEST(Archive, NumbersThatAreNoneSurvive) {
  Comparison comparison{std::numeric_limits<double>::infinity(), 7, std::nan(""), -0.0, 3, 0, true};
  const Comparison copy = travelled(comparison);
  EXPECT_TRUE(copy.unwritten);
  EXPECT_TRUE(std::isinf(copy.worst_error));
  EXPECT_TRUE(std::isnan(copy.worst_value));
  EXPECT_TRUE(std::signbit(copy.worst_reference));
  EXPECT_EQ(copy.worst_index, 7u);
}

TEST(Archive, BinariesKeepEveryByteAndEveryKernel) {
  Binary binary;
  for (int i = 0; i < 1000; ++i) binary.image.push_back(static_cast<std::byte>(i));
  binary.symbols = {{"k<1>", "_Z1k"}, {"other", "other"}};
  binary.resources["k<1>"].registers = 32;
  binary.resources["k<1>"].limiter = "registers";
  binary.log = "ptxas info";
  binary.hash = "abc";
  const Binary copy = travelled(binary);
  EXPECT_EQ(copy.image, binary.image);
  EXPECT_EQ(copy.symbols, binary.symbols);
  EXPECT_EQ(copy.resources.at("k<1>").registers, 32);
  EXPECT_EQ(copy.resources.at("k<1>").limiter, "registers");
  EXPECT_EQ(copy.log, binary.log);
  EXPECT_EQ(copy.hash, "abc");
}

TEST(Archive, OptionsAndOutcomesSurvive) {
  MeasureOptions options;
  EXPECT_FALSE(travelled(options).incumbent_seconds.has_value());
  options.incumbent_seconds = 1e-3;
  options.flush_cache = false;
  EXPECT_EQ(travelled(options).incumbent_seconds, 1e-3);
  EXPECT_FALSE(travelled(options).flush_cache);
  Timing timing;
  timing.samples = {1e-6, 2e-6};
  timing.stop = StopReason::pruned;
  timing.machine.throttle = "power cap";
  EXPECT_EQ(travelled(timing).samples, timing.samples);
  EXPECT_EQ(travelled(timing).stop, StopReason::pruned);
  EXPECT_EQ(travelled(timing).machine.throttle, "power cap");
  const Failure failure = travelled(Failure{Phase::crash, "illegal address", "at 0x0"});
  EXPECT_EQ(failure.phase, Phase::crash);
  EXPECT_EQ(failure.detail, "at 0x0");
}

TEST(Archive, DeviceFactsSurvive) {
  const DeviceProperties properties = testing::invented_device();
  const DeviceProperties copy = travelled(properties);
  EXPECT_EQ(copy.model_key(), properties.model_key());
  EXPECT_EQ(copy.max_grid_dim[2], properties.max_grid_dim[2]);
  EXPECT_EQ(copy.copy_bandwidth, properties.copy_bandwidth);
}

TEST(Archive, WhatIsNoMessageThrows) {
  EXPECT_THROW(from_bytes({}), Json::exception);
  EXPECT_THROW(decoded<Timing>(Json{{"samples", 1}}), Json::exception);
}

// Each list costs a call of the reader: so many overflowed the stack.
TEST(Archive, ListsInEachOtherAreLimited) {
  constexpr std::byte list_of_one{0x81}, map_of_one{0xa1}, key{0x60}, null{0xf6};
  std::vector<std::byte> lists(1'000'000, list_of_one), maps;
  for (int i = 0; i < 1'000'000; ++i) maps.insert(maps.end(), {map_of_one, key});
  for (std::vector<std::byte>* bytes : {&lists, &maps}) {
    bytes->push_back(null);
    EXPECT_THROW(from_bytes(*bytes), Error);
  }
  lists.assign(max_json_depth, list_of_one);
  lists.push_back(null);
  EXPECT_TRUE(from_bytes(lists).is_array());
}

}  // namespace
}  // namespace tune::process
