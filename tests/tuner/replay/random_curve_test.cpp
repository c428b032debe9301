// SPDX-License-Identifier: Apache-2.0
// The closed form against all ways in which a tiny space can be drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/tuner/replay/spaces.hpp"
#include "tuner/replay/scores.hpp"

namespace tune::testing {
namespace {

using replay::OutcomeTable;
using replay::RandomCurve;

OutcomeTable table_of(const Costs& costs) {
  std::vector<replay::Outcome> outcomes;
  for (const auto& cost : costs) outcomes.push_back({true, cost});
  return OutcomeTable(std::move(outcomes));
}

/// Mean over all orders in which the space can be drawn.
template<class Value>
double mean_over_orders(const Costs& costs, Value&& value) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  double sum = 0;
  std::size_t orders = 0;
  do {
    Costs drawn;
    for (const std::size_t place : order) drawn.push_back(costs[place]);
    sum += value(drawn);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum / static_cast<double>(orders);
}

std::optional<double> best_of(const Costs& drawn, std::size_t n) {
  std::optional<double> best;
  for (std::size_t i = 0; i < std::min(n, drawn.size()); ++i)
    if (drawn[i] && (!best || *drawn[i] < *best)) best = drawn[i];
  return best;
}

const std::vector<Costs> cost_spaces = {
    {3.0, 1.0, 2.0, 7.0, 5.0, 4.0},
    {3.0, std::nullopt, 1.0, std::nullopt, 1.5, 9.0},
    {2.0, 2.0, 2.0, std::nullopt},  // equal times
    {std::nullopt, std::nullopt, std::nullopt, 1.0},
    {4.0},
    {1.0, 1.02, 1.04, 1.2, std::nullopt, 2.0, 3.0},
};

TEST(RandomCurve, ExpectedBestAndShareAreThoseOfAllOrders) {
  for (const Costs& costs : cost_spaces) {
    const OutcomeTable table = table_of(costs);
    const RandomCurve curve(table);
    for (std::size_t n = 1; n <= costs.size() + 2; ++n) {
      const double best = mean_over_orders(
          costs, [&](const Costs& drawn) { return best_of(drawn, n).value_or(table.worst()); });
      const double share = mean_over_orders(costs, [&](const Costs& drawn) {
        const auto found = best_of(drawn, n);
        return found ? table.optimum() / *found : 0;
      });
      EXPECT_NEAR(curve.expected_best(n), best, 1e-12 * best) << n;
      EXPECT_NEAR(curve.expected_share(n), share, 1e-12) << n;
    }
  }
}

TEST(RandomCurve, EvaluationsAndMissesAreThoseOfAllOrders) {
  for (const Costs& costs : cost_spaces) {
    const OutcomeTable table = table_of(costs);
    const RandomCurve curve(table);
    for (std::uint64_t good = 1; good <= table.costs().size(); ++good) {
      // Which of equal times are the best `good` does not matter: any fixed choice has the same figures.
      std::vector<std::size_t> ranked(costs.size());
      std::iota(ranked.begin(), ranked.end(), 0);
      std::ranges::stable_sort(ranked, {}, [&](std::size_t i) { return costs[i].value_or(1e300); });
      std::vector<std::size_t> order(costs.size());
      std::iota(order.begin(), order.end(), 0);
      const std::uint64_t limit = costs.size() - 1;
      double sum = 0, limited = 0, missed = 0, orders = 0;
      do {
        std::size_t first = costs.size();
        for (std::size_t i = 0; i < good; ++i)
          first = std::min<std::size_t>(
              first, static_cast<std::size_t>(std::ranges::find(order, ranked[i]) - order.begin()));
        sum += static_cast<double>(first + 1);
        limited += static_cast<double>(std::min<std::uint64_t>(first + 1, limit));
        missed += first + 1 > limit ? 1 : 0;
        ++orders;
      } while (std::next_permutation(order.begin(), order.end()));
      EXPECT_NEAR(curve.expected_evaluations(good), sum / orders, 1e-12);
      EXPECT_NEAR(curve.expected_evaluations(good, limit), limited / orders, 1e-12);
      EXPECT_NEAR(curve.miss(limit, good), missed / orders, 1e-12);
    }
  }
}

TEST(RandomCurve, QuantilesAreThoseOfAllOrders) {
  for (const Costs& costs : cost_spaces) {
    const OutcomeTable table = table_of(costs);
    const RandomCurve curve(table);
    for (std::size_t n = 1; n <= costs.size(); ++n) {
      std::vector<double> shares;
      mean_over_orders(costs, [&](const Costs& drawn) {
        const auto best = best_of(drawn, n);
        shares.push_back(best ? table.optimum() / *best : 0);
        return 0.0;
      });
      std::ranges::sort(shares);
      for (const double probability : {0.2501, 0.7501}) {
        const auto place = static_cast<std::size_t>(probability * static_cast<double>(shares.size()));
        EXPECT_DOUBLE_EQ(curve.share_quantile(n, probability), shares[std::min(place, shares.size() - 1)])
            << n << " " << probability;
      }
    }
  }
}

TEST(RandomCurve, UnknownConfigurationsAreNotDrawn) {
  const OutcomeTable known = table_of({1.0, 2.0, std::nullopt});
  const OutcomeTable more({{true, 1.0}, {false, std::nullopt}, {true, 2.0}, {true, std::nullopt}, {}});
  EXPECT_EQ(more.recorded(), 3U);
  EXPECT_EQ(more.failed(), 1U);
  EXPECT_EQ(more.size(), 5U);
  for (std::uint64_t n = 1; n < 4; ++n)
    EXPECT_EQ(RandomCurve(more).expected_share(n), RandomCurve(known).expected_share(n));
}

TEST(OutcomeTable, WithinIsAShareOfTheOptimum) {
  const OutcomeTable table = table_of({0.95, 1.0, 1.001, 0.9595, 0.96, std::nullopt});
  EXPECT_EQ(table.within(0.01), 2U);  // 0.95 / 0.9595 = 0.9901
  EXPECT_EQ(table.within(0.05), 4U);  // 0.95 / 1.0 counts, 0.95 / 1.001 does not
  EXPECT_EQ(table.median(), 0.96);
  EXPECT_EQ(table.optimum(), 0.95);
  EXPECT_EQ(table.worst(), 1.001);
}

}  // namespace
}  // namespace tune::testing
