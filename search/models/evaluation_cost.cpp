// SPDX-License-Identifier: Apache-2.0
#include "search/models/evaluation_cost.hpp"

#include <cmath>

namespace tune::search {
namespace {

constexpr int fit_sweeps = 4;
constexpr double shrinkage = 3;  // evaluations without a share of their own that each level has seen

}  // namespace

/// Backfitting: each coordinate in turn explains what the others leave.
void EvaluationCost::learn(const Evidence& evidence) {
  shares_.clear();
  for (const Dimension& dimension : encoding_.dimensions()) shares_.emplace_back(dimension.levels(), 0.0);
  std::vector<const Evidence::Evaluated*> known;
  double mean = 0;
  for (const Evidence::Evaluated& one : evidence.evaluated)
    if (one.seconds > 0) {
      known.push_back(&one);
      mean += std::log(one.seconds);
    }
  if (known.empty()) return;
  mean /= static_cast<double>(known.size());
  std::vector<double> left;
  for (const auto* one : known) left.push_back(std::log(one->seconds) - mean);
  for (int sweep = 0; sweep < fit_sweeps; ++sweep)
    for (std::size_t d = 0; d < shares_.size(); ++d) {
      if (encoding_.dimensions()[d].derived) continue;
      std::vector<double> sums(shares_[d].size()), counts(shares_[d].size(), shrinkage);
      for (std::size_t i = 0; i < known.size(); ++i) {
        const Level level = known[i]->levels[d];
        left[i] += shares_[d][level];
        sums[level] += left[i];
        counts[level] += 1;
      }
      for (std::size_t level = 0; level < sums.size(); ++level)
        shares_[d][level] = sums[level] / counts[level];
      for (std::size_t i = 0; i < known.size(); ++i) left[i] -= shares_[d][known[i]->levels[d]];
    }
}

double EvaluationCost::cost_weight(std::span<const Level> levels) const {
  double sum = 0;
  for (std::size_t d = 0; d < shares_.size(); ++d) sum += shares_[d][levels[d]];
  return std::exp(-exponent_ * sum);
}

}  // namespace tune::search
