// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "search/models/gaussian_process.hpp"
#include "search/random.hpp"

namespace tune::search::testing {

/// A line of 33 places, a switch of three levels, and five places with a level without one.
inline std::vector<Dimension> three_dimensions() {
  constexpr double no_position = std::numeric_limits<double>::quiet_NaN();
  Dimension line{"line", true, false, {}};
  for (int level = 0; level <= 32; ++level) line.at.push_back(level / 32.0);
  return {line,
          {"switch", false, false, {no_position, no_position, no_position}},
          {"conditional", true, true, {0, 0.25, 0.5, 1, no_position}}};
}

inline LevelMatrix random_points(Eigen::Index count, Random& random) {
  LevelMatrix points(count, 3);
  for (Eigen::Index i = 0; i < count; ++i)
    points.row(i) << static_cast<Level>(random.below(33)), static_cast<Level>(random.below(3)),
        static_cast<Level>(random.below(5));
  return points;
}

inline double along(Level level) {
  return std::sin(4 * level / 32.0);
}

/// A smooth function of the first dimension, a step in the second, nothing in the third; and some noise.
inline Eigen::VectorXd values_at(const LevelMatrix& points, double noise, Random& random) {
  Eigen::VectorXd values(points.rows());
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    values(i) = along(points(i, 0)) + (points(i, 1) == 1 ? 0.5 : 0.0) + noise * (random.uniform() - 0.5);
  return values;
}

inline Eigen::VectorXd standardised(const Eigen::VectorXd& values) {
  const Eigen::ArrayXd centred = values.array() - values.mean();
  return centred / std::sqrt(centred.square().mean());
}

inline std::span<const Level> row(const LevelMatrix& points, Eigen::Index i) {
  return {points.row(i).data(), static_cast<std::size_t>(points.cols())};
}

/// Returns factor^-1 k of one point.
inline Eigen::VectorXd whitened(const GaussianProcess& process, std::span<const Level> point) {
  const Eigen::Map<const LevelMatrix> one(point.data(), 1, static_cast<Eigen::Index>(point.size()));
  Eigen::MatrixXd k = process.correlate(one, point.data());
  process.whiten(k);
  return k;
}

}  // namespace tune::search::testing
