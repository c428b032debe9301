// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/verification.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_backend.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune {
namespace {

Result<TensorSet> outputs_of(const std::string& kind, const Problem& problem = testing::ToyProblem()) {
  testing::FakeBackend backend;
  const testing::ToySources sources;
  const Configuration configuration{{"block", 64}, {"items", 2}, {"kind", kind}};
  return Verification(problem, backend, sources).outputs(testing::toy_instance(37), configuration);
}

TEST(Outputs, AreThoseOfTheDevice) {
  const testing::ToyProblem problem;
  const Instance instance = testing::toy_instance(37);
  const TensorSet inputs = problem.inputs(instance, check_seeds[0]);
  const Result<TensorSet> outputs = outputs_of("plain");
  ASSERT_TRUE(outputs);
  ASSERT_EQ(outputs->size(), 1U);
  const auto out = outputs->at("out").as<float>();
  ASSERT_EQ(out.size(), 37U);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 2 * inputs.at("in").as<float>()[i]);
}

TEST(Outputs, AreCheckedWithAReferenceThatAKernelComputes) {
  EXPECT_TRUE(outputs_of("plain", testing::ComputedToy()));
  EXPECT_FALSE(outputs_of("wrong", testing::ComputedToy()));
}

TEST(Outputs, ThatAreWrongAreNone) {
  for (const char* kind : {"wrong", "unwritten", "overrun", "faulting", "broken_compile", "too_big"})
    EXPECT_FALSE(outputs_of(kind)) << kind;
}

/// Counts how often a reference is computed.
class CountingToy : public testing::ToyProblem {
 public:
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    ++computed;
    return ToyProblem::reference(instance, inputs);
  }
  mutable int computed = 0;
};

TEST(ReferenceCache, KeepsWhatWasUsedLast) {
  const CountingToy problem;
  const std::size_t each = ReferenceCache(problem).at(testing::toy_instance(1000), 1)->bytes();
  EXPECT_EQ(each, 1000 * (sizeof(float) + sizeof(double)));
  ReferenceCache cache(problem, {}, 3 * each);
  problem.computed = 0;
  for (const std::uint64_t seed : {1, 2, 3}) cache.at(testing::toy_instance(1000), seed);
  EXPECT_EQ(cache.bytes(), 3 * each);
  cache.at(testing::toy_instance(1000), 1);
  EXPECT_EQ(problem.computed, 3);
  cache.at(testing::toy_instance(999), 1);  // in the place of seed 2
  EXPECT_LE(cache.bytes(), 3 * each);
  cache.at(testing::toy_instance(1000), 1);
  cache.at(testing::toy_instance(1000), 3);
  EXPECT_EQ(problem.computed, 4);
  cache.at(testing::toy_instance(1000), 2);
  EXPECT_EQ(problem.computed, 5);
}

/// Half of its values are about 1; the tolerance is a share of that.
class WideToy : public testing::ToyProblem {
 public:
  explicit WideToy(double share) : share_(share) {}
  Tolerance tolerance(const Instance&) const override {
    return {.absolute = share_, .cause = "errors grow over 9 steps", .cure = "take fewer steps"};
  }

 private:
  double share_;
};

std::string notice_of(double share) {
  const WideToy problem(share);
  const testing::ToySources sources;
  testing::FakeBackend backend;
  DeviceEvaluator evaluator(problem, testing::toy_instance(2000), backend, sources, {.measure = {}});
  for (const int block : {32, 64}) {
    evaluator.submit({{"block", block}, {"items", 2}, {"kind", "plain"}});
    EXPECT_TRUE(evaluator.next()->outcome);
  }
  const std::string notice = evaluator.notice();
  DeviceEvaluator again(problem, testing::toy_instance(2000), backend, sources, {.measure = {}});
  again.begin_rerank(std::vector{Configuration{{"block", 32}, {"items", 2}, {"kind", "plain"}}});
  EXPECT_TRUE(again.time_candidate(0));
  EXPECT_EQ(again.notice().empty(), notice.empty()) << "winners that are measured again";
  return notice;
}

TEST(WideTolerance, IsToldFromATenthOfTheResultsOn) {
  EXPECT_EQ(notice_of(0.05), "");
  const std::string notice = notice_of(0.3);
  EXPECT_TRUE(notice.starts_with(
      "at 2000 rounding may change half of the values of 'out', or all at an end of an axis, by "))
      << notice;
  EXPECT_TRUE(notice.ends_with(
      "% or more, because errors grow over 9 steps: smaller mistakes are not found; take fewer steps"))
      << notice;
  EXPECT_EQ(notice.find('\n'), std::string::npos);
}

TEST(WideTolerance, IsRefusedWhereItExceedsTheResults) {
  try {
    notice_of(3);
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.ends_with(
        "by as much as they hold, because errors grow over 9 steps, so that a wrong kernel could pass: take fewer "
        "steps"))
        << message;
  }
}

TEST(WideTolerance, IsThatOfThePlanWithTheLargestShare) {
  const WideToy problem(0.05);
  const testing::ToySources sources;
  ReferenceCache cache(problem);
  const Instance instance = testing::toy_instance(2000);
  const auto expected = cache.at(instance, 1);
  LaunchPlan plan = *problem.plan(instance, {{"block", 32}, {"items", 2}, {"kind", "plain"}}, sources);
  const auto noted = [&](double share) {
    plan.tolerance = WideToy(share).tolerance(instance);
    cache.note(plan, *expected);
    return cache.notice();
  };
  EXPECT_EQ(noted(0.06), "");
  const std::string first = noted(0.3), larger = noted(0.5);
  EXPECT_NE(first, "");
  EXPECT_NE(larger, first);
  EXPECT_EQ(noted(0.4), larger) << "one line: the largest share";
  EXPECT_EQ(noted(4), larger) << "such a plan fails its check";
  EXPECT_NE(refusal_of(allowed_share(plan, *expected)), "");
}

// Ones, but for small numbers at the last place along one axis, of which one is larger.
TEST(WideTolerance, IsThatOfTheEndOfEveryAxis) {
  const Extents extents = {8, 9, 10};
  LaunchPlan plan;
  plan.tolerance = Tolerance{.absolute = 1e-3, .cure = "take fewer steps"};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    ReferenceData data;
    HostTensor& tensor = data.reference.emplace("out", HostTensor(ElementType::f64, extents)).first->second;
    std::ranges::fill(tensor.as<double>(), 1.0);
    EXPECT_EQ(allowed_share(plan, data).share, 1e-3);
    std::uint64_t stride = 1;
    for (std::size_t faster = 0; faster < axis; ++faster) stride *= extents[faster];
    const auto is_last = [&](std::uint64_t i) { return i / stride % extents[axis] == extents[axis] - 1; };
    for (std::uint64_t i = 0; i < tensor.size(); ++i)
      if (is_last(i)) tensor.as<double>()[i] = 0x1p-20;
    tensor.as<double>().back() = 0x1p-10;
    EXPECT_EQ(allowed_share(plan, data).share, 1e-3 * 0x1p10) << axis;
    EXPECT_NE(refusal_of(allowed_share(plan, data)), "");

    data.tolerance.values_along.resize(extents.size());
    data.tolerance.values_along[axis].assign(extents[axis], 1);
    data.tolerance.values_along[axis].back() = 0x1p-10;
    plan.tolerance->share_of_values = 0x1p-3;
    EXPECT_EQ(allowed_share(plan, data).share, 0x1p-3) << axis;
    plan.tolerance->share_of_values = 0;
    EXPECT_EQ(allowed_share(plan, data).share, 1e-3 * 0x1p10) << "its errors do not vanish with the values";
    for (std::uint64_t i = 0; i < tensor.size(); ++i)
      if (is_last(i)) tensor.as<double>()[i] = 0;
    EXPECT_TRUE(std::isinf(allowed_share(plan, data).share)) << "nothing is left there";
  }
}

TEST(ReferenceCache, IsBoundedWhateverTheSizes) {
  const CountingToy problem;
  ReferenceCache cache(problem, {}, 100'000);
  for (int nx = 100; nx < 2000; nx += 50) {
    cache.at(testing::toy_instance(nx), 1);
    EXPECT_LE(cache.bytes(), 100'000U);
  }
  const std::size_t before = cache.bytes();
  const auto large = cache.at(testing::toy_instance(100'000), 1);
  EXPECT_GT(large->bytes(), 100'000U);
  EXPECT_EQ(cache.bytes(), before) << "the caller keeps it";
}

}  // namespace
}  // namespace tune
