// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/registry.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {
namespace {

struct GeneticOptions {
  std::size_t population = 16;  ///< as in small budgets elsewhere: parents after few results
  double mutations = 1.0;       ///< values of a child that mutate, on average
  std::size_t patience = 48;    ///< results in vain, three for each place, before a restart
};

/// A genetic algorithm without generations (steady state, D. Whitley, "The GENITOR algorithm", ICGA 1989):
/// the population is the best configurations so far; every choice is a child of two of them, and a result
/// that is better than the worst takes its place.
///
/// A parent wins a tournament of two; the child has each value from either parent (uniform crossover,
/// G. Syswerda, ICGA 1989), some values mutate, and the nearest valid configuration that was not seen yet is
/// chosen. A failure never enters the population. Where nothing entered for long, the best stays and the rest
/// is sampled anew. Nothing waits for a generation to end, so that any number may be out.
class Genetic : public StepwiseSearch {
 public:
  /// The task's space must outlive the strategy.
  explicit Genetic(const SearchTask& task, const GeneticOptions& options = {});

  std::size_t max_in_flight() const override { return options_.population; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  const ChosenCandidate& parent();

  GeneticOptions options_;
  std::vector<ChosenCandidate> population_;  ///< best first
  std::size_t to_sample_ = options_.population;
  std::size_t stale_ = 0;  ///< results since one entered the population
};

void visit_options(GeneticOptions& options, OptionVisitor& visitor) {
  visitor.count("population", options.population, 2, 10'000, "parents");
  visitor.number("mutations", options.mutations, 0, 1000, "values of a child that mutate, on average");
  visitor.count("patience", options.patience, 1, 1'000'000, "results without a gain before a new population");
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

}  // namespace

StrategyEntry genetic_strategy() {
  return strategy_entry<Genetic, GeneticOptions>("genetic", "genetic algorithm");
}

}  // namespace tune::search
