// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/random_curve.hpp"

#include <algorithm>

namespace tune::replay {

template<class Value>
double RandomCurve::expectation(std::uint64_t evaluations, Value&& value, double nothing) const {
  const std::vector<double>& costs = outcomes_.costs();
  const auto all = static_cast<double>(outcomes_.recorded());
  const double draws = std::min(static_cast<double>(evaluations), all);
  double sum = 0;
  double worse = 1;  // P(the best of the draws has a rank above this one) = C(N-i, n) / C(N, n)
  for (std::size_t i = 0; i < costs.size() && worse > 0; ++i) {
    const double left = all - static_cast<double>(i);
    const double next = worse * std::max(0.0, left - draws) / left;
    sum += (worse - next) * value(costs[i]);
    worse = next;
  }
  return sum + worse * nothing;
}

double RandomCurve::expected_best(std::uint64_t evaluations) const {
  return expectation(
      evaluations, [](double cost) { return cost; }, outcomes_.worst());
}

double RandomCurve::expected_share(std::uint64_t evaluations) const {
  const double optimum = outcomes_.optimum();
  return expectation(
      evaluations, [optimum](double cost) { return optimum / cost; }, 0);
}

double RandomCurve::share_quantile(std::uint64_t evaluations, double probability) const {
  // The share is at least that of rank i where one of the best i was drawn.
  const std::vector<double>& costs = outcomes_.costs();
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (miss(evaluations, i + 1) <= probability) return costs.front() / costs[i];
  return 0;
}

double RandomCurve::miss(std::uint64_t evaluations, std::uint64_t good) const {
  const std::uint64_t all = outcomes_.recorded();
  if (evaluations + good > all) return good == 0 ? 1 : 0;
  double probability = 1;
  for (std::uint64_t i = 0; i < std::min(good, evaluations); ++i)
    probability *= static_cast<double>(all - std::max(good, evaluations) - i) / static_cast<double>(all - i);
  return probability;
}

double RandomCurve::expected_evaluations(std::uint64_t good, std::uint64_t limit) const {
  // The sum over n of P(not found by n), each term from the one before.
  const auto all = static_cast<double>(outcomes_.recorded());
  double sum = 0;
  double missing = 1;
  for (std::uint64_t n = 0; n < limit && missing > 0; ++n) {
    sum += missing;
    const double left = all - static_cast<double>(n);
    missing *= std::max(0.0, left - static_cast<double>(good)) / std::max(1.0, left);
  }
  return sum;
}

double RandomCurve::expected_evaluations(std::uint64_t good) const {
  return static_cast<double>(outcomes_.recorded() + 1) / static_cast<double>(good + 1);
}

}  // namespace tune::replay
