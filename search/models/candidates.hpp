// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "search/models/gaussian_process.hpp"

namespace tune::search {

/// The configurations among which a model chooses, with the prediction of each under a Gaussian process.
/// Adding a point to the process costs one row here instead of all.
class CandidatePool {
 public:
  explicit CandidatePool(const Encoding& encoding) : encoding_(encoding) {}

  /// Replaces the candidates, which have no predictions yet.
  void assign(std::vector<ConfigurationId> ids);
  std::size_t size() const { return ids_.size(); }
  ConfigurationId id(std::size_t candidate) const { return ids_[candidate]; }
  Level level(std::size_t candidate, std::size_t dimension) const { return levels_[dimension][candidate]; }

  /// Starts over with all points of the process.
  void condition(const GaussianProcess& process);
  /// Takes in the process's last point, after GaussianProcess::append.
  void append(const GaussianProcess& process);

  /// Returns the correlation of every candidate with a point.
  Eigen::ArrayXf correlations(const ProductKernel& kernel, const Level* point) const;

  /// The predicted means, without constant and features.
  Eigen::ArrayXf means(const GaussianProcess::Explanation& explanation) const;
  /// The variances of the signal, relative to its scale, 0 to 1.
  Eigen::ArrayXf variances() const { return (1 - explained_).max(0); }

 private:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  const Encoding& encoding_;
  std::vector<ConfigurationId> ids_;
  std::vector<std::vector<Level>> levels_;  ///< one vector a dimension
  Rows whitened_;                           ///< factor^-1 times the correlations with the process's points
  Eigen::Index rows_ = 0;                   ///< of `whitened_` that hold something
  Eigen::ArrayXf explained_;
};

}  // namespace tune::search
