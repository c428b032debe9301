// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/replay/simulation.hpp"

namespace tune::replay {

/// The exact results of random search without replacement. The smallest of n draws out of N recorded
/// configurations is the i-th best with probability C(N-i, n-1) / C(N, n); failures rank behind all times.
class RandomCurve {
 public:
  /// The table must have a time, and outlive the curve.
  explicit RandomCurve(const OutcomeTable& outcomes) : outcomes_(outcomes) {}

  /// Returns the expected best time after n evaluations, in seconds; draws of failures alone count as the
  /// worst recorded time.
  double expected_best(std::uint64_t evaluations) const;
  /// Returns the expected optimum / best; draws of failures alone count as 0.
  double expected_share(std::uint64_t evaluations) const;
  /// Returns a quantile of optimum / best, for 0.25 the lower quartile.
  double share_quantile(std::uint64_t evaluations, double probability) const;
  /// Returns the probability that n evaluations have found none of the best `good` configurations.
  double miss(std::uint64_t evaluations, std::uint64_t good) const;
  /// Returns the expected evaluations until one of the best `good` configurations is found, at most `limit`.
  double expected_evaluations(std::uint64_t good, std::uint64_t limit) const;
  /// Without a limit: (N + 1) / (good + 1).
  double expected_evaluations(std::uint64_t good) const;

 private:
  /// Sums P(the best of n has that rank) * value(rank) over the ranks, with `nothing` for failures alone.
  template<class Value>
  double expectation(std::uint64_t evaluations, Value&& value, double nothing) const;

  const OutcomeTable& outcomes_;
};

/// Mean and quartiles over repeats; for several spaces the means of these.
struct Spread {
  double mean = 0;
  double lower = 0;  ///< quartile
  double upper = 0;  ///< quartile
};

/// How many evaluations it took to come near the optimum.
struct Within {
  double evaluations = 0;  ///< mean; a search that did not succeed counts as the largest budget
  double missed = 0;       ///< share of searches that did not succeed
};

/// The results of a strategy on a space, over all repeats, or their means over several spaces.
struct Scores {
  std::vector<Spread> share;  ///< optimum / best so far after each budget; 0 while nothing succeeded
  /// As `share`, after the recorded time that each budget takes on average. A search that makes the largest
  /// budget's evaluations in less time counts with its result then. Empty without recorded times, and for
  /// random search.
  std::vector<Spread> share_by_time;
  /// As `share`, after each of the times of the options, in seconds.
  std::vector<Spread> share_at_times;
  Within within_5, within_1;      ///< to 0.95 and 0.99 of the optimum
  std::optional<double> score;    ///< Baseline::score; nothing where the space has none
  std::optional<double> seconds;  ///< an evaluation, in the strategy itself; nothing for random search
};

/// Random search on a space, as the baseline of scores: the score of a strategy is how much of the distance
/// from it to the optimum the strategy covers, as F. Willemsen et al. define it ("A methodology for comparing
/// optimization algorithms for auto-tuning", Future Generation Computer Systems 159, 2024):
///
/// score = mean over t = 1 .. T of (baseline(t) - strategy(t)) / (baseline(t) - optimum)
///
/// where both are expected best times after t evaluations. 0 is as good as random search, 1 has the optimum
/// at once. T is where random search has come 95 % of the way from the median to the optimum, or the largest
/// budget. docs/explanation/replay.md lists the differences from their definition.
class Baseline {
 public:
  /// The share of the way from the median to the optimum at which the comparison ends.
  static constexpr double cutoff = 0.95;

  /// The table must have a time and outlive the baseline.
  Baseline(const OutcomeTable& outcomes, std::uint64_t largest_budget);

  const RandomCurve& curve() const { return curve_; }
  /// Returns the evaluations that random search takes to come that far, in expectation, whatever the budget.
  std::uint64_t cutoff_evaluations() const { return cutoff_evaluations_; }
  /// `best[t - 1]`: mean best time after t evaluations; the last one holds beyond its end. Nothing where all
  /// times are equal.
  std::optional<double> score(std::span<const double> best) const;

 private:
  RandomCurve curve_;
  double optimum_;
  std::uint64_t cutoff_evaluations_ = 1;
  std::vector<double> expected_;  ///< best time of random search, from 1 evaluation to T
};

/// Returns the scores of all repeats of one strategy on one space. Budgets, and times in seconds, in
/// increasing order.
Scores scores_of(std::span<const Trace> repeats, const OutcomeTable& outcomes, const Baseline& baseline,
                 std::span<const std::uint64_t> budgets, std::span<const double> times = {});

/// Returns the expected scores of random search.
Scores scores_of_random(const OutcomeTable& outcomes, const Baseline& baseline,
                        std::span<const std::uint64_t> budgets);

/// Returns the mean over at least one space, each of which counts the same.
Scores mean_of(std::span<const Scores> spaces);

}  // namespace tune::replay
