// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "search/models/encoding.hpp"

namespace tune::search {

/// Correlation of two configurations: one factor a dimension. Matern 5/2 over the places of ordered levels
/// (C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, section 4.2),
/// exp(-1/length) between different levels without places. A table of all pairs of levels for each dimension:
/// no exponential is computed where configurations are compared.
class ProductKernel {
 public:
  explicit ProductKernel(const std::vector<Dimension>& dimensions);

  std::size_t dimensions() const { return sizes_.size(); }
  /// `log_lengths`: one a dimension.
  void set(std::span<const double> log_lengths);

  /// Row of correlations of `level` with all levels of dimension `d`.
  const float* row(std::size_t d, Level level) const { return tables_[d].data() + level * sizes_[d]; }
  /// d log(correlation) / d log(length), likewise.
  const float* slope_row(std::size_t d, Level level) const { return slopes_[d].data() + level * sizes_[d]; }

  float operator()(const Level* a, const Level* b) const {
    float product = 1.0F;
    for (std::size_t d = 0; d < sizes_.size(); ++d) product *= row(d, a[d])[b[d]];
    return product;
  }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<std::vector<float>> distances_;  ///< negative: different levels without a distance
  std::vector<std::vector<float>> tables_, slopes_;
};

}  // namespace tune::search
