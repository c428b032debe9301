// SPDX-License-Identifier: Apache-2.0
#include "search/ask_tell/visited.hpp"

#include <bit>
#include <cmath>

namespace tune::search {

namespace {

/// Once guessing needs this many tries on average, the unseen are listed instead.
constexpr ConfigurationId max_tries = 32;

}  // namespace

double cost_of(const Observation& observation) {
  const double cost = observation.cost.value_or(std::numeric_limits<double>::infinity());
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

Visited::Visited(ConfigurationId size)
    : size_(size), remaining_(size), seen_(size > max_bits ? 0 : (size + word_bits - 1) / word_bits) {}

bool Visited::take(ConfigurationId id) {
  if (seen(id)) return false;
  if (size_ > max_bits)
    seen_of_many_.insert(id);
  else
    seen_[id / word_bits] |= std::uint64_t{1} << (id % word_bits);
  --remaining_;
  return true;
}

std::vector<ConfigurationId> Visited::unseen() const {
  std::vector<ConfigurationId> ids;
  ids.reserve(remaining_);
  if (size_ > max_bits) {
    for (ConfigurationId id = 0; id < size_; ++id)
      if (!seen(id)) ids.push_back(id);
    return ids;
  }
  for (std::size_t word = 0; word < seen_.size(); ++word) {
    for (std::uint64_t left = ~seen_[word]; left != 0; left &= left - 1) {
      const ConfigurationId id = word * word_bits + static_cast<ConfigurationId>(std::countr_zero(left));
      if (id < size_) ids.push_back(id);
    }
  }
  return ids;
}

std::optional<ConfigurationId> Visited::random_unseen(Random& random) {
  if (remaining_ == 0) return std::nullopt;
  if (few_.empty() && remaining_ < size_ / max_tries) few_ = unseen();
  // A configuration that was taken meanwhile is still listed, and leaves the list when it is drawn: once
  // each.
  while (!few_.empty()) {
    std::swap(few_[random.below(few_.size())], few_.back());
    if (!seen(few_.back())) return few_.back();
    few_.pop_back();
  }
  ConfigurationId id = random.below(size_);
  while (seen(id)) id = random.below(size_);
  return id;
}

std::optional<ConfigurationId> Visited::take_random(Random& random) {
  const auto id = random_unseen(random);
  if (id) take(*id);
  return id;
}

void Visited::tell(const Observation& observation) {
  take(observation.id);
  const double cost = cost_of(observation);
  costs_[observation.id] = cost;
  if (best_ == observation.id) {
    if (cost > best_cost_) return find_best();
    best_cost_ = cost;
    return;
  }
  if (cost >= best_cost_) return;
  best_ = observation.id;
  best_cost_ = cost;
}

/// The best turned out to be worse than its first result: rare. Equals are ordered by number, since a hash
/// table has no order.
void Visited::find_best() {
  best_.reset();
  best_cost_ = std::numeric_limits<double>::infinity();
  for (const auto& [id, cost] : costs_) {
    if (cost > best_cost_ || !std::isfinite(cost) || (cost == best_cost_ && id > *best_)) continue;
    best_ = id;
    best_cost_ = cost;
  }
}

std::optional<double> Visited::cost(ConfigurationId id) const {
  const auto found = costs_.find(id);
  return found == costs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tune::search
