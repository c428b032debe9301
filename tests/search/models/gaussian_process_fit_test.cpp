// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/models/process_samples.hpp"

namespace tune::search::testing {
namespace {

// Tables in single precision move the objective by some 1e-6 (6e-8 times the sum of |A_ij K_ij|, a few tens
// at this noise), hence its differences over 2 * 0.02 by 5e-5; the step itself errs by 0.02^2 / 6 times the
// third derivative, which is a few times the gradient. A term that is missing or scaled errs by percents.
TEST(GaussianProcessFit, KnowsTheGradientOfItsObjective) {
  const double step = 0.02;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const LevelMatrix points = random_points(6 + 4 * static_cast<Eigen::Index>(seed), random);
    const Eigen::VectorXd values = standardised(values_at(points, 0.5, random));
    GaussianProcess process(three_dimensions());
    std::vector<double> at, gradient(4), ignored(4);
    for (int d = 0; d < 3; ++d) at.push_back(2 * random.uniform() - 1);
    at.push_back(std::log(0.1) + random.uniform());
    process.objective(points, values, at, gradient);
    for (std::size_t d = 0; d < at.size(); ++d) {
      std::vector<double> above = at, below = at;
      above[d] += step;
      below[d] -= step;
      const double slope = (process.objective(points, values, above, ignored) -
                            process.objective(points, values, below, ignored)) /
                           (2 * step);
      EXPECT_NEAR(gradient[d], slope, 1e-3 * (1 + std::abs(slope))) << "seed " << seed << ", parameter " << d;
    }
  }
}

TEST(GaussianProcessFit, LowersItsObjectiveByFitting) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const LevelMatrix points = random_points(30, random);
    const Eigen::VectorXd values = values_at(points, 0.2, random);
    GaussianProcess process(three_dimensions());
    const std::vector<double> prior = process.parameters();
    process.fit(points, values);
    const std::vector<double> fitted = process.parameters();
    std::vector<double> ignored(4);
    EXPECT_LT(process.objective(points, standardised(values), fitted, ignored),
              process.objective(points, standardised(values), prior, ignored) - 1);
    EXPECT_NEAR(process.noise(), std::exp(fitted.back()), 1e-12);
  }
}

TEST(GaussianProcessFit, FindsOutWhichDimensionsMatterAndHowNoisyValuesAre) {
  Random random(3);
  const LevelMatrix points = random_points(60, random);
  GaussianProcess quiet(three_dimensions()), noisy(three_dimensions());
  Random same(4), again(4);
  quiet.fit(points, values_at(points, 0.02, same));
  noisy.fit(points, values_at(points, 2, again));
  const auto& lengths = quiet.parameters();
  EXPECT_LT(lengths[0], lengths[2] - 1) << "the third matters for nothing";
  EXPECT_LT(lengths[1], lengths[2]);
  EXPECT_GT(noisy.noise(), 5 * quiet.noise());
}

// Whatever was done before: `fit` starts from the prior, and its result is what the kernel computes with.
TEST(GaussianProcessFit, FitsTheSameAgain) {
  Random random(5);
  const LevelMatrix points = random_points(20, random);
  const LevelMatrix others = random_points(20, random);
  const Eigen::VectorXd values = values_at(points, 0.2, random);
  GaussianProcess process(three_dimensions()), fresh(three_dimensions());
  process.fit(others, Eigen::VectorXd(-values));
  process.fit(points, values);
  fresh.fit(points, values);
  EXPECT_EQ(process.parameters(), fresh.parameters());
  ProductKernel expected(three_dimensions());
  expected.set(std::span(fresh.parameters()).first(3));
  for (Eigen::Index i = 1; i < points.rows(); ++i)
    EXPECT_EQ(process.kernel()(points.row(0).data(), points.row(i).data()),
              expected(points.row(0).data(), points.row(i).data()));
}

}  // namespace
}  // namespace tune::search::testing
