// SPDX-License-Identifier: Apache-2.0
// Tensor maps and the copy engine on a device, against their definition.
#include <cstring>

#include "kernels/framework/kernel_files.hpp"
#include "tests/support/tensor_map_sample.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::cuda {
namespace {

using tune::testing::all_tensor_map_samples;
using tune::testing::tensor_map_sample;
using tune::testing::TensorMapSample;

class GpuTensorMaps : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !has_tensor_maps(backend_->properties()))
      GTEST_SKIP() << "the device has no tensor maps";
  }
  static std::string header() { return kernels::EmbeddedSources().text("common/tensor_copy.cuh"); }
  /// The number of bytes of `out` that are not what they should be.
  static std::size_t wrong_bytes(PreparedPlan& prepared, const TensorMapSample& sample) {
    const auto out = prepared.fetch("out");
    EXPECT_TRUE(out);
    const std::vector<std::byte> expected = sample.expected();
    if (!out || out->bytes.size() != expected.size()) return expected.size();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) wrong += out->bytes[i] != expected[i];
    return wrong;
  }
};

TEST_F(GpuTensorMaps, BoxesArriveWithZerosOutside) {
  for (const TensorMapSample& sample : all_tensor_map_samples(header())) {
    try {
      const auto prepared = run(sample.plan, sample.inputs);
      EXPECT_EQ(wrong_bytes(*prepared, sample), 0u) << sample.text();
      const auto harmed = prepared->check_memory();
      EXPECT_TRUE(harmed) << harmed.error().detail;
    } catch (const std::exception& error) {
      FAIL() << sample.text() << ": " << error.what();  // the device is lost to this process
    }
  }
}

// Short executions are timed as graphs of many, each with buffers and maps of its own.
TEST_F(GpuTensorMaps, AreTimedInGraphs) {
  const TensorMapSample sample = tensor_map_sample(header(), ElementType::f32, {61, 33}, {16, 4});
  const auto prepared = run(sample.plan, sample.inputs);
  const auto timing = prepared->measure({});
  ASSERT_TRUE(timing) << timing.error().detail;
  EXPECT_GT(timing->executions, 1);
  EXPECT_EQ(wrong_bytes(*prepared, sample), 0u);
}

TEST_F(GpuTensorMaps, EveryPromotionIsTaken) {
  for (const MapPromotion promotion :
       {MapPromotion::none, MapPromotion::bytes_64, MapPromotion::bytes_128, MapPromotion::bytes_256}) {
    TensorMapSample sample = tensor_map_sample(header(), ElementType::f64, {30, 20, 10}, {8, 4, 2});
    std::get<TensorMapArgument>(std::get<Launch>(sample.plan.launches[0]).arguments[0]).map.promotion =
        promotion;
    EXPECT_EQ(wrong_bytes(*run(sample.plan, sample.inputs), sample), 0u);
  }
}

TEST_F(GpuTensorMaps, WhatTheEngineDoesNotTakeIsAFailure) {
  TensorMapSample sample = tensor_map_sample(header(), ElementType::f32, {64, 8}, {16, 4});
  std::get<TensorMapArgument>(std::get<Launch>(sample.plan.launches[0]).arguments[0]).map.box[0] = 15;
  const auto prepared = prepare(sample.plan);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().phase, Phase::resources);
  EXPECT_EQ(prepared.error().reason, "tensor map");
}

// A kernel's parameter of another size than a map.
TEST_F(GpuTensorMaps, AnArgumentOfAnotherSizeIsAnError) {
  TensorMapSample sample = tensor_map_sample(header(), ElementType::f32, {64, 8}, {16, 4});
  std::get<Launch>(sample.plan.launches[0]).arguments[0] = BufferArgument{"in"};
  EXPECT_ANY_THROW(prepare(sample.plan).value());
}

}  // namespace
}  // namespace tune::cuda
