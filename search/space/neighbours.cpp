// SPDX-License-Identifier: Apache-2.0
// The part of SearchSpace that walks: neighbours, the default configuration, the cheapest.
#include <algorithm>

#include "search/space/cheapest_row.hpp"
#include "search/space/completion.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

namespace {

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
