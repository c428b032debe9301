// SPDX-License-Identifier: Apache-2.0
#include "search/space/search_space.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "search/expressions/nearest.hpp"
#include "search/space/found_rows.hpp"
#include "search/space/space_builder.hpp"
#include "search/space/space_sample.hpp"

namespace tune::search {

SearchSpace::SearchSpace(SpaceDefinition definition, std::size_t max_states, const CountWatch& watch)
    : SearchSpace(Unbuilt{}, (check_definition(definition), std::move(definition))) {
  build(max_states, watch);
  default_ = nearest_to_defaults();
}

SearchSpace::SearchSpace(Unbuilt, SpaceDefinition definition)
    : definition_(std::move(definition)), graph_(parameters().size()), deciding_(parameters().size()) {
  std::vector<std::size_t> order(parameters().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order_columns(std::move(order));
  for (const Parameter& parameter : parameters()) {
    if (!parameter.exists_if) continue;
    for (const std::string& name : parameter.exists_if->variables()) {
      const auto decider = std::ranges::find(parameters(), name, &Parameter::name);
      if (decider != parameters().end())
        deciding_[static_cast<std::size_t>(decider - parameters().begin())] = true;
    }
  }
}

void SearchSpace::order_columns(std::vector<std::size_t> parameters) {
  column_of_.resize(parameters.size());
  for (std::size_t column = 0; column < parameters.size(); ++column) column_of_[parameters[column]] = column;
  parameter_of_ = std::move(parameters);
}

/// The parameters are in declaration order, or, where that takes long, in one in which less has to be
/// remembered.
void SearchSpace::build(std::size_t max_states, const CountWatch& watch) {
  constexpr std::uint64_t for_certain = 200'000'000, at_once = 300'000, narrow_first = 500'000,
                          as_declared = 3'500'000, as_mentioned = 1'000'000;
  const auto build_in = [&](std::vector<std::size_t> order, std::uint64_t max_steps) {
    SpaceDefinition reordered = definition_;
    for (std::size_t column = 0; column < order.size(); ++column)
      reordered.parameters[column] = definition_.parameters[order[column]];
    try {
      graph_ = build_graph(reordered, max_states, max_steps, watch);
    } catch (const TooManyStates&) {
      return false;
    }
    order_columns(std::move(order));
    return true;
  };
  const std::vector<std::size_t> declared = parameter_of_;
  if (definition_.counting_order && build_in(counting_order(definition_), for_certain)) return;
  if (build_in(declared, at_once)) return;
  const ParameterOrder narrow = narrow_order(definition_);
  if (narrow.expected_steps < narrow_first && build_in(narrow.parameters, narrow_first)) return;
  // What is expected is about what it takes, but where constraints leave little of what they remember. Then
  // an order takes few steps, or far too many.
  constexpr double affordable = 65e6, hopeless = 1e12;
  const bool hope = narrow.expected_steps < hopeless;
  if (build_in(declared, as_declared) ||
      (hope && narrow.expected_steps >= narrow_first && build_in(narrow.parameters, narrow_first)) ||
      build_in(order_of_mention(definition_), hope ? as_mentioned : at_once) ||
      (narrow.expected_steps < affordable && build_in(narrow.parameters, default_max_steps)))
    return;
  // A constraint may be long, such as a list of allowed rows, and its space small.
  constexpr double small = 1e5;
  if (product_size() <= small && build_in(declared, default_max_steps)) return;
  throw std::length_error(
      "the constraints tie so many parameters together that the configurations cannot be counted; fix a "
      "parameter, or give parameters fewer values");
}

double SearchSpace::product_size() const {
  double product = 1.0;
  for (const Parameter& parameter : parameters()) product *= static_cast<double>(parameter.values.size());
  return product;
}

void SearchSpace::check(ConfigurationId id) const {
  if (id < size() || (found_ && id - size() < found_->size())) return;
  throw std::out_of_range("there is no configuration " + std::to_string(id) + " in a space of " +
                          std::to_string(size()));
}

SearchSpace::Digits SearchSpace::digits_of(ConfigurationId id) const {
  check(id);
  if (id >= size()) return found_->row(id - size());
  Digits digits(parameters().size());
  graph_.unpack(id, digits);
  return digits;
}

Configuration SearchSpace::at(ConfigurationId id) const {
  const Digits digits = digits_of(id);
  Configuration configuration;
  for (std::size_t p = 0; p < parameters().size(); ++p) {
    const Digit digit = digits[column_of_[p]];
    if (absent(p, digit)) continue;
    configuration.set(parameters()[p].name, parameters()[p].values[digit - first_digit(p)]);
  }
  return configuration;
}

std::optional<SearchSpace::Digit> SearchSpace::digit_of(std::size_t parameter, const Value& value) const {
  const auto& values = parameters()[parameter].values;
  const auto found = std::ranges::find(values, value);
  if (found == values.end()) return std::nullopt;
  return static_cast<Digit>(found - values.begin()) + first_digit(parameter);
}

std::optional<SearchSpace::Digits> SearchSpace::digits_of(const Configuration& configuration) const {
  Digits digits(parameters().size());
  std::size_t known = 0;
  for (std::size_t p = 0; p < digits.size(); ++p) {
    const Value* value = configuration.find(parameters()[p].name);
    if (value == nullptr) {
      if (!parameters()[p].exists_if) return std::nullopt;
      continue;  // digit 0: absent
    }
    const auto digit = digit_of(p, *value);
    if (!digit) return std::nullopt;
    digits[column_of_[p]] = *digit;
    ++known;
  }
  if (known != configuration.entries().size()) return std::nullopt;
  return digits;
}

std::optional<ConfigurationId> SearchSpace::find(const Configuration& configuration) const {
  const auto digits = digits_of(configuration);
  return digits ? number_of(*digits) : std::nullopt;
}

std::optional<ConfigurationId> SearchSpace::number_of(const Digits& digits) const {
  const auto row = graph_.find(digits);
  if (row || !found_) return row;
  const auto number = found_->find(digits);
  return number ? std::optional(size() + *number) : std::nullopt;
}

std::optional<ConfigurationId> SearchSpace::find_indices(std::span<const int> indices) const {
  if (indices.size() != parameters().size()) return std::nullopt;
  Digits digits(indices.size());
  for (std::size_t p = 0; p < digits.size(); ++p) {
    const int lowest = -static_cast<int>(first_digit(p));
    if (indices[p] < lowest || indices[p] >= static_cast<int>(parameters()[p].values.size()))
      return std::nullopt;
    digits[column_of_[p]] = static_cast<Digit>(indices[p] - lowest);
  }
  return number_of(digits);
}

std::vector<int> SearchSpace::value_indices(ConfigurationId id) const {
  const Digits digits = digits_of(id);
  std::vector<int> indices(parameters().size());
  for (std::size_t p = 0; p < indices.size(); ++p)
    indices[p] = static_cast<int>(digits[column_of_[p]]) - static_cast<int>(first_digit(p));
  return indices;
}

namespace {

std::string unknown_parameter(const SpaceDefinition& definition, const Configuration& configuration) {
  std::vector<std::string> names;
  for (const Parameter& parameter : definition.parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : configuration.entries()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return "'" + name + "' is not a parameter" + did_you_mean(name, names);
  }
  return "";
}

std::string wrong_value(const Parameter& parameter, const Value* value, const Lookup& lookup) {
  // The parameters in the condition were declared, and so explained, before.
  const bool exists = !parameter.exists_if || parameter.exists_if->partially_evaluate(lookup) == Tribool::yes;
  if (!exists) {
    if (value == nullptr) return "";
    return parameter.name + " exists only where " + parameter.exists_if->to_string();
  }
  if (value == nullptr) return parameter.name + " is missing";
  if (std::ranges::find(parameter.values, *value) != parameter.values.end()) return "";
  return parameter.name + " cannot be " + value->to_string() + "; it takes " + list_values(parameter);
}

std::string broken(const Constraint& constraint, const Lookup& lookup) {
  const auto names = constraint.rule.variables();
  const bool applies =
      std::ranges::all_of(names, [&lookup](const std::string& name) { return lookup(name) != nullptr; });
  const bool holds = applies
                         ? constraint.rule.evaluate(lookup).as_bool()
                         : !constraint.required || constraint.rule.partially_evaluate(lookup) == Tribool::yes;
  if (holds) return "";
  const std::string rule = constraint.rule.to_string();
  return constraint.reason.empty() ? "broken: " + rule : constraint.reason + " (broken: " + rule + ")";
}

}  // namespace

std::string SearchSpace::explain(const Configuration& configuration) const {
  if (find(configuration)) return "";
  std::string reason = broken_by(configuration);
  return reason.empty() ? "it is not one of the space's configurations" : reason;
}

std::string SearchSpace::broken_by(const Configuration& configuration) const {
  const Lookup lookup = [&](std::string_view name) -> const Value* {
    if (const Value* value = configuration.find(name)) return value;
    const auto constant = definition_.constants.find(name);
    return constant == definition_.constants.end() ? nullptr : &constant->second;
  };
  if (std::string reason = unknown_parameter(definition_, configuration); !reason.empty()) return reason;
  for (const Parameter& parameter : parameters()) {
    std::string reason = wrong_value(parameter, configuration.find(parameter.name), lookup);
    if (!reason.empty()) return reason;
  }
  for (const Constraint& constraint : definition_.constraints) {
    try {
      if (std::string reason = broken(constraint, lookup); !reason.empty()) return reason;
    } catch (const ExprError& error) {
      return "cannot check '" + constraint.rule.to_string() + "': " + error.what();
    }
  }
  return "";
}

namespace {

/// More configurations would take minutes.
constexpr ConfigurationId max_asked = 50'000'000;

}  // namespace

SearchSpace SearchSpace::counted_or_sampled(SpaceDefinition definition, const CountWatch& watch) {
  std::string error, large_count;
  try {
    return SearchSpace(definition, default_max_states, watch);
  } catch (const TooManyRows& many) {
    error = many.what();
    large_count = many.rows;
  } catch (const std::length_error& not_counted) {
    error = not_counted.what();
  }
  constexpr std::uint64_t max_steps = 8'000'000;
  SearchSpace space{Unbuilt{}, std::move(definition)};
  const SpaceSample sample = draw_sample(space.definition_, sample_size, max_steps, watch);
  if (sample.rows.empty())
    throw std::length_error(error + "; no valid one was found in " + std::to_string(max_steps) + " steps");
  space.graph_ = graph_of(sample.rows, space.parameters().size());
  space.default_ = space.nearest_to_defaults();
  space.counted_ = false;
  space.large_count_ = std::move(large_count);
  space.found_ = std::make_shared<FoundRows>(space.definition_);
  return space;
}

SearchSpace SearchSpace::of(SpaceDefinition definition, std::span<const Configuration> configurations) {
  check_definition(definition);
  SearchSpace space{Unbuilt{}, std::move(definition)};
  std::vector<Digits> rows;
  for (const Configuration& configuration : configurations) {
    auto digits = space.digits_of(configuration);
    if (!digits)
      throw std::invalid_argument("'" + configuration.key() + "' is not a configuration of these parameters");
    rows.push_back(std::move(*digits));
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  space.graph_ = graph_of(rows, space.parameters().size());
  space.default_ = space.nearest_to_defaults();
  return space;
}

SearchSpace SearchSpace::where(const std::function<bool(const Configuration&)>& keep) const {
  if (size() > max_asked)
    throw std::length_error("a rule in code is asked for each of " + std::to_string(size()) +
                            " configurations; add constraints as expressions first");
  SearchSpace space{Unbuilt{}, definition_};
  space.order_columns(parameter_of_);
  RowGraphBuilder builder(parameters().size());
  // The rows that stay below a node depend on the way to it, so that every path is walked.
  const auto kept = [&](const auto& self, GraphPosition place,
                        std::size_t column) -> std::optional<RowGraph::Node> {
    if (column == parameters().size())
      return keep(at(place.before)) ? std::optional(RowGraph::end_node) : std::nullopt;
    std::vector<RowGraphBuilder::Branch> branches;
    for (const RowGraph::Edge& edge : graph_.edges(place.node))
      if (const auto child = self(self, {edge.child, place.before + edge.before}, column + 1))
        branches.push_back({edge.digit, *child});
    return builder.node(branches);
  };
  const auto root = graph_.root() ? kept(kept, {*graph_.root(), 0}, 0) : std::nullopt;
  space.graph_ = std::move(builder).finish(root);
  space.default_ = space.nearest_to_defaults();
  space.counted_ = counted_;
  return space;
}

}  // namespace tune::search

namespace tune::search {
namespace {

/// The cost of each digit of each column: [column][digit], not negative, infinite for a forbidden digit.
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
    // The columns before may leave a single digit here.
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
  std::vector<double> at_least_;  ///< a lower limit of the cost of the columns from this one on
  std::optional<Row> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::uint64_t equals_ = 0;  ///< rows that cost as much as the best so far
};

/// Finds the row with the least sum of costs among those that `allowed` lets through (all where it is empty);
/// one of equals at random, each with the same chance. Finds nothing where all rows cost infinitely much or
/// are not allowed.
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
  Random unused(0);
  return some_neighbours(id, std::numeric_limits<std::size_t>::max(), unused);
}

std::vector<ConfigurationId> SearchSpace::some_neighbours(ConfigurationId id, std::size_t most,
                                                          Random& random) const {
  if (found_) return found_neighbours(id, most, random);
  Digits digits = digits_of(id);
  const std::size_t share = share_of_each(digits, most);
  std::vector<ConfigurationId> found;
  for (std::size_t column = 0; column < digits.size(); ++column)
    if (const std::size_t p = parameter_of_[column]; !absent(p, digits[column]))
      add_neighbours(digits, column, digits_beside(p, digits[column], share, random), found);
  std::ranges::sort(found);
  return found;
}

/// How many values of each parameter are looked at, of about `most` together.
std::size_t SearchSpace::share_of_each(const Digits& digits, std::size_t most) const {
  std::size_t values = 0, varying = 0;
  for (std::size_t column = 0; column < digits.size(); ++column) {
    const std::size_t p = parameter_of_[column];
    if (absent(p, digits[column])) continue;
    values += parameters()[p].values.size();
    if (parameters()[p].values.size() > 1) ++varying;
  }
  return values <= most ? most : std::max<std::size_t>(2, most / varying);
}

std::vector<ConfigurationId> SearchSpace::found_neighbours(ConfigurationId id, std::size_t most,
                                                           Random& random) const {
  constexpr std::size_t few = 8;
  const Digits row = digits_of(id);
  const std::size_t share = share_of_each(row, most);
  std::vector<ConfigurationId> found;
  for (std::size_t p = 0; p < row.size(); ++p) {
    if (absent(p, row[p])) continue;
    for (const Digit other : digits_beside(p, row[p], share, random)) {
      if (other == row[p]) continue;
      const auto changed = found_->changed(row, std::array{std::pair{p, other}});
      if (changed) found.push_back(*number_of(*changed));
    }
  }
  if (found.size() < few) {
    const auto pairs = found_pairs(row, random);
    found.insert(found.end(), pairs.begin(), pairs.end());
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<ConfigurationId> SearchSpace::found_pairs(const Digits& row, Random& random) const {
  constexpr int tries = 2'000;  // some milliseconds
  constexpr std::size_t enough = 64;
  std::vector<std::size_t> varying;
  for (std::size_t p = 0; p < row.size(); ++p)
    if (!absent(p, row[p]) && parameters()[p].values.size() > 1) varying.push_back(p);
  std::vector<ConfigurationId> found;
  if (varying.size() < 2) return found;
  const auto other = [&](std::size_t p) {
    const auto values = static_cast<Digit>(parameters()[p].values.size());
    const Digit index = static_cast<Digit>(random.below(values - 1));
    return first_digit(p) + (index < row[p] - first_digit(p) ? index : index + 1);
  };
  for (int i = 0; i < tries && found.size() < enough; ++i) {
    const std::size_t p = varying[random.below(varying.size())], q = varying[random.below(varying.size())];
    if (p == q) continue;
    const std::pair<std::size_t, Digit> changes[] = {{p, other(p)}, {q, other(q)}};
    if (const auto changed = found_->changed(row, changes)) found.push_back(*number_of(*changed));
  }
  return found;
}

SearchSpace::Digits SearchSpace::digits_beside(std::size_t parameter, Digit current, std::size_t most,
                                               Random& random) const {
  const std::size_t count = parameters()[parameter].values.size();
  const Digit first = first_digit(parameter);
  Digits digits;
  if (count <= most) {
    for (std::size_t index = 0; index < count; ++index) digits.push_back(first + static_cast<Digit>(index));
    return digits;
  }
  const std::size_t near = most / 2, at = current - first;
  const std::size_t begin = std::min(at - std::min(at, near / 2), count - near);
  for (std::size_t i = 0; i < near; ++i) digits.push_back(first + static_cast<Digit>(begin + i));
  while (digits.size() < most) digits.push_back(first + static_cast<Digit>(random.below(count)));
  std::ranges::sort(digits);
  digits.erase(std::unique(digits.begin(), digits.end()), digits.end());
  return digits;
}

void SearchSpace::add_neighbours(Digits& digits, std::size_t column, const Digits& others,
                                 std::vector<ConfigurationId>& found) const {
  if (deciding_[parameter_of_[column]]) return add_completions(digits, column, others, found);
  const Digit current = digits[column];
  for (const Digit other : others) {
    if (other == current) continue;
    digits[column] = other;
    if (const auto row = graph_.find(digits)) found.push_back(*row);
  }
  digits[column] = current;
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
void SearchSpace::add_completions(const Digits& digits, std::size_t column, const Digits& others,
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
  for (const Digit other : others) {
    const RowGraph::Edge* edge = graph_.edge(before.node, other);
    if (edge == nullptr || other == digits[column]) continue;
    const GraphPosition place{edge->child, before.before + edge->before};
    const Completion completion = nearest_completion(graph_, place, column + 1, proposed, neighbour_steps);
    if (completion.row) found.push_back(*completion.row);
  }
}

}  // namespace tune::search
