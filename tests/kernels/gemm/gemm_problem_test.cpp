// SPDX-License-Identifier: Apache-2.0
// What gemm computes: reference, inputs, tolerance, layouts, work.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/gemm/model/job.hpp"
#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/gemm/gemm_cases.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

using testing::gemm_instance;
using testing::Settings;

/// Element (row, column) of a matrix as its tensor has it.
double element(const TensorSet& set, const std::string& name, std::uint64_t row, std::uint64_t column,
               bool by_column) {
  const HostTensor& tensor = set.find(name)->second;
  const std::uint64_t i = by_column ? column * tensor.extents()[0] + row : row * tensor.extents()[0] + column;
  return tensor.type() == ElementType::f64 ? tensor.as<double>()[i]
                                           : static_cast<double>(tensor.as<float>()[i]);
}

/// Three loops, as the formula says it.
void expect_formula(const std::string& size, const Settings& settings) {
  const auto problem = make_gemm();
  const Instance instance = gemm_instance(size, settings);
  SCOPED_TRACE(instance.key());
  const TensorSet inputs = problem->inputs(instance, 3);
  const TensorSet reference = problem->reference(instance, inputs);
  const bool by_column = instance.setting_or("layout", "row").as_text() == "column";
  const double alpha = instance.setting_or("alpha", 1).as_real();
  const double beta = instance.setting_or("beta", 0).as_real();
  const auto extent = [&](const char* name) { return static_cast<std::uint64_t>(instance.extent(name)); };
  EXPECT_EQ(inputs.contains("c"), beta != 0);
  for (std::uint64_t i = 0; i < extent("m"); ++i)
    for (std::uint64_t j = 0; j < extent("n"); ++j) {
      double sum = 0;
      for (std::uint64_t l = 0; l < extent("k"); ++l)
        sum += element(inputs, "a", i, l, by_column) * element(inputs, "b", l, j, by_column);
      double expected = alpha * sum;
      if (beta != 0) expected += beta * element(inputs, "c", i, j, by_column);
      ASSERT_NEAR(element(reference, "c", i, j, by_column), expected, 1e-12) << i << " " << j;
    }
}

TEST(GemmReference, IsTheFormula) {
  expect_formula("7x5x3", {});
  expect_formula("1x1x1", {});
  expect_formula("23x2x41", {{"layout", "column"}});
  expect_formula("3x19x29", {{"type", "double"}, {"layout", "column"}, {"alpha", 0.5}, {"beta", -1}});
  expect_formula("17x11x6", {{"type", "double"}, {"alpha", -2}, {"beta", 1}});
  // More than one panel of the blocked product along each axis.
  expect_formula("560x6x5", {});
  expect_formula("20x530x520", {{"beta", 0.5}});
}

TEST(GemmInputs, AreRandomFromTheSeed) {
  const auto problem = make_gemm();
  const Instance instance = gemm_instance("33x20x50", {{"beta", 1}});
  const TensorSet set = problem->inputs(instance, 1), same = problem->inputs(instance, 1),
                  other = problem->inputs(instance, 2);
  std::set<float> values;
  std::size_t count = 0;
  for (const auto& [name, tensor] : set) {
    double mean = 0, square = 0;
    for (const float value : tensor.as<float>()) {
      ASSERT_LE(std::abs(value), 1.0f);
      values.insert(value);
      mean += static_cast<double>(value);
      square += static_cast<double>(value * value);
    }
    count += tensor.size();
    EXPECT_NEAR(mean / static_cast<double>(tensor.size()), 0, 0.1) << name;
    EXPECT_NEAR(square / static_cast<double>(tensor.size()), 1.0 / 3, 0.06) << name;
    const auto bytes = tensor.bytes(), again = same.find(name)->second.bytes(),
               changed = other.find(name)->second.bytes();
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), again.begin()));
    EXPECT_FALSE(std::equal(bytes.begin(), bytes.end(), changed.begin()));
  }
  // Hardly any number twice: an element taken for another one shows.
  EXPECT_GT(values.size() + 5, count);
}

/// Largest difference of a sum in floats, term after term, from the reference.
double error_in_float(std::int64_t k, const TensorSet& inputs, const HostTensor& reference) {
  const auto a = inputs.find("a")->second.as<float>(), b = inputs.find("b")->second.as<float>();
  const std::uint64_t n = reference.extents()[0], m = reference.extents()[1];
  double worst = 0;
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::uint64_t l = 0; l < static_cast<std::uint64_t>(k); ++l)
        sum = std::fma(a[i * static_cast<std::uint64_t>(k) + l], b[l * n + j], sum);
      worst = std::max(worst, std::abs(static_cast<double>(sum) - reference.as<double>()[i * n + j]));
    }
  return worst;
}

// Loose enough for sums term after term, tight enough that a term that is missing shows.
TEST(GemmTolerance, LetsRoundingThroughAndNothingElse) {
  const auto problem = make_gemm();
  for (const std::int64_t k : {1, 2, 8, 100, 4096}) {
    const Instance instance = gemm_instance("24x24x" + std::to_string(k));
    const TensorSet inputs = problem->inputs(instance, 1);
    const TensorSet reference = problem->reference(instance, inputs);
    const double allowed = problem->tolerance(instance).absolute;
    EXPECT_LT(error_in_float(k, inputs, reference.find("c")->second), allowed / 3) << k;
    // A product is 1/4 on average; half of them are above 0.19.
    EXPECT_LT(allowed, k <= 100 ? 1e-4 : 1.1e-3) << k;
  }
  GemmJob job = gemm_job(gemm_instance("64x64x1000"));
  const double strict = gemm_tolerance(job, Arithmetic::strict).absolute;
  EXPECT_GT(gemm_tolerance(job, Arithmetic::tf32x3).absolute, strict);
  EXPECT_GT(gemm_tolerance(job, Arithmetic::tf32).absolute,
            10 * gemm_tolerance(job, Arithmetic::tf32x3).absolute);
  EXPECT_LT(gemm_tolerance(job, Arithmetic::tf32).absolute, 0.1);
  job.alpha = -4;
  EXPECT_NEAR(gemm_tolerance(job, Arithmetic::strict).absolute, 4 * strict, strict);
}

TEST(GemmJobs, OfColumnsAreThoseOfTheTransposedMatrices) {
  const GemmJob row = gemm_job(gemm_instance("5x7x3"));
  EXPECT_EQ(row.m, 5);
  EXPECT_EQ(row.n, 7);
  EXPECT_STREQ(row.left, "a");
  const GemmJob column = gemm_job(gemm_instance("5x7x3", {{"layout", "column"}}));
  EXPECT_EQ(column.m, 7);
  EXPECT_EQ(column.n, 5);
  EXPECT_STREQ(column.left, "b");
  EXPECT_STREQ(column.right, "a");
  EXPECT_THROW(gemm_job(gemm_instance("5x7x3", {{"type", "double"}, {"arithmetic", "tf32"}})), UsageError);
}

TEST(GemmWork, CountsEachElementOnce) {
  const auto problem = make_gemm();
  const ProblemCost cost = problem->cost(gemm_instance("5x7x3", {{"type", "double"}}));
  EXPECT_EQ(cost.items, 105);
  EXPECT_EQ(cost.flops, 210);
  EXPECT_EQ(cost.bytes, (15 + 21 + 35) * 8);
  EXPECT_EQ(problem->cost(gemm_instance("5x7x3", {{"beta", 1}})).bytes, (15 + 21 + 70) * 4);
}

TEST(GemmLayouts, ArePaddedToLines) {
  const Layout padded = matrix_layout(3, 33, ElementType::f32, true);
  EXPECT_EQ(padded.strides, (Extents{1, 64}));
  EXPECT_EQ(padded.allocation, 192u);
  EXPECT_EQ(matrix_layout(3, 33, ElementType::f64, true).strides[1], 48u);
  EXPECT_TRUE(matrix_layout(3, 33, ElementType::f32, false).is_dense());
}

}  // namespace
}  // namespace tune::kernels
