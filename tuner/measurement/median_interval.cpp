// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace tune {

MedianInterval interval_of_sorted(std::span<const double> sorted, double confidence) {
  const std::size_t n = sorted.size();
  const std::size_t upper = n / 2;
  MedianInterval result;
  result.median = n % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
  // P(fewer than k + 1 samples lie below the true median), for growing k, in logarithms: 2^-n may be below
  // what a double holds.
  const auto count = static_cast<double>(n);
  double log_term = -count * std::numbers::ln2;
  double tail = std::exp(log_term);
  std::size_t rank = 0;  // the interval reaches from sorted[rank] to its mirror image
  for (;;) {
    const auto k = static_cast<double>(rank);
    const double next_log_term = log_term + std::log((count - k) / (k + 1));
    const double next_tail = tail + std::exp(next_log_term);
    if (2 * rank + 2 >= n || 2 * next_tail > 1 - confidence) break;
    log_term = next_log_term;
    tail = next_tail;
    ++rank;
  }
  result.low = sorted[rank];
  result.high = sorted[n - 1 - rank];
  result.confidence = std::max(0.0, 1 - 2 * tail);
  return result;
}

MedianInterval median_interval(std::span<const double> samples, double confidence) {
  if (samples.empty()) throw std::logic_error("no samples have no median");
  if (!(confidence > 0 && confidence < 1)) throw std::logic_error("a confidence lies between 0 and 1");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return interval_of_sorted(sorted, confidence);
}

}  // namespace tune
