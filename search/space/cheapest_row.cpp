// SPDX-License-Identifier: Apache-2.0
#include "search/space/cheapest_row.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tune::search {

namespace {

/// Costs that differ by less are equal: sums of the same numbers in another order.
constexpr double equal_costs = 1e-9;

class Descent {
 public:
  using Row = RowGraph::Row;
  using Node = RowGraph::Node;
  using Digit = RowGraph::Digit;

  Descent(const RowGraph& rows, const DigitCosts& costs, Random& random, std::size_t steps,
          const std::function<bool(Row)>& allowed)
      : rows_(rows), costs_(costs), random_(random), steps_(steps), allowed_(allowed) {
    for (const std::vector<double>& column : costs) {
      std::vector<Digit>& order = cheapest_first_.emplace_back(column.size());
      std::iota(order.begin(), order.end(), Digit{0});
      std::ranges::stable_sort(order, {}, [&](Digit digit) { return column[digit]; });
    }
    at_least_.resize(costs.size() + 1);
    for (std::size_t column = costs.size(); column-- > 0;)
      at_least_[column] = at_least_[column + 1] + std::ranges::min(costs[column]);
  }

  std::optional<Row> run() {
    if (rows_.root()) visit(*rows_.root(), 0, 0, 0.0);
    return best_;
  }

 private:
  bool hopeless(double cost, std::size_t column) const {
    const double bound = cost + at_least_[column];
    return bound > best_cost_ + equal_costs || bound == std::numeric_limits<double>::infinity();
  }

  bool step() {
    if (steps_ > 0) --steps_;
    return steps_ > 0;
  }

  /// `before`: the number of the node's first row by this path; `cost`: of the columns before `column`.
  void visit(Node node, Row before, std::size_t column, double cost) {
    if (column == rows_.columns()) return look_at(before, cost);
    const auto edges = rows_.edges(node);
    // The columns before may leave this one a single digit: no need to look for others.
    if (edges.size() == 1) {
      const double sum = cost + costs_[column][edges[0].digit];
      if (!hopeless(sum, column + 1)) visit(edges[0].child, before, column + 1, sum);
      return;
    }
    for (const Digit digit : cheapest_first_[column]) {
      const double sum = cost + costs_[column][digit];
      if (hopeless(sum, column + 1) || !step()) return;
      const RowGraph::Edge* edge = rows_.edge(node, digit);
      if (edge != nullptr) visit(edge->child, before + edge->before, column + 1, sum);
    }
  }

  void look_at(Row row, double cost) {
    if (!step() || hopeless(cost, rows_.columns()) || (allowed_ && !allowed_(row))) return;
    if (cost < best_cost_ - equal_costs) {
      best_cost_ = cost;
      equals_ = 0;
    }
    // The n-th of equals replaces the one that was kept with a chance of 1/n: all have the same in the end.
    if (random_.below(++equals_) == 0) best_ = row;
  }

  const RowGraph& rows_;
  const DigitCosts& costs_;
  Random& random_;
  std::size_t steps_;
  const std::function<bool(Row)>& allowed_;
  std::vector<std::vector<Digit>> cheapest_first_;
  std::vector<double> at_least_;  ///< what the columns from this one on cost at least
  std::optional<Row> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::uint64_t equals_ = 0;  ///< rows that cost as much as the best so far
};

}  // namespace

std::optional<RowGraph::Row> cheapest_row(const RowGraph& rows, const DigitCosts& costs, Random& random,
                                          std::size_t steps,
                                          const std::function<bool(RowGraph::Row)>& allowed) {
  return Descent(rows, costs, random, steps, allowed).run();
}

}  // namespace tune::search
