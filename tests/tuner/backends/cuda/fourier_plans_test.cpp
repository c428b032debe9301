// SPDX-License-Identifier: Apache-2.0
// What cuFFT is asked for, with a library that only takes notes.
#include "tuner/backends/cuda/plan/fourier_plans.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/support/fourier_sample.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using Numbers = std::vector<long long>;
using tune::testing::fourier_sample;
using tune::testing::moving_sample;

struct Asked {
  Numbers extents, input, output;
  long long input_stride = 0, input_distance = 0, output_stride = 0, output_distance = 0, batch = 0;
  int type = 0;
  bool automatic = true;
};

/// The library's functions have no context: what they note is here.
struct Notes {
  std::map<int, Asked> plans;  ///< those that were not destroyed
  std::vector<Asked> all;
  std::vector<std::pair<int, std::string>> executed;
  void* work_area = nullptr;
  CUstream_st* stream = nullptr;
  int next = 10;
  int refusal = cufft_success;  ///< of making a plan
};
Notes notes;

template<char kind>
int execute(int plan, void*, void*) {
  notes.executed.emplace_back(plan, std::string(1, kind));
  return cufft_success;
}

int make(int plan, int rank, long long* n, long long* input, long long input_stride, long long input_distance,
         long long* output, long long output_stride, long long output_distance, int type, long long batch,
         std::size_t* work) {
  if (notes.refusal != cufft_success) return notes.refusal;
  Asked& asked = notes.plans.at(plan);
  asked.extents = {n, n + rank};
  asked.input = {input, input + rank};
  asked.output = {output, output + rank};
  std::tie(asked.input_stride, asked.input_distance) = std::pair(input_stride, input_distance);
  std::tie(asked.output_stride, asked.output_distance) = std::pair(output_stride, output_distance);
  asked.type = type;
  asked.batch = batch;
  notes.all.push_back(asked);
  *work = static_cast<std::size_t>(1000 * notes.all.size());
  return cufft_success;
}

std::shared_ptr<const CufftLibrary> noting_library() {
  notes = {};
  auto library = std::make_shared<CufftLibrary>();
  library->path = "some/libcufft.so";
  library->create = [](int* plan) {
    *plan = notes.next++;
    notes.plans[*plan] = {};
    return 0;
  };
  library->destroy = [](int plan) { return notes.plans.erase(plan) == 1 ? 0 : 1; };
  library->set_auto_allocation = [](int plan, int automatic) {
    notes.plans.at(plan).automatic = automatic != 0;
    return 0;
  };
  library->make_plan_many = make;
  library->set_work_area = [](int, void* memory) {
    notes.work_area = memory;
    return 0;
  };
  library->set_stream = [](int, CUstream_st* stream) {
    notes.stream = stream;
    return 0;
  };
  library->execute_r2c = execute<'r'>;
  library->execute_c2r = execute<'c'>;
  library->execute_d2z = execute<'d'>;
  library->execute_z2d = execute<'z'>;
  return library;
}

/// 5 x 4 x 3 cells: real rows of 5 elements in rows of 7, complex ones of 6 elements in rows of 8.
LaunchPlan plan_of(ElementType type, std::vector<PlanStep> steps) {
  LaunchPlan plan;
  plan.buffers = {{"real", type, {{5, 4, 3}, {1, 7, 35}, 0, 105}, BufferRole::scratch},
                  {"complex", type, {{6, 4, 3}, {1, 8, 48}, 0, 144}, BufferRole::scratch}};
  plan.launches = std::move(steps);
  return plan;
}

const FourierTransform there{FourierDirection::forward, "real", "complex", {5, 4, 3}};
const FourierTransform back{FourierDirection::inverse, "complex", "real", {5, 4, 3}};

TEST(FourierPlans, DescribeLayoutsAsCufftCountsThem) {
  const auto library = noting_library();
  const auto plans = FourierPlans::make(plan_of(ElementType::f32, {there, back}), library);
  ASSERT_TRUE(plans) << plans.error().detail;
  ASSERT_EQ(notes.all.size(), 2u);
  for (const Asked& asked : notes.all) {
    const bool forward = asked.type == cufft_r2c;
    EXPECT_EQ(asked.extents, (Numbers{3, 4, 5})) << "the slowest dimension first";
    EXPECT_EQ(forward ? asked.input : asked.output, (Numbers{3, 5, 7}));
    EXPECT_EQ(forward ? asked.output : asked.input, (Numbers{3, 6, 4})) << "in complex numbers";
    EXPECT_EQ(forward ? asked.input_distance : asked.output_distance, 105);
    EXPECT_EQ(forward ? asked.output_distance : asked.input_distance, 72);
    EXPECT_EQ(asked.input_stride, 1);
    EXPECT_EQ(asked.output_stride, 1);
    EXPECT_EQ(asked.batch, 1);
    EXPECT_FALSE(asked.automatic) << "cuFFT would allocate by itself";
  }
  EXPECT_EQ(notes.all[0].type, int{cufft_r2c});
  EXPECT_EQ(notes.all[1].type, int{cufft_c2r});
  EXPECT_EQ(plans->work_bytes(), 2000u) << "the largest serves all";
}

TEST(FourierPlans, DescribeOneAndTwoDimensions) {
  const auto library = noting_library();
  const auto made = FourierPlans::make(
      plan_of(ElementType::f64, {FourierTransform{FourierDirection::forward, "real", "complex", {5, 1, 1}},
                                 FourierTransform{FourierDirection::inverse, "complex", "real", {5, 4, 1}}}),
      library);
  ASSERT_TRUE(made);
  EXPECT_EQ(notes.all[0].extents, Numbers{5});
  EXPECT_EQ(notes.all[0].input, Numbers{5});
  EXPECT_EQ(notes.all[0].output, Numbers{3});
  EXPECT_EQ(notes.all[0].type, int{cufft_d2z});
  EXPECT_EQ(notes.all[1].extents, (Numbers{4, 5}));
  EXPECT_EQ(notes.all[1].input, (Numbers{4, 4}));
  EXPECT_EQ(notes.all[1].output, (Numbers{4, 7}));
  EXPECT_EQ(notes.all[1].type, int{cufft_z2d});
}

TEST(FourierPlans, DescribeBatches) {
  const auto library = noting_library();
  FourierTransform planes = there, rows = back;
  planes.axes = 2;
  rows.extents = {5, 1, 3};
  rows.axes = 1;
  const auto made = FourierPlans::make(plan_of(ElementType::f32, {there, planes, rows}), library);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->count(), 3u);
  EXPECT_EQ(notes.all[1].extents, (Numbers{4, 5}));
  EXPECT_EQ(notes.all[1].input, (Numbers{4, 7}));
  EXPECT_EQ(notes.all[1].output, (Numbers{4, 4}));
  EXPECT_EQ(notes.all[1].batch, 3);
  EXPECT_EQ(notes.all[1].input_distance, 35);
  EXPECT_EQ(notes.all[1].output_distance, 24);
  EXPECT_EQ(notes.all[2].extents, Numbers{5});
  EXPECT_EQ(notes.all[2].batch, 3);
  EXPECT_EQ(notes.all[2].input_distance, 24) << "of an inverse transform the complex side";
  EXPECT_EQ(notes.all[2].output_distance, 35);
}

TEST(FourierPlans, EqualTransformsShareOne) {
  const auto library = noting_library();
  auto plan = plan_of(ElementType::f32, {there, back, there, back});
  plan.buffers.push_back(plan.buffers[0]);
  plan.buffers.back().name = "other";
  FourierTransform elsewhere = there;
  elsewhere.input = "other";
  plan.launches.push_back(elsewhere);
  const auto plans = FourierPlans::make(plan, library);
  ASSERT_TRUE(plans);
  EXPECT_EQ(plans->count(), 2u);
  const auto of = [&](const FourierTransform& transform) {
    return &plans->find(fourier_shape(plan, transform));
  };
  EXPECT_EQ(of(there), of(elsewhere));
  EXPECT_NE(of(there), of(back));

  plan.buffers.back().layout = {{5, 4, 3}, {1, 9, 36}, 0, 108};
  EXPECT_EQ(FourierPlans::make(plan, library)->count(), 3u) << "other rows are another plan";
  EXPECT_THROW(plans->find(fourier_shape(plan, elsewhere)), Error);
}

TEST(FourierPlans, InPlaceIsAnotherPlan) {
  const auto library = noting_library();
  LaunchPlan plan;
  const Layout layout{{6, 4}, {1, 8}, 0, 32};
  plan.buffers = {{"a", ElementType::f32, layout, BufferRole::scratch},
                  {"b", ElementType::f32, layout, BufferRole::scratch}};
  plan.launches = {FourierTransform{FourierDirection::forward, "a", "a", {6, 4}},
                   FourierTransform{FourierDirection::forward, "a", "b", {6, 4}}};
  EXPECT_EQ(FourierPlans::make(plan, library)->count(), 2u);
}

TEST(FourierPlans, DestroyWhatTheyMade) {
  const auto library = noting_library();
  {
    auto plans = FourierPlans::make(plan_of(ElementType::f32, {there, back}), library);
    ASSERT_TRUE(plans);
    FourierPlans moved(std::move(*plans));
    *plans = FourierPlans();
    EXPECT_EQ(notes.plans.size(), 2u);
    EXPECT_EQ(moved.count(), 2u);
  }
  EXPECT_TRUE(notes.plans.empty());
}

TEST(FourierPlans, EnqueueTheRightFunctionOnTheStream) {
  const auto library = noting_library();
  std::byte memory{};
  auto* const stream = reinterpret_cast<CUstream_st*>(&memory);
  for (const auto type : {ElementType::f32, ElementType::f64}) {
    const auto plan = plan_of(type, {there, back});
    const auto plans = FourierPlans::make(plan, library);
    for (const auto& transform : {there, back})
      EXPECT_EQ(plans->find(fourier_shape(plan, transform)).enqueue(&memory, &memory, stream), cufft_success);
  }
  std::string kinds;
  for (const auto& [plan, kind] : notes.executed) kinds += kind;
  EXPECT_EQ(kinds, "rcdz");
  EXPECT_EQ(notes.stream, stream);
}

TEST(FourierPlans, ARefusalIsAFailureAndLeavesNothing) {
  const auto library = noting_library();
  notes.refusal = cufft_alloc_failed;
  auto refused = FourierPlans::make(plan_of(ElementType::f32, {there}), library);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().phase, Phase::resources);
  EXPECT_EQ(refused.error().reason, "device memory");
  EXPECT_NE(refused.error().detail.find("some/libcufft.so makes no plan for a transform of 5x4x3: CUFFT_ALLOC_FAILED"), std::string::npos)
      << refused.error().detail;
  notes.refusal = 8;
  refused = FourierPlans::make(plan_of(ElementType::f32, {there}), library);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "cuFFT");
  EXPECT_TRUE(notes.plans.empty());
}

TEST(FourierPlans, NothingIsMadeForATransformBeyondItsBuffer) {
  const auto library = noting_library();
  auto plan = plan_of(ElementType::f32, {there});
  plan.buffers[1].layout.allocation = 125;
  EXPECT_THROW((void)FourierPlans::make(plan, library), Error);
  plan.buffers[1].layout.allocation = 126;
  EXPECT_TRUE(FourierPlans::make(plan, library));
}

TEST(FourierPlans, OfAllSamples) {
  const auto library = noting_library();
  for (const auto& of : testing::all_fourier_cases()) {
    EXPECT_TRUE(FourierPlans::make(fourier_sample(of).plan, library)) << of.text();
    const Asked& asked = notes.all.back();
    // Rows of complex numbers lie within those of real ones where both are the same memory.
    const auto& [real, complex] = of.direction == FourierDirection::forward
                                      ? std::tie(asked.input, asked.output)
                                      : std::tie(asked.output, asked.input);
    if (of.in_place && asked.extents.size() > 1) {
      EXPECT_EQ(real.back(), 2 * complex.back()) << of.text();
    }
    for (std::size_t i = 0; i < asked.extents.size(); ++i) EXPECT_GE(real[i], asked.extents[i]);
  }
}

TEST(FourierPlans, SamplesCompileForADevice) {
  std::string reason;
  const auto compiler = make_nvrtc_compiler("sm_90", &reason);
  if (compiler == nullptr) GTEST_SKIP() << reason;
  for (const auto type : {ElementType::f32, ElementType::f64}) {
    const auto binary = compiler->compile(moving_sample(type, {6, 5, 4}, false).plan.compile);
    EXPECT_TRUE(binary) << binary.error().detail;
  }
}

}  // namespace
}  // namespace tune::cuda
