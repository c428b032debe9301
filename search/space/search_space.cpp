// SPDX-License-Identifier: Apache-2.0
#include "search/space/search_space.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "search/space/definition_check.hpp"
#include "search/space/space_builder.hpp"

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

}  // namespace tune::search
