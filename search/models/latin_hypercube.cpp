// SPDX-License-Identifier: Apache-2.0
#include "search/models/latin_hypercube.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tune::search {
namespace {

/// One number a point for a dimension: each of `count` strata once, in random order.
std::vector<double> strata(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  std::vector<double> places;
  for (const std::size_t stratum : order)
    places.push_back((static_cast<double>(stratum) + random.uniform()) / static_cast<double>(count));
  return places;
}

double distance(const Dimension& dimension, Level level, double place) {
  const double at = dimension.at[level];
  if (dimension.ordered && !std::isnan(at)) return std::abs(at - place);
  return level == static_cast<Level>(place * static_cast<double>(dimension.levels())) ? 0 : 1;
}

}  // namespace

std::vector<ConfigurationId> latin_hypercube(const Encoding& encoding, const CandidatePool& candidates,
                                             std::size_t count, const Eigen::ArrayXf& lean, Random& random) {
  const std::vector<Dimension>& dimensions = encoding.dimensions();
  std::vector<std::vector<double>> places;
  for (std::size_t d = 0; d < dimensions.size(); ++d) places.push_back(strata(count, random));
  std::vector<bool> taken(candidates.size(), false);
  std::vector<ConfigurationId> design;
  while (design.size() < std::min(count, candidates.size())) {
    const std::size_t point = design.size();
    double min = std::numeric_limits<double>::infinity();
    std::size_t nearest = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (taken[c]) continue;
      double apart = static_cast<double>(lean(static_cast<Eigen::Index>(c)));
      for (std::size_t d = 0; d < dimensions.size(); ++d)
        if (!dimensions[d].derived)
          apart += distance(dimensions[d], candidates.level(c, d), places[d][point]);
      if (apart >= min) continue;
      min = apart;
      nearest = c;
    }
    taken[nearest] = true;
    design.push_back(candidates.id(nearest));
  }
  return design;
}

}  // namespace tune::search
