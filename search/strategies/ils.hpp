// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {

struct LocalSearchOptions {
  std::size_t start = 8;    ///< results before the first climb: few enough for a budget of 20
  std::size_t restart = 4;  ///< results before the climb after a restart
  std::size_t kick = 4;     ///< parameters changed at most: many changes are a restart
  std::size_t kicks = 4;    ///< climbs in vain before a restart
};

void visit_options(LocalSearchOptions& options, OptionVisitor& visitor);

/// Iterated local search (H. R. Lourenço, O. C. Martin, T. Stützle, in: Handbook of Metaheuristics, 2003):
/// climbs down to a configuration without a better neighbour, kicks the best of these so far a few parameters
/// away, and climbs again.
///
/// A climb looks at the neighbours (one parameter, any value) in random order and goes on from the first that
/// is better. It starts at the best of a stratified sample. After some kicks in vain the search begins again
/// at the best of a new sample. Costs that are known need no evaluation. With several out, the neighbours of
/// one configuration are tried at the same time; where there are none left, kicks are.
class IteratedLocalSearch : public StepwiseSearch {
 public:
  static constexpr std::size_t min_kick = 2;  ///< parameters changed: a neighbour would lead back at once

  /// The task's space must outlive the strategy.
  explicit IteratedLocalSearch(const SearchTask& task, const LocalSearchOptions& options = {});

  /// A part of a neighbourhood: the rest is better chosen around the results of these.
  std::size_t max_in_flight() const override { return 8; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  enum class IlsPhase { sampling, kicking, climbing };

  void restart();
  /// Moves there, and on to better neighbours as long as their costs are known.
  void climb_from(ChosenCandidate place);
  /// The climb ended at its local optimum.
  void end_climb();
  std::optional<ConfigurationId> kick(ConfigurationId from);
  /// Returns the next unseen neighbour, if there is one.
  std::optional<ConfigurationId> next_neighbour();

  LocalSearchOptions options_;
  IlsPhase phase_ = IlsPhase::sampling;
  std::size_t turn_ = 0;                                  ///< restarts so far
  std::unordered_map<ConfigurationId, std::size_t> out_;  ///< chosen and not told: after which restart
  std::size_t missing_ = options_.start;                  ///< results before the sample is complete
  std::optional<ChosenCandidate> start_;                  ///< the best of the sample
  ChosenCandidate base_;                                  ///< where the climb is
  std::vector<ConfigurationId> to_try_;                   ///< neighbours of the base; the last comes first
  std::unordered_set<ConfigurationId> trying_;            ///< neighbours of the base that are out
  std::optional<ChosenCandidate> home_;                   ///< the best local optimum since the restart
  std::size_t kicks_ = 0;                                 ///< in vain since then
};

}  // namespace tune::search
