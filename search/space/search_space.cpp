// SPDX-License-Identifier: Apache-2.0
#include "search/space/search_space.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/space/definition_check.hpp"
#include "search/space/space_builder.hpp"

namespace tune::search {

SearchSpace::SearchSpace(SpaceDefinition definition, ConfigurationId max_size)
    : SearchSpace(Unbuilt{}, (check_definition(definition), std::move(definition))) {
  rows_ = build_rows(definition_, max_size);
  default_ = nearest_to_defaults();
}

SearchSpace::SearchSpace(Unbuilt, SpaceDefinition definition)
    : definition_(std::move(definition)), rows_(radices_of(definition_)), deciding_(parameters().size()) {
  for (const Parameter& parameter : parameters()) {
    if (!parameter.exists_if) continue;
    for (const std::string& name : parameter.exists_if->variables()) {
      const auto decider = std::ranges::find(parameters(), name, &Parameter::name);
      if (decider != parameters().end())
        deciding_[static_cast<std::size_t>(decider - parameters().begin())] = true;
    }
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

Configuration SearchSpace::at(ConfigurationId id) const {
  check(id);
  Configuration configuration;
  for (std::size_t p = 0; p < parameters().size(); ++p) {
    const PackedRows::Digit digit = rows_.digit(id, p);
    if (absent(p, digit)) continue;
    configuration.set(parameters()[p].name, parameters()[p].values[digit - first_digit(p)]);
  }
  return configuration;
}

std::optional<PackedRows::Digit> SearchSpace::digit_of(std::size_t parameter, const Value& value) const {
  const auto& values = parameters()[parameter].values;
  const auto found = std::ranges::find(values, value);
  if (found == values.end()) return std::nullopt;
  return static_cast<PackedRows::Digit>(found - values.begin()) + first_digit(parameter);
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
    digits[p] = *digit;
    ++known;
  }
  if (known != configuration.entries().size()) return std::nullopt;
  return digits;
}

std::optional<ConfigurationId> SearchSpace::find(const Configuration& configuration) const {
  const auto digits = digits_of(configuration);
  return digits ? rows_.find(*digits) : std::nullopt;
}

std::optional<ConfigurationId> SearchSpace::find_indices(std::span<const int> indices) const {
  if (indices.size() != parameters().size()) return std::nullopt;
  Digits digits(indices.size());
  for (std::size_t p = 0; p < digits.size(); ++p) {
    const int lowest = -static_cast<int>(first_digit(p));
    if (indices[p] < lowest || indices[p] >= static_cast<int>(parameters()[p].values.size()))
      return std::nullopt;
    digits[p] = static_cast<PackedRows::Digit>(indices[p] - lowest);
  }
  return rows_.find(digits);
}

std::vector<int> SearchSpace::value_indices(ConfigurationId id) const {
  check(id);
  std::vector<int> indices(parameters().size());
  for (std::size_t p = 0; p < indices.size(); ++p) {
    indices[p] = static_cast<int>(rows_.digit(id, p)) - static_cast<int>(first_digit(p));
  }
  return indices;
}

}  // namespace tune::search
