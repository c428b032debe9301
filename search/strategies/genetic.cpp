// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/genetic.hpp"

#include <algorithm>
#include <cmath>

namespace tune::search {

Genetic::Genetic(const SearchTask& task) : StepwiseSearch(task, kPopulation) {}

void Genetic::learn(ConfigurationId id, double cost) {
  ++stale_;
  std::erase_if(population_, [&](const Candidate& member) { return member.id == id; });
  const auto place = std::ranges::upper_bound(population_, cost, {}, &Candidate::cost);
  const bool enters = std::isfinite(cost) && (population_.size() < kPopulation || place != population_.end());
  if (enters) {
    population_.insert(place, {id, cost});
    population_.resize(std::min(population_.size(), kPopulation));
    stale_ = 0;
  }
  if (stale_ < kPatience || population_.empty()) return;
  population_.resize(1);
  to_sample_ = kPopulation - 1;
  stale_ = 0;
}

const Candidate& Genetic::parent() {
  const std::size_t one = random_.below(population_.size());
  const std::size_t other = random_.below(population_.size());
  return population_[std::min(one, other)];
}

std::optional<ConfigurationId> Genetic::choose() {
  if (to_sample_ > 0) {
    --to_sample_;
    return sample();
  }
  if (population_.size() < 2) return sample();
  Wish child = moves_.cross(parent().id, parent().id, random_);
  moves_.mutate(child, kMutations / static_cast<double>(child.size()), random_);
  return take_or_sample(moves_.nearest(child, random_, unseen()));
}

}  // namespace tune::search
