// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/replay/outcome_table.hpp"

namespace tune::replay {

/// What random search without replacement reaches, exactly: no simulation. The smallest of n draws out of N
/// recorded configurations is the i-th best with probability C(N-i, n-1) / C(N, n); failures rank behind all
/// times.
class RandomCurve {
 public:
  /// The table must have a time, and outlive the curve.
  explicit RandomCurve(const OutcomeTable& outcomes) : outcomes_(outcomes) {}

  /// Expected best time after n evaluations, in seconds; draws of failures alone count as the worst recorded
  /// time. From all configurations on it is the optimum.
  double expected_best(std::uint64_t evaluations) const;
  /// Expected optimum / best; draws of failures alone count as 0.
  double expected_share(std::uint64_t evaluations) const;
  /// The largest share that is exceeded with at most that probability: a quantile of optimum / best, for 0.25
  /// the lower quartile.
  double share_quantile(std::uint64_t evaluations, double probability) const;
  /// Probability that n evaluations have found none of the best `good` configurations.
  double miss(std::uint64_t evaluations, std::uint64_t good) const;
  /// Expected evaluations until one of the best `good` configurations is found, at most `limit`.
  double expected_evaluations(std::uint64_t good, std::uint64_t limit) const;
  /// The same without a limit: (N + 1) / (good + 1).
  double expected_evaluations(std::uint64_t good) const;

 private:
  /// Sum over the ranks of P(the best of n has that rank) * value(rank), with `nothing` for failures alone.
  template<class Value>
  double expectation(std::uint64_t evaluations, Value&& value, double nothing) const;

  const OutcomeTable& outcomes_;
};

}  // namespace tune::replay
