// SPDX-License-Identifier: Apache-2.0
// The part of SearchSpace that tells people why a configuration is not valid.
#include "search/space/search_space.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "search/expressions/nearest.hpp"
#include "search/space/completion.hpp"
#include "search/space/space_builder.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

SearchSpace::SearchSpace(SpaceDefinition definition, std::size_t max_states)
    : SearchSpace(Unbuilt{}, (check_definition(definition), std::move(definition))) {
  build(max_states);
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

/// In declaration order, or, where that takes too much, with what is tied together side by side.
void SearchSpace::build(std::size_t max_states) {
  try {
    graph_ = build_graph(definition_, max_states);
    return;
  } catch (const TooManyStates&) {
    order_columns(order_by_groups(definition_));
  }
  SpaceDefinition reordered = definition_;
  for (std::size_t column = 0; column < parameter_of_.size(); ++column)
    reordered.parameters[column] = definition_.parameters[parameter_of_[column]];
  try {
    graph_ = build_graph(reordered, max_states);
  } catch (const TooManyStates&) {
    throw std::length_error("the constraints tie so many parameters together that counting takes more than " +
                            std::to_string(max_states) +
                            " steps; fix a parameter, or declare parameters that a constraint ties together "
                            "one behind the other");
  }
}

double SearchSpace::product_size() const {
  double product = 1.0;
  for (const Parameter& parameter : parameters()) product *= static_cast<double>(parameter.values.size());
  return product;
}

void SearchSpace::check(ConfigurationId id) const {
  if (id < size()) return;
  throw std::out_of_range("there is no configuration " + std::to_string(id) + " in a space of " +
                          std::to_string(size()));
}

SearchSpace::Digits SearchSpace::digits_of(ConfigurationId id) const {
  check(id);
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
  return digits ? graph_.find(*digits) : std::nullopt;
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
  return graph_.find(digits);
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
  return "it is not one of the space's configurations";
}

namespace {

/// More would take minutes.
constexpr ConfigurationId max_asked = 50'000'000;

}  // namespace

SearchSpace SearchSpace::of(SpaceDefinition definition, std::span<const Configuration> configurations) {
  check_definition(definition);
  SearchSpace space{Unbuilt{}, std::move(definition)};
  std::vector<Digits> rows;
  for (const Configuration& configuration : configurations) {
    auto digits = space.digits_of(configuration);
    if (!digits) {
      throw std::invalid_argument("'" + configuration.key() + "' is no configuration of these parameters");
    }
    rows.push_back(std::move(*digits));
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
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
  // What is left of a node depends on the way to it, so that every path is walked.
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
  return space;
}

}  // namespace tune::search
