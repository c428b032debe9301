// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/verification.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_backend.hpp"
#include "tests/support/toy_problem.hpp"

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

}  // namespace
}  // namespace tune
