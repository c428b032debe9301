// SPDX-License-Identifier: Apache-2.0
// Fourier transforms by cuFFT, against sums by the definition.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/support/fourier_sample.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/toolkit/cufft_library.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::cuda {
namespace {

using tune::testing::all_fourier_cases;
using tune::testing::fourier_sample;
using tune::testing::FourierCase;
using tune::testing::FourierSample;
using tune::testing::moving_sample;

class GpuFourier : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    std::string reason;
    if (open_cufft(&reason, cufft_candidates(13)) == nullptr) GTEST_SKIP() << reason;
  }

  /// The largest error over what is allowed, after a checked run; NaN counts as infinite.
  static double error_of(PreparedPlan& prepared, const FourierSample& sample, const std::string& name) {
    const auto harmed = prepared.check_memory();
    EXPECT_TRUE(harmed) << name << ": " << harmed.error().detail;
    const auto found =
        prepared.compare("out", view_of(sample.reference.at("out")), sample.tolerance.of("out"));
    EXPECT_TRUE(found) << name;
    EXPECT_EQ(found->wrong, 0u) << name << ": " << found->worst_error << " at " << found->worst_index
                                << " of " << sample.tolerance.absolute;
    return found->worst_error / sample.tolerance.absolute;
  }
};

TEST_F(GpuFourier, AgreesWithTheDefinition) {
  double worst[2] = {0, 0};
  for (const FourierCase& of : all_fourier_cases()) {
    const FourierSample sample = fourier_sample(of);
    const auto prepared = run(sample.plan, sample.inputs);
    double& known = worst[of.type == ElementType::f32 ? 0 : 1];
    known = std::max(known, error_of(*prepared, sample, of.text()));
    EXPECT_EQ(prepared->resources().size(), 1u) << "one kernel launch";
  }
  std::printf("largest error over the tolerance: float %.3g, double %.3g\n", worst[0], worst[1]);
}

TEST_F(GpuFourier, RunsBetweenKernels) {
  for (const ElementType type : {ElementType::f32, ElementType::f64})
    for (const bool in_place : {false, true})
      for (const Extents& extents :
           {Extents{1000}, Extents{97, 31}, Extents{64, 48, 40}, Extents{31, 37, 29}}) {
        const FourierSample sample = moving_sample(type, extents, in_place);
        const auto prepared = run(sample.plan, sample.inputs);
        error_of(*prepared, sample, format("{} {}", to_string(type), in_place));
        EXPECT_EQ(prepared->resources().size(), 3u) << "three kernel launches";
      }
}

TEST_F(GpuFourier, LeavesTheInputOfAForwardTransformAlone) {
  // `work` is a scratch buffer in the sample; as an input of the plan its sums are checked.
  for (const Extents& extents : {Extents{1000}, Extents{97, 31}, Extents{24, 20, 18}}) {
    FourierSample sample =
        fourier_sample({FourierDirection::forward, ElementType::f32, extents, false, true});
    sample.plan.launches.erase(sample.plan.launches.begin());
    auto& buffers = sample.plan.buffers;
    std::erase_if(buffers, [](const BufferSpec& buffer) { return buffer.name == "in"; });
    std::ranges::find(buffers, "work", &BufferSpec::name)->role = BufferRole::input;
    const TensorSet inputs{{"work", sample.inputs.at("in")}};
    const auto prepared = run(sample.plan, inputs);
    error_of(*prepared, sample, "forward");
    EXPECT_TRUE(prepared->resources().empty());
  }
}

/// Executions of a few microseconds: many of them are captured as a graph, on copies of the buffers.
TEST_F(GpuFourier, IsMeasuredAsAGraphAndStillRightAfterwards) {
  for (const bool in_place : {false, true})
    for (const bool flush : {false, true}) {
      FourierCase of{FourierDirection::forward, ElementType::f32, {256}, in_place, false};
      const FourierSample sample = fourier_sample(of);
      const auto prepared = run(sample.plan, sample.inputs);
      MeasureOptions options;
      options.flush_cache = flush;
      options.max_samples = 20;
      const auto timing = prepared->measure(options);
      ASSERT_TRUE(timing) << timing.error().detail;
      std::printf("%s: %.2f us, %d a sample\n", of.text().c_str(), median(timing->samples) * 1e6,
                  timing->executions);
      EXPECT_GT(median(timing->samples), 1e-6);
      error_of(*prepared, sample, of.text());
    }
}

/// Longer ones are enqueued one by one, and executed again and again on what they left.
TEST_F(GpuFourier, IsMeasuredOneByOne) {
  const FourierSample sample = moving_sample(ElementType::f32, {256, 256, 128}, true);
  const auto prepared = run(sample.plan, sample.inputs);
  const auto timing = prepared->measure({});
  ASSERT_TRUE(timing) << timing.error().detail;
  EXPECT_EQ(timing->executions, 1);
  std::printf("five steps on 256 x 256 x 128: %.1f us\n", median(timing->samples) * 1e6);
  error_of(*prepared, sample, "measured");
}

TEST_F(GpuFourier, PlansThatDoNotFitAreFailuresAndTheDeviceGoesOn) {
  // The buffers fill most of the memory: nothing is left for what cuFFT works in.
  const auto cells = static_cast<std::uint64_t>(backend_->properties().global_memory) / 20 * 19 / 4;
  LaunchPlan plan = moving_sample(ElementType::f32, {64}, true).plan;
  plan.launches = {plan.launches[1]};
  const std::uint64_t row = cells / 1021 / 2 * 2;
  plan.buffers = {buffer("work", {{row - 2, 1021}, {1, row}, 0, row * 1021}, BufferRole::scratch)};
  std::get<FourierTransform>(plan.launches[0]).extents = {row - 2, 1021};
  const auto prepared = prepare(plan);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().phase, Phase::resources) << prepared.error().detail;
  std::printf("%s: %s\n", prepared.error().reason.c_str(), prepared.error().detail.c_str());
  const FourierSample sample = moving_sample(ElementType::f64, {31, 37, 29}, false);
  const auto next = run(sample.plan, sample.inputs);
  error_of(*next, sample, "the next plan");
}

}  // namespace
}  // namespace tune::cuda
