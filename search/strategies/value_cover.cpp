// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/value_cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tune::search {

namespace {

/// The largest random cost of a value: below the cost of one use, so that it only decides among equals.
constexpr double design_noise = 0.1;

}  // namespace

ValueCover::ValueCover(const SearchSpace& space, std::size_t size, Random& random)
    : space_(space), size_(size), left_(size) {
  for (const Parameter& parameter : space.parameters())
    used_.push_back({std::vector<double>(parameter.values.size()), 0.0});
  if (used_.empty() || used_[0].values.size() > size) return;
  first_values_.resize(used_[0].values.size());
  std::iota(first_values_.begin(), first_values_.end(), std::size_t{0});
  for (std::size_t left = first_values_.size(); left > 1; --left)
    std::swap(first_values_[left - 1], first_values_[random.below(left)]);
}

std::optional<ConfigurationId> ValueCover::take(Visited& visited, Random& random) {
  while (left_ > 0 && visited.remaining() > 0) {
    std::optional<std::size_t> first_value;
    if (!first_values_.empty()) {
      first_value = first_values_.back();
      first_values_.pop_back();
    }
    const auto id = least_used(visited, first_value, random);
    if (!id && first_value) continue;  // nothing with that value is valid and unseen
    left_ = id ? left_ - 1 : 0;
    if (!id) break;
    use(*id);
    visited.take(*id);
    return id;
  }
  return std::nullopt;
}

std::optional<ConfigurationId> ValueCover::least_used(const Visited& visited,
                                                      std::optional<std::size_t> first_value,
                                                      Random& random) {
  std::vector<ValueCosts> costs = used_;
  for (ValueCosts& parameter : costs) {
    for (double& cost : parameter.values) cost += design_noise * random.uniform();
    // A variant must not look good because it has few parameters.
    parameter.absent = std::accumulate(parameter.values.begin(), parameter.values.end(), 0.0) /
                       static_cast<double>(parameter.values.size());
  }
  if (first_value) {
    for (std::size_t value = 0; value < costs[0].values.size(); ++value)
      if (value != *first_value) costs[0].values[value] = std::numeric_limits<double>::infinity();
  }
  return space_.cheapest(costs, random, [&](ConfigurationId id) { return !visited.seen(id); });
}

/// A value counts as partly used where another one within its share of the values was: with 8 configurations
/// and 32 values, half by the value two steps away.
void ValueCover::use(ConfigurationId id) {
  const std::vector<int> indices = space_.value_indices(id);
  for (std::size_t p = 0; p < indices.size(); ++p) {
    if (indices[p] < 0) continue;
    std::vector<double>& used = used_[p].values;
    const double share = std::max(1.0, static_cast<double>(used.size()) / static_cast<double>(size_));
    for (std::size_t value = 0; value < used.size(); ++value) {
      const double distance = std::abs(static_cast<double>(value) - indices[p]);
      used[value] += std::max(0.0, 1.0 - distance / share);
    }
  }
}

}  // namespace tune::search
