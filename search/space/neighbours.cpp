// SPDX-License-Identifier: Apache-2.0
// The part of SearchSpace that walks: neighbours, the default configuration, the cheapest.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "search/random.hpp"
#include "search/space/completion.hpp"
#include "search/space/row_graph.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {
namespace {

/// What each digit of each column costs: [column][digit], not negative, infinite where it must not be.
using DigitCosts = std::vector<std::vector<double>>;

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

/// The row with the least sum of costs among those that `allowed` lets through (all where it is empty); one
/// of equals at random, each with the same chance. Nothing where all rows cost infinitely much or are not
/// allowed.
///
/// Branch and bound over the graph's paths: the cheapest digits first, and no branch that is certainly dearer
/// than the best row so far. After about `steps` steps (branches taken, rows looked at) it stops with the
/// best row so far, if any, which then need not be the cheapest.
std::optional<RowGraph::Row> cheapest_row(const RowGraph& rows, const DigitCosts& costs, Random& random,
                                          std::size_t steps,
                                          const std::function<bool(RowGraph::Row)>& allowed) {
  return Descent(rows, costs, random, steps, allowed).run();
}

constexpr std::size_t neighbour_steps = 4'000;
constexpr std::size_t cheapest_steps = 4'000;

}  // namespace

SearchSpace::Digits SearchSpace::default_digits() const {
  Digits digits(parameters().size());
  for (std::size_t p = 0; p < digits.size(); ++p)
    digits[column_of_[p]] = *digit_of(p, parameters()[p].default_value);
  return digits;
}

std::optional<ConfigurationId> SearchSpace::nearest_to_defaults() const {
  const Digits defaults = default_digits();
  std::vector<ProposedDigit> proposed(defaults.size());
  for (std::size_t column = 0; column < proposed.size(); ++column)
    proposed[column] = {defaults[column], true, first_digit(parameter_of_[column]) > 0};
  return nearest_row(graph_, proposed);
}

std::vector<ConfigurationId> SearchSpace::neighbours(ConfigurationId id) const {
  Digits digits = digits_of(id);
  std::vector<ConfigurationId> found;
  for (std::size_t column = 0; column < digits.size(); ++column) {
    const std::size_t p = parameter_of_[column];
    const Digit current = digits[column];
    if (absent(p, current)) continue;
    if (deciding_[p]) {
      add_completions(digits, column, found);
      continue;
    }
    for (std::size_t index = 0; index < parameters()[p].values.size(); ++index) {
      digits[column] = first_digit(p) + static_cast<Digit>(index);
      if (digits[column] == current) continue;
      if (const auto row = graph_.find(digits)) found.push_back(*row);
    }
    digits[column] = current;
  }
  std::ranges::sort(found);
  return found;
}

std::optional<ConfigurationId> SearchSpace::cheapest(
    std::span<const ValueCosts> costs, Random& random,
    const std::function<bool(ConfigurationId)>& allowed) const {
  if (empty()) return std::nullopt;
  DigitCosts digits(parameters().size());
  for (std::size_t p = 0; p < digits.size(); ++p) {
    std::vector<double>& column = digits[column_of_[p]];
    column = costs[p].values;
    if (first_digit(p) > 0) column.insert(column.begin(), costs[p].absent);
  }
  return cheapest_row(graph_, digits, random, cheapest_steps, allowed);
}

/// Adds the neighbours by a change of the column's parameter, which decides whether later ones exist.
void SearchSpace::add_completions(const Digits& digits, std::size_t column,
                                  std::vector<ConfigurationId>& found) const {
  const Digits defaults = default_digits();
  std::vector<ProposedDigit> proposed(digits.size());
  GraphPosition before{*graph_.root(), 0};
  for (std::size_t c = 0; c < digits.size(); ++c) {
    const std::size_t p = parameter_of_[c];
    const bool missing = absent(p, digits[c]);
    proposed[c] = {missing ? defaults[c] : digits[c], missing, first_digit(p) > 0};
    if (c >= column) continue;
    const RowGraph::Edge* edge = graph_.edge(before.node, digits[c]);
    before = {edge->child, before.before + edge->before};
  }
  for (const RowGraph::Edge& edge : graph_.edges(before.node)) {
    if (edge.digit == digits[column]) continue;
    const GraphPosition place{edge.child, before.before + edge.before};
    const Completion completion = nearest_completion(graph_, place, column + 1, proposed, neighbour_steps);
    if (completion.row) found.push_back(*completion.row);
  }
}

}  // namespace tune::search
