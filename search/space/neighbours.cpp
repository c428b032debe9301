// SPDX-License-Identifier: Apache-2.0
// The part of SearchSpace that walks: neighbours, the default configuration, the cheapest.
#include <algorithm>

#include "search/space/cheapest_row.hpp"
#include "search/space/completion.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

namespace {

constexpr std::size_t kNeighbourSteps = 4'000;
constexpr std::size_t kDefaultSteps = 100'000;
constexpr std::size_t kCheapestSteps = 4'000;

}  // namespace

SearchSpace::Digits SearchSpace::default_digits() const {
  Digits digits(parameters().size());
  for (std::size_t p = 0; p < digits.size(); ++p) digits[p] = *digit_of(p, parameters()[p].default_value);
  return digits;
}

std::optional<ConfigurationId> SearchSpace::nearest_to_defaults() const {
  const Digits defaults = default_digits();
  std::vector<Wish> wishes(defaults.size());
  for (std::size_t p = 0; p < wishes.size(); ++p) wishes[p] = {defaults[p], true, first_digit(p) > 0};
  const Completion near = nearest_completion(rows_, rows_.all(), 0, wishes, kDefaultSteps);
  if (!near.gave_up) return near.row;

  // Far from all defaults: looking at every configuration is cheaper.
  std::optional<ConfigurationId> best;
  std::size_t fewest = 0;
  for (ConfigurationId id = 0; id < size(); ++id) {
    std::size_t deviations = 0;
    for (std::size_t p = 0; p < defaults.size(); ++p) {
      const PackedRows::Digit digit = rows_.digit(id, p);
      if (!absent(p, digit) && digit != defaults[p]) ++deviations;
    }
    if (best && deviations >= fewest) continue;
    best = id;
    fewest = deviations;
  }
  return best;
}

std::vector<ConfigurationId> SearchSpace::neighbours(ConfigurationId id) const {
  check(id);
  Digits digits(parameters().size());
  rows_.unpack(id, digits);
  std::vector<ConfigurationId> found;
  for (std::size_t p = 0; p < digits.size(); ++p) {
    const PackedRows::Digit current = digits[p];
    if (absent(p, current)) continue;
    if (deciding_[p]) {
      add_completions(digits, p, found);
      continue;
    }
    for (std::size_t index = 0; index < parameters()[p].values.size(); ++index) {
      digits[p] = first_digit(p) + static_cast<PackedRows::Digit>(index);
      if (digits[p] == current) continue;
      if (const auto row = rows_.find(digits)) found.push_back(*row);
    }
    digits[p] = current;
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
    digits[p] = costs[p].values;
    if (first_digit(p) > 0) digits[p].insert(digits[p].begin(), costs[p].absent);
  }
  return cheapest_row(rows_, digits, random, kCheapestSteps, allowed);
}

/// Adds the neighbours by a change of `parameter`, which decides whether later ones exist.
void SearchSpace::add_completions(const Digits& digits, std::size_t parameter,
                                  std::vector<ConfigurationId>& found) const {
  const Digits defaults = default_digits();
  std::vector<Wish> wishes(digits.size());
  PackedRows::Range before = rows_.all();
  for (std::size_t p = 0; p < digits.size(); ++p) {
    const bool missing = absent(p, digits[p]);
    wishes[p] = {missing ? defaults[p] : digits[p], missing, first_digit(p) > 0};
    if (p < parameter) before = rows_.narrow(before, p, digits[p]);
  }
  for (std::size_t index = 0; index < parameters()[parameter].values.size(); ++index) {
    const auto digit = first_digit(parameter) + static_cast<PackedRows::Digit>(index);
    if (digit == digits[parameter]) continue;
    const PackedRows::Range range = rows_.narrow(before, parameter, digit);
    const Completion completion = nearest_completion(rows_, range, parameter + 1, wishes, kNeighbourSteps);
    if (completion.row) found.push_back(*completion.row);
  }
}

}  // namespace tune::search
