// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/rank_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tune {
namespace {

constexpr std::size_t min_pairs = 3;

/// Returns the rank of each value, from 0.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t index) { return values[index]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end - 1) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = shared;
  }
  return ranks;
}

}  // namespace

RankAgreement rank_agreement(std::span<const std::pair<double, double>> pairs) {
  RankAgreement agreement{.pairs = pairs.size()};
  if (pairs.size() < min_pairs) return agreement;
  std::vector<double> first, second;
  for (const auto& [one, other] : pairs) {
    first.push_back(one);
    second.push_back(other);
  }
  const std::vector<double> a = ranks_of(first), b = ranks_of(second);
  const double mean = static_cast<double>(pairs.size() - 1) / 2;
  double both = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  if (of_a > 0 && of_b > 0) agreement.correlation = both / std::sqrt(of_a * of_b);
  return agreement;
}

}  // namespace tune
