// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/genetic.hpp"

#include <algorithm>
#include <cmath>

namespace tune::search {

void visit_options(GeneticOptions& options, OptionVisitor& visitor) {
  visitor.count("population", options.population, 2, 10'000, "parents");
  visitor.number("mutations", options.mutations, 0, 1000, "values of a child that mutate, on average");
  visitor.count("patience", options.patience, 1, 1'000'000, "results in vain before a new population");
}

Genetic::Genetic(const SearchTask& task, const GeneticOptions& options)
    : StepwiseSearch(task, options.population), options_(options) {}

void Genetic::learn(ConfigurationId id, double cost) {
  ++stale_;
  std::erase_if(population_, [&](const ChosenCandidate& member) { return member.id == id; });
  const auto place = std::ranges::upper_bound(population_, cost, {}, &ChosenCandidate::cost);
  const bool enters =
      std::isfinite(cost) && (population_.size() < options_.population || place != population_.end());
  if (enters) {
    population_.insert(place, {id, cost});
    population_.resize(std::min(population_.size(), options_.population));
    stale_ = 0;
  }
  if (stale_ < options_.patience || population_.empty()) return;
  population_.resize(1);
  to_sample_ = options_.population - 1;
  stale_ = 0;
}

const ChosenCandidate& Genetic::parent() {
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
  Proposal child = moves_.cross(parent().id, parent().id, random_);
  moves_.mutate(child, options_.mutations / static_cast<double>(child.size()), random_);
  return take_or_sample(moves_.repair(child, random_, unseen()));
}

}  // namespace tune::search
