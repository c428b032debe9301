// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "search/models/evidence.hpp"

namespace tune::search {

/// How long an evaluation will take, from how long others took: the logarithm of the seconds is a sum of one
/// share for each coordinate's level, shrunken towards none, so that what was seen once says little.
class EvaluationCost {
 public:
  /// `exponent`: how much of the cost counts, 0 to 1 and more. The encoding must outlive it.
  EvaluationCost(const Encoding& encoding, double exponent) : encoding_(encoding), exponent_(exponent) {}

  /// From all of the evidence whose seconds are known.
  void learn(const Evidence& evidence);
  /// What a promise is multiplied with: (typical seconds / expected seconds)^exponent. 1 while nothing is
  /// known.
  double cost_weight(std::span<const Level> levels) const;

 private:
  const Encoding& encoding_;
  double exponent_;
  std::vector<std::vector<double>> shares_;  ///< by dimension and level
};

}  // namespace tune::search
