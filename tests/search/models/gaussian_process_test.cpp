// SPDX-License-Identifier: Apache-2.0
#include "search/models/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "tests/search/models/process_samples.hpp"

namespace tune::search::testing {
namespace {

double mean_at(const GaussianProcess& process, const GaussianProcess::Explanation& explained,
               std::span<const Level> point) {
  return explained.constant + explained.whitened.dot(whitened(process, point));
}

GaussianProcess::Explanation explain_alone(const GaussianProcess& process, const Eigen::VectorXd& values) {
  return process.explain(values, Eigen::MatrixXd(values.size(), 0), {});
}

void expect_finite(const GaussianProcess& process, const GaussianProcess::Explanation& explained) {
  EXPECT_TRUE(std::isfinite(explained.constant));
  EXPECT_TRUE(std::isfinite(explained.scale));
  EXPECT_GE(explained.scale, 0);
  EXPECT_TRUE(explained.whitened.allFinite());
  EXPECT_TRUE(explained.slopes.allFinite());
  EXPECT_TRUE(process.factor().allFinite());
  EXPECT_TRUE(std::isfinite(process.noise()));
}

TEST(GaussianProcess, FactorsCorrelationsPlusNoise) {
  Random random(6);
  const LevelMatrix points = random_points(15, random);
  GaussianProcess process(three_dimensions());
  process.condition(points);
  const Eigen::MatrixXd product = process.factor() * process.factor().transpose();
  for (Eigen::Index i = 0; i < 15; ++i)
    for (Eigen::Index j = 0; j < 15; ++j)
      EXPECT_NEAR(product(i, j),
                  static_cast<double>(process.kernel()(points.row(i).data(), points.row(j).data())) +
                      (i == j ? process.noise() : 0),
                  1e-9);
}

TEST(GaussianProcess, AppendsAsItConditions) {
  Random random(7);
  const LevelMatrix points = random_points(25, random);
  const LevelMatrix further = random_points(5, random);
  GaussianProcess whole(three_dimensions()), grown(three_dimensions());
  whole.fit(points, values_at(points, 0.3, random));
  grown = whole;
  whole.condition(points);
  grown.condition(points.topRows(10));
  for (Eigen::Index i = 10; i < points.rows(); ++i) grown.append(row(points, i));
  EXPECT_EQ(grown.points(), whole.points());
  EXPECT_TRUE(grown.factor().isApprox(whole.factor(), 1e-9));
  for (Eigen::Index i = 0; i < further.rows(); ++i)
    EXPECT_TRUE(whitened(grown, row(further, i)).isApprox(whitened(whole, row(further, i)), 1e-9));
}

TEST(GaussianProcess, InterpolatesSmoothValues) {
  LevelMatrix points(9, 3);
  for (Eigen::Index i = 0; i < 9; ++i) points.row(i) << static_cast<Level>(4 * i), 0, 0;
  Eigen::VectorXd values(9);
  for (Eigen::Index i = 0; i < 9; ++i) values(i) = along(points(i, 0));
  GaussianProcess process(three_dimensions(), {.noise = 1e-4});
  process.fit(points, values);
  process.condition(points);
  const auto explained = explain_alone(process, values);
  for (Level level = 0; level <= 32; ++level) {
    const std::vector<Level> point = {level, 0, 0};
    EXPECT_NEAR(mean_at(process, explained, point), along(level), 0.02) << level;
    EXPECT_LT(whitened(process, point).squaredNorm(), 1);
  }
}

TEST(GaussianProcess, IsUncertainFarFromItsPoints) {
  LevelMatrix points(2, 3);
  points << 0, 0, 0, 2, 0, 0;
  GaussianProcess process(three_dimensions());
  process.condition(points);
  double before = 0;
  for (Level level = 2; level <= 32; ++level) {
    const double variance = 1 - whitened(process, std::vector<Level>{level, 0, 0}).squaredNorm();
    EXPECT_GT(variance, before);
    before = variance;
  }
}

TEST(GaussianProcess, BoundsWhatItsPointsLeaveUnexplained) {
  Random random(9);
  const LevelMatrix points = random_points(150, random), others = random_points(40, random);
  GaussianProcess process(three_dimensions(), {.length = 0.3});
  process.condition(points);
  const Eigen::MatrixXd k = process.correlate(others, others.row(0).data());
  const Eigen::VectorXd most = process.most_unexplained(k);
  double sum = 0, sum_of_bounds = 0;
  for (Eigen::Index i = 0; i < others.rows(); ++i) {
    const double unexplained = 1 - whitened(process, row(others, i)).squaredNorm();
    EXPECT_GE(most(i), unexplained - 1e-9);
    EXPECT_LE(most(i), 1);
    sum += unexplained;
    sum_of_bounds += most(i);
  }
  EXPECT_LT(sum_of_bounds, sum + 0.5 * static_cast<double>(others.rows()));
}

// The mean in one formula: m + k' K^-1 (y - m 1), with m = (1' K^-1 y) / (1' K^-1 1).
TEST(GaussianProcess, HasTheMeanOfGeneralisedLeastSquares) {
  Random random(8);
  const LevelMatrix points = random_points(12, random);
  const LevelMatrix further = random_points(5, random);
  const Eigen::VectorXd values = values_at(points, 0.3, random);
  GaussianProcess process(three_dimensions());
  process.condition(points);
  const Eigen::MatrixXd inverse = (process.factor() * process.factor().transpose()).inverse();
  const double constant = inverse.colwise().sum().dot(values) / inverse.sum();
  const auto explained = explain_alone(process, values);
  EXPECT_NEAR(explained.constant, constant, 1e-8);
  for (Eigen::Index f = 0; f < further.rows(); ++f) {
    Eigen::VectorXd k(points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i)
      k(i) = static_cast<double>(process.kernel()(points.row(i).data(), further.row(f).data()));
    const double mean = constant + k.dot(inverse * Eigen::VectorXd(values.array() - constant));
    EXPECT_NEAR(mean_at(process, explained, row(further, f)), mean, 1e-8);
  }
}

TEST(GaussianProcess, RecoversAWeightThatTheDataSpeakOf) {
  Random random(9);
  const LevelMatrix points = random_points(40, random);
  Eigen::MatrixXd features(40, 2);
  for (Eigen::Index i = 0; i < 40; ++i) features.row(i) << random.uniform(), random.uniform();
  const Eigen::VectorXd values =
      values_at(points, 0.02, random) + features * Eigen::Vector2d(2, -1) + Eigen::VectorXd::Constant(40, 5);
  GaussianProcess process(three_dimensions());
  process.condition(points);
  const std::vector<WeightPrior> prior_means = {{0.3, 1}, {0.3, 1}};
  const auto explained = process.explain(values, features, prior_means);
  ASSERT_EQ(explained.slopes.size(), 2);
  EXPECT_NEAR(explained.slopes(0), 2, 0.15);
  EXPECT_NEAR(explained.slopes(1), -1, 0.15);
  // A belief that is sure of itself gives way less.
  const std::vector<WeightPrior> sure = {{0.3, 1e-3}, {0.3, 1}};
  EXPECT_NEAR(process.explain(values, features, sure).slopes(0), 0.3, 0.05);
}

TEST(GaussianProcess, KeepsABeliefThatTheDataDoNotSpeakOf) {
  Random random(10);
  const LevelMatrix points = random_points(20, random);
  const Eigen::VectorXd values = values_at(points, 0.3, random);
  GaussianProcess process(three_dimensions());
  process.condition(points);
  // The same everywhere: the constant takes it.
  const auto explained =
      process.explain(values, Eigen::MatrixXd::Constant(20, 1, 3), std::vector<WeightPrior>{{0.7, 0.2}});
  EXPECT_NEAR(explained.slopes(0), 0.7, 1e-6);
  EXPECT_NEAR(explained.constant + 3 * 0.7, explain_alone(process, values).constant, 0.05);
}

TEST(GaussianProcess, EstimatesTheScaleOfValues) {
  Random random(11);
  const LevelMatrix points = random_points(40, random);
  const Eigen::VectorXd values = values_at(points, 0.1, random);
  GaussianProcess process(three_dimensions());
  process.fit(points, values);
  process.condition(points);
  const double scale = explain_alone(process, values).scale;
  EXPECT_NEAR(explain_alone(process, 10 * values).scale / scale, 100, 1e-6);
  EXPECT_GT(scale, 0.05);
  EXPECT_LT(scale, 5);
}

TEST(GaussianProcess, BearsASinglePoint) {
  const LevelMatrix point = LevelMatrix::Zero(1, 3);
  GaussianProcess process(three_dimensions());
  process.fit(point, Eigen::VectorXd::Constant(1, 4));
  process.condition(point);
  const auto explained = explain_alone(process, Eigen::VectorXd::Constant(1, 4));
  expect_finite(process, explained);
  EXPECT_NEAR(mean_at(process, explained, std::vector<Level>{9, 1, 4}), 4, 1e-9);
  expect_finite(process, process.explain(Eigen::VectorXd::Constant(1, 4), Eigen::MatrixXd::Constant(1, 1, 2),
                                         std::vector<WeightPrior>{{1, 1}}));
}

TEST(GaussianProcess, BearsEqualValuesAndEqualFeatures) {
  Random random(12);
  const LevelMatrix points = random_points(10, random);
  for (const double value : {0.0, 3.0}) {
    const Eigen::VectorXd values = Eigen::VectorXd::Constant(10, value);
    GaussianProcess process(three_dimensions());
    process.fit(points, values);
    process.condition(points);
    expect_finite(process, explain_alone(process, values));
    EXPECT_NEAR(mean_at(process, explain_alone(process, values), std::vector<Level>{9, 1, 4}), value, 1e-9);
    expect_finite(process, process.explain(values, Eigen::MatrixXd::Constant(10, 2, 1.5),
                                           std::vector<WeightPrior>{{1, 1}, {0.5, 0.1}}));
  }
}

TEST(GaussianProcess, BearsPointsThatRepeat) {
  Random random(13);
  LevelMatrix points = random_points(12, random);
  for (Eigen::Index i = 1; i < 6; ++i) points.row(i) = points.row(0);
  const Eigen::VectorXd values = values_at(points, 0, random);
  GaussianProcess process(three_dimensions(), {.noise = 1e-4});
  process.fit(points, values);
  process.condition(points);
  for (int i = 0; i < 5; ++i) process.append(row(points, 0));
  Eigen::VectorXd more(17);
  more << values, Eigen::VectorXd::Constant(5, values(0));
  expect_finite(process, explain_alone(process, more));
  EXPECT_NEAR(mean_at(process, explain_alone(process, more), row(points, 0)), values(0), 0.01);
}

}  // namespace
}  // namespace tune::search::testing
