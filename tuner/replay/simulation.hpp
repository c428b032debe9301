// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "tuner/replay/outcome_table.hpp"

namespace tune::replay {

/// Makes the strategy that is to be examined.
using StrategyFactory = std::function<std::unique_ptr<search::Strategy>(const search::SearchTask&)>;

struct SimulationOptions {
  std::uint64_t evaluations = 400;  ///< at which it ends; earlier where nothing is left
  std::uint64_t batch = 1;  ///< configurations asked for at a time; fewer where the strategy wants fewer
  /// It does not end before evaluations of so many recorded seconds were made, whatever their number.
  double seconds = 0;
};

/// What a simulated search saw.
struct Trace {
  /// Every evaluation in the order in which it was told, failures included (no cost).
  std::vector<search::Observation> evaluations;
  /// Seconds that the strategy itself took: being made, asked and told.
  double strategy_seconds = 0;

  /// After each evaluation the smallest cost so far; `nothing` until one succeeded.
  std::vector<double> best_so_far(double nothing) const;
};

/// Lets a strategy search a recorded space: asks it for configurations, tells what the recording says of
/// them. Every configuration counts once, whether it failed or not; one that the recording lacks is unknown:
/// it is neither told nor counted. The strategy hears what each of them took, by the recording. Deterministic
/// but for `strategy_seconds`. Throws std::logic_error for a strategy that asks for a configuration twice.
Trace simulate(const search::SearchTask& task, const OutcomeTable& outcomes, const StrategyFactory& factory,
               const SimulationOptions& options);

}  // namespace tune::replay
