// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace tune {

/// How well two measurements of the same configurations agree on their order.
struct RankAgreement {
  std::size_t pairs = 0;  ///< configurations that were measured both ways
  /// Spearman's rank correlation: 1 for the same order, 0 for no relation, -1 for the opposite order. Nothing
  /// for fewer than three pairs, and where all values of one side are equal.
  std::optional<double> correlation = std::nullopt;
};

/// Equal values share the mean of their ranks.
RankAgreement rank_agreement(std::span<const std::pair<double, double>> pairs);

}  // namespace tune
