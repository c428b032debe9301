// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/models/encoding.hpp"
#include "search/models/work.hpp"

namespace tune::search {

/// Selects which of `count` values, sorted from the best on, a model uses: all, or, where they are more than
/// `most`, the best half of `most` and as many at equal distances among the rest. Increasing.
inline std::vector<std::size_t> best_and_spread(std::size_t count, std::size_t max_count) {
  std::vector<std::size_t> chosen;
  const std::size_t half = max_count / 2;
  for (std::size_t i = 0; i < (count <= max_count ? count : half); ++i) chosen.push_back(i);
  if (count <= max_count) return chosen;
  for (std::size_t i = 0; i < half; ++i) chosen.push_back(half + i * (count - half) / half);
  return chosen;
}

/// Points in the fit of lengths and noise: a step takes the cube of their number.
inline constexpr std::size_t max_fitted = 160;
/// Points in predictions: a candidate costs the square of their number at a fit.
inline constexpr std::size_t max_followed = 500;

/// Rows are configurations, columns dimensions.
using LevelMatrix = Eigen::Matrix<Level, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The levels of some configurations, one vector a dimension.
struct LevelColumns {
  LevelColumns() = default;
  explicit LevelColumns(const LevelMatrix& points);
  void add(std::span<const Level> point);

  std::size_t count = 0;  ///< configurations
  std::vector<std::vector<Level>> levels;
};

/// Correlation of two configurations: one factor a dimension. Matern 5/2 over the places of ordered levels
/// (C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, section 4.2),
/// exp(-1/length) between different levels without places. The factors are in tables, so that no exponential
/// is computed where configurations are compared: of all pairs of levels for a dimension with few, of all
/// distances for a grid, and of equal and different for many levels without places.
class ProductKernel {
 public:
  explicit ProductKernel(const std::vector<Dimension>& dimensions);

  std::size_t dimensions() const { return tables_.size(); }
  /// `log_lengths` has one entry a dimension.
  void set(std::span<const double> log_lengths);
  /// Does the same for the levels of these points only: others have no factors until the next `set`.
  void set(std::span<const double> log_lengths, const LevelMatrix& points);

  /// Returns the correlation of two levels of dimension `d`.
  float factor(std::size_t d, Level a, Level b) const { return tables_[d].factors[tables_[d].entry(a, b)]; }
  /// Returns d log(correlation) / d log(length), likewise.
  float slope(std::size_t d, Level a, Level b) const { return tables_[d].slopes[tables_[d].entry(a, b)]; }
  /// Multiplies each product with the correlation of `level` and the level at the same place of `levels`.
  void multiply(std::size_t d, Level level, std::span<const Level> levels, float* products) const;
  /// Returns the correlations of each of `points` (rows) with each of `others` (columns). Those of `others`
  /// that differ from `centre` in the same few dimensions share the product of the other factors: neighbours
  /// of a configuration take time for what they differ in.
  Eigen::MatrixXf correlations(const LevelColumns& points, const LevelMatrix& others,
                               const Level* centre) const;

  float operator()(const Level* a, const Level* b) const {
    work_.add(tables_.size());
    float product = 1.0F;
    for (std::size_t d = 0; d < tables_.size(); ++d) product *= factor(d, a[d], b[d]);
    return product;
  }

  /// Returns the numbers in all tables: how much memory it takes, and how much work `set` does at most.
  std::size_t entries() const;
  /// Counts what is computed with this kernel: correlations, and what others add.
  const Work& work() const { return work_; }

 private:
  struct Table {
    enum class Kind : std::uint8_t { pairs, grid, equality };
    Kind kind = Kind::pairs;
    std::size_t levels = 0;
    /// By entry. Negative: different levels without a distance.
    std::vector<float> distances, factors, slopes;

    std::size_t entry(Level a, Level b) const {
      if (kind == Kind::pairs) return a * levels + b;
      if (a == b) return 0;
      // The level without a place is behind those of the grid; its entry is the last.
      if (kind == Kind::equality || a >= grid_steps || b >= grid_steps) return distances.size() - 1;
      return a < b ? b - a : a - b;
    }
    void set(std::size_t entry, double length);
  };

  std::vector<Table> tables_;
  Work work_;
};

/// The prior of the lengths and the noise: normal in their logarithms.
struct GaussianProcessPrior {
  double length = 1.4;          ///< at six dimensions; grows with the root of their number
  double derived_factor = 1.5;  ///< longer for what follows from others
  double length_spread = 0.8;
  double noise = 0.01;  ///< variance, relative to the signal's
  double noise_spread = 1.0;
  int steps = 20;  ///< of the fit
};

/// The prior of linear features besides a constant: a feature's weight is normal.
struct WeightPrior {
  double weight = 0;
  double spread = 1;
};

/// Regression: a constant, some linear features, and a process with a ProductKernel and noise. Lengths and
/// noise are those of the highest posterior probability, found by resilient back-propagation (M. Riedmiller,
/// H. Braun, 1993) from the prior's mean on; the constant is that of generalised least squares.
class GaussianProcess {
 public:
  using Prior = GaussianProcessPrior;

  explicit GaussianProcess(const std::vector<Dimension>& dimensions, const Prior& prior = {});

  /// Chooses lengths and noise for these values at these points.
  void fit(const LevelMatrix& points, const Eigen::VectorXd& values);
  /// The function that `fit` minimises, and its gradient, by the logarithms of lengths and noise (the last).
  /// Infinite where the correlations are not positive definite.
  double objective(const LevelMatrix& points, const Eigen::VectorXd& values,
                   std::span<const double> parameters, std::span<double> gradient);
  /// Returns lengths and noise as `objective` takes them.
  const std::vector<double>& parameters() const { return parameters_; }

  /// Sets the points at which values are known. O(n^3).
  void condition(const LevelMatrix& points);
  /// Adds one more point. O(n^2).
  void append(std::span<const Level> point);

  const ProductKernel& kernel() const { return kernel_; }
  double noise() const { return noise_; }
  Eigen::Index size() const { return points_.rows(); }
  const LevelMatrix& points() const { return points_; }
  /// Returns the lower triangle of Cholesky's factor of correlations plus noise.
  const Eigen::MatrixXd& factor() const { return factor_; }

  /// The solution for values at the points. With v = factor^-1 k, k the correlations of a further point with
  /// them, its mean is constant + features . slopes + whitened . v, its variance scale (1 - v . v).
  struct Explanation {
    double constant = 0;
    Eigen::VectorXd slopes;
    double scale = 1;
    Eigen::VectorXd whitened;
  };
  /// `features` has one row a point and one column a prior mean.
  Explanation explain(const Eigen::VectorXd& values, const Eigen::MatrixXd& features,
                      std::span<const WeightPrior> prior_means) const;
  /// Returns k for each of these, a column each (see ProductKernel::correlations for `centre`).
  Eigen::MatrixXd correlate(const LevelMatrix& others, const Level* centre) const;
  /// Replaces each column k by factor^-1 k. O(n^2) a column.
  void whiten(Eigen::MatrixXd& k) const;
  /// Returns upper bounds of 1 - v . v for each column k, by the points that correlate most with the columns.
  Eigen::VectorXd most_unexplained(const Eigen::MatrixXd& k) const;

 private:
  Eigen::MatrixXd correlations(const LevelMatrix& points, double noise) const;

  Prior prior_;
  ProductKernel kernel_;
  std::vector<double> parameters_, start_;
  double noise_ = 0.01;
  LevelMatrix points_;
  LevelColumns columns_;  ///< the same points
  Eigen::MatrixXd factor_;
};

}  // namespace tune::search
