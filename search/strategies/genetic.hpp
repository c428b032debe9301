// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {

struct GeneticOptions {
  std::size_t population = 16;  ///< as in small budgets elsewhere: parents after few results
  double mutations = 1.0;       ///< values of a child that mutate, on average
  std::size_t patience = 48;    ///< results in vain, three for each place, before a restart
};

void visit_options(GeneticOptions& options, OptionVisitor& visitor);

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

}  // namespace tune::search
