// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/replay/outcome_table.hpp"
#include "tuner/replay/random_curve.hpp"
#include "tuner/replay/simulation.hpp"

namespace tune::replay {

/// Over repeats; of several spaces the means of these.
struct Spread {
  double mean = 0;
  double lower = 0;  ///< quartile
  double upper = 0;  ///< quartile
};

/// How long it took to come near the optimum.
struct Within {
  double evaluations = 0;  ///< mean; a search that did not come there counts as the largest budget
  double missed = 0;       ///< share of searches that did not
};

/// What a strategy reached on a space, over all repeats; or the means of that over several spaces.
struct Scores {
  std::vector<Spread> share;  ///< optimum / best so far after each budget; 0 while nothing succeeded
  /// The same after the time that so many evaluations of the space take on average, by recorded times. A
  /// search of quick ones that makes the largest budget's number in less counts with what it has then. Empty
  /// where the recording has no such times, and for what is computed.
  std::vector<Spread> share_by_time;
  /// The same after each of the times that were asked for, in seconds, however many evaluations they were.
  std::vector<Spread> share_at_times;
  Within within_5, within_1;      ///< to 0.95 and 0.99 of the optimum
  std::optional<double> score;    ///< of Baseline::score; nothing where the space has none
  std::optional<double> seconds;  ///< an evaluation, in the strategy itself; nothing for what is computed
};

/// Random search on a space as what strategies are held against: the score of a strategy is how much of the
/// distance from it to the optimum the strategy covers, as F. Willemsen et al. define it ("A methodology for
/// comparing optimization algorithms for auto-tuning", Future Generation Computer Systems 159, 2024):
///
///   score = mean over t = 1 .. T of (baseline(t) - strategy(t)) / (baseline(t) - optimum)
///
/// where both are expected best times after t evaluations. 0 is as good as random search, 1 has the optimum
/// at once. T is where random search has come 95 % of the way from the median to the optimum, or the largest
/// budget. docs/replay.md says where this differs from theirs.
class Baseline {
 public:
  /// The share of the way from the median to the optimum that ends the comparison.
  static constexpr double cutoff = 0.95;

  /// The table must have a time and outlive the baseline. Looks no further than the largest budget.
  Baseline(const OutcomeTable& outcomes, std::uint64_t largest_budget);

  const RandomCurve& curve() const { return curve_; }
  /// Evaluations at which random search has come that far, in expectation, whatever the budget.
  std::uint64_t cutoff_evaluations() const { return cutoff_evaluations_; }
  /// `best[t - 1]`: mean best time after t evaluations; what is beyond its end is its last. Nothing where all
  /// times are equal.
  std::optional<double> score(std::span<const double> best) const;

 private:
  RandomCurve curve_;
  double optimum_;
  std::uint64_t cutoff_evaluations_ = 1;
  std::vector<double> expected_;  ///< best time of random search, from 1 evaluation to T
};

/// Of all repeats of one strategy on one space. Budgets, and times in seconds, in increasing order.
Scores scores_of(std::span<const Trace> repeats, const OutcomeTable& outcomes, const Baseline& baseline,
                 std::span<const std::uint64_t> budgets, std::span<const double> times = {});

/// What random search reaches in expectation.
Scores scores_of_random(const OutcomeTable& outcomes, const Baseline& baseline,
                        std::span<const std::uint64_t> budgets);

/// Mean over spaces, each of which counts the same. Not for none.
Scores mean_of(std::span<const Scores> spaces);

}  // namespace tune::replay
