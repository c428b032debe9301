// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/strategies/stepwise.hpp"

namespace tune::search {

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
  static constexpr std::size_t kPopulation =
      16;                                       ///< as in small budgets elsewhere: parents after few results
  static constexpr double kMutations = 1.0;     ///< values of a child that mutate, on average
  static constexpr std::size_t kPatience = 48;  ///< results in vain, three for each place, before a restart

  /// The task's space must outlive the strategy.
  explicit Genetic(const SearchTask& task);

  std::size_t most_in_flight() const override { return kPopulation; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  const Candidate& parent();

  std::vector<Candidate> population_;  ///< best first
  std::size_t to_sample_ = kPopulation;
  std::size_t stale_ = 0;  ///< results since one entered the population
};

}  // namespace tune::search
