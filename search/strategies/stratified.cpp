// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/stratified.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "search/models/encoding.hpp"

namespace tune::search {
namespace {

constexpr std::size_t candidates_a_point = 16;  // of a sample, for each configuration of the design

std::vector<ConfigurationId> sample_of(const SearchSpace& space, std::size_t count, Random& random) {
  std::vector<ConfigurationId> ids(std::min<ConfigurationId>(count, space.size()));
  if (ids.size() == space.size())
    std::iota(ids.begin(), ids.end(), ConfigurationId{0});
  else
    for (ConfigurationId& id : ids) id = space.sample(random);
  return ids;
}

/// Returns one number a point: each of `count` strata once, in random order.
std::vector<double> strata(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  std::vector<double> places;
  for (const std::size_t stratum : order)
    places.push_back((static_cast<double>(stratum) + random.uniform()) / static_cast<double>(count));
  return places;
}

}  // namespace

double StratifiedDesign::Marginal::distance(std::size_t value, double place) const {
  const double low = below[value], high = below[value + 1];
  if (!ordered) return low <= place && place < high ? 0 : 1;
  return std::max({0.0, low - place, place - high});
}

double StratifiedDesign::Marginal::mean_distance(double place) const {
  double mean = 0;
  for (std::size_t value = 0; value + 1 < below.size(); ++value)
    mean += (below[value + 1] - below[value]) * distance(value, place);
  return mean;
}

StratifiedDesign::StratifiedDesign(const SearchSpace& space, std::vector<ConfigurationId> candidates,
                                   std::size_t size, Random& random, std::vector<double> lean)
    : candidates_(std::move(candidates)), lean_(std::move(lean)), size_(size) {
  lean_.resize(candidates_.size(), 0);
  for (const ConfigurationId id : candidates_) values_.push_back(space.value_indices(id));
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    const Parameter& parameter = space.parameters()[p];
    Marginal marginal{are_amounts(parameter), std::vector<double>(parameter.values.size() + 1, 0.0),
                      strata(size, random)};
    double present = 0;
    for (const std::vector<int>& values : values_) {
      if (values[p] < 0) continue;
      ++marginal.below[static_cast<std::size_t>(values[p]) + 1];
      ++present;
    }
    std::partial_sum(marginal.below.begin(), marginal.below.end(), marginal.below.begin());
    for (double& share : marginal.below) share /= std::max(1.0, present);
    marginals_.push_back(std::move(marginal));
  }
}

StratifiedDesign::StratifiedDesign(const SearchSpace& space, std::size_t size, Random& random)
    : StratifiedDesign(space, sample_of(space, candidates_a_point * size, random), size, random) {}

std::size_t StratifiedDesign::reasonable_size(const SearchSpace& space) {
  std::size_t max = 0;
  for (const Parameter& parameter : space.parameters()) max = std::max(max, parameter.values.size());
  return std::clamp<std::size_t>(max, 8, 32);
}

std::optional<ConfigurationId> StratifiedDesign::take(Visited& visited) {
  if (next_ == size_) return std::nullopt;
  const std::size_t point = next_++;
  std::vector<double> absent;  // no configuration looks good because it has few parameters
  for (const Marginal& marginal : marginals_)
    absent.push_back(marginal.mean_distance(marginal.places[point]));
  std::optional<ConfigurationId> nearest;
  double min = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (visited.seen(candidates_[c])) continue;
    double apart = lean_[c];
    for (std::size_t p = 0; p < marginals_.size(); ++p) {
      const int value = values_[c][p];
      apart += value < 0
                   ? absent[p]
                   : marginals_[p].distance(static_cast<std::size_t>(value), marginals_[p].places[point]);
    }
    if (apart >= min) continue;
    min = apart;
    nearest = candidates_[c];
  }
  if (nearest) visited.take(*nearest);
  return nearest;
}

}  // namespace tune::search
