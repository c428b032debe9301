// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/space/search_space.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::replay {

/// What a recording says of one configuration.
struct Outcome {
  bool recorded = false;       ///< false: nothing is known of it
  std::optional<double> cost;  ///< seconds; nothing where it failed
  double seconds = 0;  ///< that compiling, checking and measuring took; 0 where the recording does not say
};

/// What is known of every configuration of a space: all that a simulation needs. Safe to read from several
/// threads.
class OutcomeTable {
 public:
  /// One entry for each id of a space.
  explicit OutcomeTable(std::vector<Outcome> by_id);
  /// Evaluations of other configurations are left out; of one configuration's the first counts.
  OutcomeTable(const search::SearchSpace& space, const std::vector<Evaluation>& evaluations);

  const Outcome& at(search::ConfigurationId id) const { return by_id_.at(id); }
  /// Configurations that a search can choose from, unknown ones included.
  std::uint64_t size() const { return by_id_.size(); }
  /// Of these, recorded ones: those that failed, and those with a time.
  std::uint64_t recorded() const { return recorded_; }
  std::uint64_t failed() const { return recorded_ - costs_.size(); }

  /// What a recorded evaluation took on average, failures included; 0 where the recording does not say.
  double seconds_each() const;

  /// All times in seconds, in increasing order.
  const std::vector<double>& costs() const { return costs_; }
  /// The best, the middle and the worst of them. Throw std::logic_error where all failed.
  double optimum() const;
  double median() const;
  double worst() const;
  /// How many configurations are within that share of the optimum (see is_within): 0.05 for 5 %.
  std::uint64_t within(double share) const;

 private:
  void summarise();

  std::vector<Outcome> by_id_;
  std::uint64_t recorded_ = 0;
  std::vector<double> costs_;
};

/// Whether a cost reaches at least 1 - `share` of the optimum: `within 5 %` is optimum / cost >= 0.95. One
/// rule for all that counts such configurations.
inline bool is_within(double cost, double optimum, double share) {
  return optimum >= (1 - share) * cost;
}

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
