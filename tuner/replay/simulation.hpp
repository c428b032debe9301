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

/// The recorded outcome of one configuration.
struct Outcome {
  bool recorded = false;       ///< false: the recording lacks it
  std::optional<double> cost;  ///< seconds; nothing where it failed
  double seconds = 0;          ///< of compiling, checking and measuring; 0 where unknown
  double compile = 0;          ///< of these, of compiling
};

/// The outcomes of all configurations of a space. Safe to read from several threads.
class OutcomeTable {
 public:
  /// `by_id`: one entry for each id of a space.
  explicit OutcomeTable(std::vector<Outcome> by_id);
  /// Ignores evaluations of other configurations; the first one of a configuration counts.
  OutcomeTable(const search::SearchSpace& space, const std::vector<Evaluation>& evaluations);

  const Outcome& at(search::ConfigurationId id) const { return by_id_.at(id); }
  /// Configurations of the space, unknown ones included.
  std::uint64_t size() const { return by_id_.size(); }
  /// Recorded configurations, with a time or a failure.
  std::uint64_t recorded() const { return recorded_; }
  std::uint64_t failed() const { return recorded_ - costs_.size(); }

  /// Returns the mean seconds of a recorded evaluation, failures included; 0 where unknown.
  double seconds_each() const;

  /// All times in seconds, in increasing order.
  const std::vector<double>& costs() const { return costs_; }
  /// The best, the middle and the worst of them. Throw std::logic_error where all failed.
  double optimum() const;
  double median() const;
  double worst() const;
  /// Returns how many configurations are within that share of the optimum (see is_within): 0.05 for 5 %.
  std::uint64_t within(double share) const;

 private:
  void summarise();

  std::vector<Outcome> by_id_;
  std::uint64_t recorded_ = 0;
  std::vector<double> costs_;
};

/// True where a cost reaches at least 1 - `share` of the optimum: `within 5 %` means optimum / cost >= 0.95.
inline bool is_within(double cost, double optimum, double share) {
  return optimum >= (1 - share) * cost;
}

/// Makes a strategy.
using StrategyFactory = std::function<std::unique_ptr<search::Strategy>(const search::SearchTask&)>;

struct SimulationOptions {
  std::uint64_t evaluations = 400;  ///< at which it ends; earlier where nothing is left
  std::uint64_t batch = 1;  ///< configurations asked for at a time; fewer where the strategy takes fewer
  /// Configurations on their way, as in a run whose compilers work ahead: where more than 1, the strategy is
  /// asked for one as soon as fewer are (and Strategy::max_in_flight allows it), and told one result at a
  /// time, in the order of asking. `batch` does not count then.
  std::uint64_t in_flight = 1;
  /// More than 0: the search is a run (Session) with so many compilers beside a device, by a simulated clock.
  /// `batch` and `in_flight` do not count then.
  unsigned compilers = 0;
  /// The simulation does not end before evaluations of so many recorded seconds.
  double seconds = 0;
};

/// The evaluations of a simulated search.
struct Trace {
  /// All evaluations in the order in which the strategy was told, failures included (no cost).
  std::vector<search::Observation> evaluations;
  /// When each of them ended, in seconds since the search began, where compilers were simulated. Empty
  /// otherwise: each began when the one before had ended.
  std::vector<double> ended = {};
  /// Seconds spent in the strategy itself.
  double strategy_seconds = 0;

  /// Returns the smallest cost so far after each evaluation; `nothing` until one succeeded.
  std::vector<double> best_so_far(double nothing) const;
};

/// Lets a strategy search a recorded space: asks it for configurations and tells it their recorded outcomes
/// and times. Configurations that the recording lacks are neither told nor counted (with compilers, there
/// must be none). Deterministic but for `strategy_seconds`. Throws std::logic_error for a strategy that asks
/// for a configuration twice.
Trace simulate(const search::SearchTask& task, const OutcomeTable& outcomes, const StrategyFactory& factory,
               const SimulationOptions& options);

}  // namespace tune::replay
