// SPDX-License-Identifier: Apache-2.0
#include "search/models/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "search/random.hpp"

namespace tune::search::testing {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

/// A line of 33 places, a switch of three levels, and five places with a level without one.
std::vector<Dimension> three_dimensions() {
  Dimension line{"line", true, false, {}};
  for (int level = 0; level <= 32; ++level) line.at.push_back(level / 32.0);
  return {line,
          {"switch", false, false, {kNowhere, kNowhere, kNowhere}},
          {"conditional", true, true, {0, 0.25, 0.5, 1, kNowhere}}};
}

LevelMatrix random_points(Eigen::Index count, Random& random) {
  LevelMatrix points(count, 3);
  for (Eigen::Index i = 0; i < count; ++i)
    points.row(i) << static_cast<Level>(random.below(33)), static_cast<Level>(random.below(3)),
        static_cast<Level>(random.below(5));
  return points;
}

double along(Level level) {
  return std::sin(4 * level / 32.0);
}

/// A smooth function of the first dimension, a step in the second, nothing in the third; and some noise.
Eigen::VectorXd values_at(const LevelMatrix& points, double noise, Random& random) {
  Eigen::VectorXd values(points.rows());
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    values(i) = along(points(i, 0)) + (points(i, 1) == 1 ? 0.5 : 0.0) + noise * (random.uniform() - 0.5);
  return values;
}

Eigen::VectorXd standardised(const Eigen::VectorXd& values) {
  const Eigen::ArrayXd centred = values.array() - values.mean();
  return centred / std::sqrt(centred.square().mean());
}

std::span<const Level> row(const LevelMatrix& points, Eigen::Index i) {
  return {points.row(i).data(), static_cast<std::size_t>(points.cols())};
}

double mean_at(const GaussianProcess& process, const GaussianProcess::Explanation& explained,
               std::span<const Level> point) {
  return explained.constant + explained.whitened.dot(process.whiten(point));
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

// Tables in single precision move the objective by some 1e-6 (6e-8 times the sum of |A_ij K_ij|, a few tens
// at this noise), hence its differences over 2 * 0.02 by 5e-5; the step itself errs by 0.02^2 / 6 times the
// third derivative, which is a few times the gradient. A term that is missing or scaled errs by percents.
TEST(GaussianProcess, KnowsTheGradientOfItsObjective) {
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

TEST(GaussianProcess, LowersItsObjectiveByFitting) {
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

TEST(GaussianProcess, FindsOutWhichDimensionsMatterAndHowNoisyValuesAre) {
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
TEST(GaussianProcess, FitsTheSameAgain) {
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
    EXPECT_TRUE(grown.whiten(row(further, i)).isApprox(whole.whiten(row(further, i)), 1e-9));
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
    EXPECT_LT(process.whiten(point).squaredNorm(), 1);
  }
}

TEST(GaussianProcess, IsUncertainFarFromItsPoints) {
  LevelMatrix points(2, 3);
  points << 0, 0, 0, 2, 0, 0;
  GaussianProcess process(three_dimensions());
  process.condition(points);
  double before = 0;
  for (Level level = 2; level <= 32; ++level) {
    const double variance = 1 - process.whiten(std::vector<Level>{level, 0, 0}).squaredNorm();
    EXPECT_GT(variance, before);
    before = variance;
  }
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
  const std::vector<LinearBelief> beliefs = {{0.3, 1}, {0.3, 1}};
  const auto explained = process.explain(values, features, beliefs);
  ASSERT_EQ(explained.slopes.size(), 2);
  EXPECT_NEAR(explained.slopes(0), 2, 0.15);
  EXPECT_NEAR(explained.slopes(1), -1, 0.15);
  // A belief that is sure of itself gives way less.
  const std::vector<LinearBelief> sure = {{0.3, 1e-3}, {0.3, 1}};
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
      process.explain(values, Eigen::MatrixXd::Constant(20, 1, 3), std::vector<LinearBelief>{{0.7, 0.2}});
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
                                         std::vector<LinearBelief>{{1, 1}}));
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
                                           std::vector<LinearBelief>{{1, 1}, {0.5, 0.1}}));
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
