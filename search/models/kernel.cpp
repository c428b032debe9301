// SPDX-License-Identifier: Apache-2.0
#include "search/models/kernel.hpp"

#include <cmath>

namespace tune::search {
namespace {

constexpr float category_mismatch = -1.0F;

float distance(const Dimension& dimension, std::size_t a, std::size_t b) {
  if (a == b) return 0.0F;
  const double apart = std::abs(dimension.at[a] - dimension.at[b]);
  return dimension.ordered && !std::isnan(apart) ? static_cast<float>(apart) : category_mismatch;
}

}  // namespace

ProductKernel::ProductKernel(const std::vector<Dimension>& dimensions) {
  for (const Dimension& dimension : dimensions) {
    const std::size_t size = dimension.levels();
    sizes_.push_back(size);
    std::vector<float>& distances = distances_.emplace_back();
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < size; ++b) distances.push_back(distance(dimension, a, b));
    tables_.emplace_back(size * size, 1.0F);
    slopes_.emplace_back(size * size, 0.0F);
  }
}

void ProductKernel::set(std::span<const double> log_lengths) {
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    const double length = std::exp(log_lengths[d]);
    for (std::size_t i = 0; i < distances_[d].size(); ++i) {
      const double apart = distances_[d][i];
      double value = 1, slope = 0;
      if (apart < 0) {
        value = std::exp(-1 / length);
        slope = 1 / length;
      } else if (apart > 0) {
        const double a = std::sqrt(5.0) * apart / length;
        const double polynomial = 1 + a + a * a / 3;
        value = polynomial * std::exp(-a);
        slope = a * a / 3 * (1 + a) / polynomial;
      }
      tables_[d][i] = static_cast<float>(value);
      slopes_[d][i] = static_cast<float>(slope);
    }
  }
}

}  // namespace tune::search
