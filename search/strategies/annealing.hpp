// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {

struct AnnealingOptions {
  std::size_t start = 8;      ///< results before the first walk: few enough for a budget of 20
  std::size_t restart = 4;    ///< results before any other walk
  double hot = 0.3;           ///< temperature at first; a step that is 30 % slower: one of 2.7
  double cold = 0.01;         ///< temperature at last; below the differences that matter
  double cooling = 0.95;      ///< a result; 67 results from hot to cold
  std::size_t patience = 24;  ///< cold results without an improvement before a restart
};

void visit_options(AnnealingOptions& options, OptionVisitor& visitor);

/// Simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Science 220, 1983): one walk that accepts
/// every better configuration and a worse one with a chance that falls with its cost and with time.
///
/// It starts at the best of a stratified sample. The chance of a step that is a share d slower is
/// exp(-d / temperature), so that nothing depends on the unit of the cost; the temperature falls by a
/// constant factor with each result. Cold and without success for a while, it begins again at the best of a
/// new sample (the budget is unknown, so the schedule cannot be stretched to it). Steps to configurations
/// whose cost is known are free. With several out, each result is a step proposed to where the walk is by
/// then.
class Annealing : public StepwiseSearch {
 public:
  static constexpr double adjacent_share = 0.5;   ///< share of steps to an adjacent value,
  static constexpr double neighbour_share = 0.4;  ///< to any value of one parameter; the rest changes two

  /// The task's space must outlive the strategy.
  explicit Annealing(const SearchTask& task, const AnnealingOptions& options = {});

  /// More would be steps from places that the walk left long ago.
  std::size_t max_in_flight() const override { return 8; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  void restart();
  void move_to(ChosenCandidate place);
  /// True when the walk takes a step to this cost.
  bool accepts(double cost);
  std::optional<ConfigurationId> random_step();

  AnnealingOptions options_;
  std::size_t walk_ = 0;                                  ///< number of the present walk
  std::unordered_map<ConfigurationId, std::size_t> out_;  ///< chosen and not told: in which walk
  std::size_t missing_ = options_.start;                  ///< results before the walk starts
  std::optional<ChosenCandidate> start_;                  ///< the best of them
  std::optional<ChosenCandidate> current_;                ///< where the walk is; nowhere before it starts
  double walk_best_ = 0;
  double temperature_ = options_.hot;
  std::size_t stale_ = 0;  ///< results since the walk found its best
  std::vector<ConfigurationId> neighbours_;
  std::vector<ConfigurationId> adjacent_;
};

}  // namespace tune::search
