// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "search/models/gaussian_process.hpp"

namespace tune::search::testing {
namespace {

constexpr double no_position = std::numeric_limits<double>::quiet_NaN();

/// Places and one level without; a switch; two places.
const std::vector<Dimension> sample_dimensions = {
    {"tile", true, false, {0, 0.1, 0.5, 1, no_position}},
    {"kind", false, false, {no_position, no_position, no_position}},
    {"width", true, true, {0, 1}}};

std::vector<std::vector<Level>> all_points() {
  std::vector<std::vector<Level>> points;
  for (Level a = 0; a < 5; ++a)
    for (Level b = 0; b < 3; ++b)
      for (Level c = 0; c < 2; ++c) points.push_back({a, b, c});
  return points;
}

TEST(ProductKernel, IsSymmetricAndOneOnEqualPointsOnly) {
  ProductKernel kernel(sample_dimensions);
  kernel.set(std::vector<double>{-1, 0.5, 1});
  for (const auto& a : all_points())
    for (const auto& b : all_points()) {
      const float k = kernel(a.data(), b.data());
      EXPECT_EQ(k, kernel(b.data(), a.data()));
      EXPECT_GT(k, 0);
      if (a == b)
        EXPECT_EQ(k, 1);
      else
        EXPECT_LT(k, 1);
    }
}

TEST(ProductKernel, FollowsTheFormulas) {
  ProductKernel kernel(sample_dimensions);
  kernel.set(std::vector<double>{0, std::log(2.0), std::log(0.5)});
  const double matern = (1 + std::sqrt(5.0) + 5.0 / 3) * std::exp(-std::sqrt(5.0));
  EXPECT_NEAR(kernel.factor(0, 0, 3), matern, 1e-6);
  EXPECT_NEAR(kernel.factor(0, 0, 4), std::exp(-1.0), 1e-6) << "a level without a place is only different";
  EXPECT_NEAR(kernel.factor(1, 0, 2), std::exp(-0.5), 1e-6);
  const double twice = 2 * std::sqrt(5.0);
  const double far = (1 + twice + twice * twice / 3) * std::exp(-twice);
  EXPECT_NEAR(kernel.factor(2, 1, 0), far, 1e-6);
  const std::vector<Level> a = {0, 0, 0}, b = {3, 1, 1};
  EXPECT_NEAR(kernel(a.data(), b.data()), matern * std::exp(-0.5) * far, 1e-6);
}

TEST(ProductKernel, FallsWithTheDistanceAndRisesWithTheLength) {
  ProductKernel kernel(sample_dimensions);
  kernel.set(std::vector<double>{0, 0, 0});
  EXPECT_GT(kernel.factor(0, 0, 1), kernel.factor(0, 0, 2));
  EXPECT_GT(kernel.factor(0, 0, 2), kernel.factor(0, 0, 3));
  const float before = kernel.factor(0, 0, 2);
  const float before_switch = kernel.factor(1, 0, 1);
  kernel.set(std::vector<double>{1, 1, 1});
  EXPECT_GT(kernel.factor(0, 0, 2), before);
  EXPECT_GT(kernel.factor(1, 0, 1), before_switch);
}

// Central differences of step 0.02: their own error is about step^2 / 6 times the third derivative, which is
// at most 20 at these lengths; that of single precision is 6e-8 / 0.02.
TEST(ProductKernel, KnowsItsSlopes) {
  const double step = 0.02;
  for (const double at : {-1.0, 0.0, 1.5}) {
    ProductKernel below(sample_dimensions), kernel(sample_dimensions), above(sample_dimensions);
    below.set(std::vector<double>(3, at - step));
    kernel.set(std::vector<double>(3, at));
    above.set(std::vector<double>(3, at + step));
    for (std::size_t d = 0; d < sample_dimensions.size(); ++d)
      for (Level a = 0; a < sample_dimensions[d].levels(); ++a)
        for (Level b = 0; b < sample_dimensions[d].levels(); ++b) {
          const double slope =
              (std::log(above.factor(d, a, b)) - std::log(below.factor(d, a, b))) / (2 * step);
          EXPECT_NEAR(kernel.slope(d, a, b), slope, 1.5e-3) << d << " " << a << " " << b;
        }
  }
}

// Also with levels that lack a place, whatever the lengths: else a fit has nothing to factor.
TEST(ProductKernel, GivesPositiveDefiniteCorrelations) {
  const auto points = all_points();
  const auto n = static_cast<Eigen::Index>(points.size());
  for (const double length : {0.05, 0.3, 1.0, 5.0, 30.0}) {
    ProductKernel kernel(sample_dimensions);
    kernel.set(std::vector<double>(3, std::log(length)));
    Eigen::MatrixXd correlations(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        correlations(i, j) = static_cast<double>(
            kernel(points[static_cast<std::size_t>(i)].data(), points[static_cast<std::size_t>(j)].data()));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(correlations);
    EXPECT_GT(solver.eigenvalues().minCoeff(), -1e-5) << "the least noise is 1e-4; length " << length;
  }
}

TEST(ProductKernel, CorrelatesManyAsItCorrelatesTwoWhateverTheCentre) {
  ProductKernel kernel(sample_dimensions);
  kernel.set(std::vector<double>{-1, 0.5, 1});
  const auto all = all_points();
  LevelMatrix points(static_cast<Eigen::Index>(all.size()), 3);
  for (std::size_t i = 0; i < all.size(); ++i)
    points.row(static_cast<Eigen::Index>(i)) << all[i][0], all[i][1], all[i][2];
  for (const auto& centre : all) {
    const Eigen::MatrixXf found = kernel.correlations(LevelColumns(points), points, centre.data());
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j)
        EXPECT_NEAR(found(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                    kernel(all[i].data(), all[j].data()), 1e-6);
  }
}

Dimension grid_dimension() {
  Dimension grid{"many", true, false, {}, true};
  for (std::size_t step = 0; step < grid_steps; ++step)
    grid.at.push_back(static_cast<double>(step) / (grid_steps - 1));
  grid.at.push_back(no_position);
  return grid;
}

TEST(ProductKernel, HasTheSameFactorsOnAGridAsInATable) {
  ProductKernel few(sample_dimensions), many({grid_dimension()});
  few.set(std::vector<double>{-0.5, 0, 0});
  many.set(std::vector<double>{-0.5});
  const Level tenth = (grid_steps - 1) / 10, last = grid_steps - 1, none = grid_steps;
  EXPECT_NEAR(many.factor(0, 0, last), few.factor(0, 0, 3), 1e-6);
  EXPECT_NEAR(many.factor(0, tenth, 0), few.factor(0, 1, 0), 1e-3) << "rounded to a step";
  EXPECT_NEAR(many.slope(0, 0, last), few.slope(0, 0, 3), 1e-6);
  EXPECT_EQ(many.factor(0, none, 7), few.factor(0, 4, 0));
  EXPECT_EQ(many.factor(0, none, none), 1);
  const std::vector<Level> levels = {0, tenth, last, none};
  std::vector<float> products(levels.size(), 1.0F);
  many.multiply(0, tenth, levels, products.data());
  for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(products[i], many.factor(0, tenth, levels[i]));
}

TEST(ProductKernel, SetsTheFactorsOfTheLevelsInUse) {
  LevelMatrix points(2, 3);
  points << 0, 1, 0, 3, 2, 1;
  ProductKernel all(sample_dimensions), some(sample_dimensions);
  all.set(std::vector<double>{0.2, 0.1, 0.3});
  some.set(std::vector<double>{0.2, 0.1, 0.3}, points);
  for (std::size_t d = 0; d < 3; ++d)
    for (Eigen::Index i = 0; i < 2; ++i)
      for (Eigen::Index j = 0; j < 2; ++j) {
        const auto column = static_cast<Eigen::Index>(d);
        EXPECT_EQ(some.factor(d, points(i, column), points(j, column)),
                  all.factor(d, points(i, column), points(j, column)));
      }
}

// Without a bound, tables of pairs of 65,536 levels would take 51 GB.
TEST(ProductKernel, TakesTheSameMemoryHoweverManyLevelsThereAre) {
  for (const std::size_t levels : {5'000U, 65'536U, 200'000U}) {
    const Dimension texts{"texts", false, false, std::vector<double>(levels, no_position)};
    EXPECT_LE(ProductKernel({texts}).entries(), 2U);
  }
  EXPECT_LE(ProductKernel(std::vector<Dimension>(20, grid_dimension())).entries(), 20 * (grid_steps + 1));
  ProductKernel kernel({{"texts", false, false, std::vector<double>(70'000, no_position)}});
  kernel.set(std::vector<double>{0});
  EXPECT_EQ(kernel.factor(0, 69'999, 69'999), 1);
  EXPECT_NEAR(kernel.factor(0, 0, 65'536), std::exp(-1.0), 1e-6) << "no level is taken for another";
}

}  // namespace
}  // namespace tune::search::testing
