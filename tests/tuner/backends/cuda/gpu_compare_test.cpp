// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/runner/cuda_runner.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using GpuCompare = GpuTest;

constexpr const char* copy_source = R"(
extern "C" __global__ void copy(const TYPE* in, TYPE* out, long long n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x)
    out[i] = in[i];
})";

const char* device_type(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "float";
    case ElementType::f64:
      return "double";
    case ElementType::i32:
      return "int";
    case ElementType::u32:
      return "unsigned";
    default:
      return "unsigned char";
  }
}

/// Copies the whole allocation, so that a test decides what the output is.
LaunchPlan copy_plan(const Layout& layout, ElementType type = ElementType::f32) {
  // The kernel gets the addresses of element 0 and must not go beyond the allocation.
  const auto elements = static_cast<std::int64_t>(layout.allocation - layout.offset);
  auto plan = plan_of(
      copy_source,
      {buffer("in", layout, BufferRole::input, type), buffer("out", layout, BufferRole::output, type)},
      launch("copy", {64, 1, 1}, {256, 1, 1},
             {BufferArgument{"in"}, BufferArgument{"out"}, ScalarArgument{elements}}));
  plan.compile.defines = {{"TYPE", device_type(type)}};
  return plan;
}

template<class T>
HostTensor random_tensor(ElementType type, const Extents& extents, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(0, 90);  // few values: many ties
  HostTensor tensor(type, extents);
  for (T& value : tensor.as<T>()) value = static_cast<T>(number(random));
  return tensor;
}

void expect_equal(const Result<Comparison>& found, const Comparison& expected) {
  ASSERT_TRUE(found) << found.error().detail;
  EXPECT_EQ(found->worst_error, expected.worst_error);
  EXPECT_EQ(found->worst_index, expected.worst_index);
  EXPECT_EQ(found->worst_reference, expected.worst_reference);
  EXPECT_EQ(found->wrong, expected.wrong);
  if (!std::isnan(expected.worst_value)) {
    EXPECT_EQ(found->worst_value, expected.worst_value);
  } else {
    EXPECT_TRUE(std::isnan(found->worst_value));
  }
}

const Extents extents{61, 17, 23};
const Layout layouts[] = {
    Layout::dense(extents),
    {extents, {1, 64, 64 * 17}, 3, 64 * 17 * 23 + 3},
    {extents, {1, 64, 64 * 19}, 64 * 19 + 64 + 1, 64 * 19 * 25},
    {extents, {1, 63, 63 * 17 + 5}, 1, 63 * 17 * 23 + 5 * 23 + 1},
};

template<class T>
void agrees_for(ElementType type, Runner& runner, Result<Binary> (*compile_plan)(const LaunchPlan&)) {
  unsigned seed = 0;
  for (const auto& layout : layouts) {
    const auto plan = copy_plan(layout, type);
    const TensorSet inputs{{"in", random_tensor<T>(type, extents, ++seed)}};
    const auto reference = random_tensor<double>(ElementType::f64, extents, ++seed);
    const auto prepared = runner.prepare(plan, *compile_plan(plan));
    ASSERT_TRUE(prepared) << prepared.error().detail;
    ASSERT_TRUE((*prepared)->run_checked(views_of(inputs)));
    std::vector<std::vector<double>> limits;
    for (const std::uint64_t extent : extents)
      for (auto& along = limits.emplace_back(); along.size() < extent;)
        along.push_back(along.size() < 9 ? 80 : 30.0 * static_cast<double>(along.size() % 3));
    const std::vector<std::vector<double>> along_y = {{}, limits[1]}, along_xz = {limits[0], {}, limits[2]};
    for (const Bounds& bounds :
         {Bounds{0.0}, Bounds{30.0}, Bounds{1000.0}, Bounds{.absolute = 70, .limits_along = along_y},
          Bounds{.absolute = 70, .limits_along = along_xz}, Bounds{.absolute = 70, .limits_along = limits}})
      expect_equal((*prepared)->compare("out", view_of(reference), bounds),
                   compare(view_of(inputs.at("in")), view_of(reference), bounds));
  }
}

class GpuCompareAll : public GpuTest {
 protected:
  static Result<Binary> compiled(const LaunchPlan& plan) { return compile(plan); }
  static void agrees(Runner& runner) {
    agrees_for<float>(ElementType::f32, runner, &compiled);
    agrees_for<double>(ElementType::f64, runner, &compiled);
    agrees_for<std::int32_t>(ElementType::i32, runner, &compiled);
    agrees_for<std::uint32_t>(ElementType::u32, runner, &compiled);
    agrees_for<std::uint8_t>(ElementType::u8, runner, &compiled);
  }
};

TEST_F(GpuCompareAll, AgreesWithTheHost) {
  agrees(backend_->runner());
}

TEST_F(GpuCompareAll, AgreesWithTheHostInParts) {
  auto properties = backend_->properties();
  properties.global_memory = 0;  // no room for references
  properties.l2_cache = 10'000;  // 2500 elements of the reference at a time
  CudaRunner runner(0, properties);
  agrees(runner);
}

TEST_F(GpuCompare, FindsOneWrongElementAnywhere) {
  for (const auto& layout : layouts) {
    const auto right = random_tensor<float>(ElementType::f32, extents, 5);
    HostTensor reference(ElementType::f64, extents);
    for (std::size_t i = 0; i < right.size(); ++i) reference.as<double>()[i] = right.as<float>()[i];
    for (const std::size_t place : {std::size_t{0}, right.size() / 2, right.size() - 1})
      for (const float error :
           {0.5f, -0.5f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        TensorSet inputs{{"in", right}};
        inputs.at("in").as<float>()[place] += error;
        const auto found = run(copy_plan(layout), inputs)->compare("out", view_of(reference), {0.25});
        ASSERT_TRUE(found);
        EXPECT_EQ(found->wrong, 1u);
        EXPECT_EQ(found->worst_index, place);
        EXPECT_EQ(found->worst_error, std::abs(error) < 1 ? 0.5 : std::numeric_limits<double>::infinity());
        EXPECT_EQ(found->worst_reference, right.as<float>()[place]);
      }
    const auto fine = run(copy_plan(layout), {{"in", right}})->compare("out", view_of(reference), {0});
    ASSERT_TRUE(fine);
    EXPECT_EQ(fine->wrong, 0u);
    EXPECT_EQ(fine->worst_error, 0);
  }
}

TEST_F(GpuCompare, LetsNothingUnwrittenPass) {
  const auto layout = Layout::dense({1000});
  auto plan = copy_plan(layout);
  std::get<Launch>(plan.launches[0]).arguments[2] = ScalarArgument{std::int64_t{999}};
  HostTensor reference(ElementType::f64, {1000});
  for (std::size_t i = 0; i < 1000; ++i) reference.as<double>()[i] = static_cast<double>(i);
  const auto found = run(plan, {{"in", counting({1000})}})->compare("out", view_of(reference), {1e30});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->wrong, 1u);
  EXPECT_EQ(found->worst_index, 999u);
}

TEST_F(GpuCompare, NoticesANewReferenceInThePlaceOfTheOld) {
  const auto prepared = run(copy_plan(Layout::dense({5000})), {{"in", counting({5000})}});
  HostTensor reference(ElementType::f64, {5000});
  for (std::size_t i = 0; i < 5000; ++i) reference.as<double>()[i] = static_cast<double>(i);
  EXPECT_EQ(prepared->compare("out", view_of(reference), {0.5})->wrong, 0u);
  for (double& value : reference.as<double>()) value += 1;
  EXPECT_EQ(prepared->compare("out", view_of(reference), {0.5})->wrong, 5000u);
}

TEST_F(GpuCompare, RefusesAReferenceThatDoesNotFit) {
  const auto prepared = run(copy_plan(Layout::dense({100})), {{"in", counting({100})}});
  const HostTensor few(ElementType::f64, {99});
  const HostTensor single(ElementType::f32, {100});
  EXPECT_THROW((void)prepared->compare("out", view_of(few), {1}), std::logic_error);
  EXPECT_THROW((void)prepared->compare("out", view_of(single), {1}), std::logic_error);
  EXPECT_THROW((void)prepared->compare("nothing", view_of(few), {1}), Error);
}

TEST_F(GpuCompare, TakesAFewMillisecondsForALargePlan) {
  // 2^27 elements: 512 MiB each for input and output, 1 GiB for the reference.
  const Extents large{512, 512, 512};
  const auto plan = copy_plan(Layout::dense(large));
  const TensorSet inputs{{"in", counting(large)}};
  HostTensor reference(ElementType::f64, large);
  for (std::size_t i = 0; i < reference.size(); ++i)
    reference.as<double>()[i] = inputs.at("in").as<float>()[i];
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared) << prepared.error().detail;
  using Clock = std::chrono::steady_clock;
  const auto milliseconds = [](Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
  };
  double total = 0;
  for (int turn = 0; turn < 3; ++turn) {
    auto start = Clock::now();
    ASSERT_TRUE((*prepared)->run_checked(views_of(inputs)));
    const double ran = milliseconds(start);
    start = Clock::now();
    ASSERT_TRUE((*prepared)->check_memory());
    const double checked = milliseconds(start);
    start = Clock::now();
    const auto found = (*prepared)->compare("out", view_of(reference), {0});
    const double compared = milliseconds(start);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->wrong, 0u);
    total = ran + checked + compared;
    std::printf("run %.2f ms, memory %.2f ms, compare %.2f ms\n", ran, checked, compared);
  }
  // The first turn sends input and reference; the last only reads what lies there: about 7 GB.
  const double reading = 7e9 / backend_->properties().copy_bandwidth * 1e3;
  EXPECT_LT(total, 4 * reading + 5);
}

}  // namespace
}  // namespace tune::cuda
