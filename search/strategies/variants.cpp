// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/variants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/models/prior_means.hpp"

namespace tune::search {
namespace {

/// Returns the value that a parameter has in the guess for a variant; else its default.
const Value& guess_of(const SpaceDefinition& definition, const Value& variant, const Parameter& parameter) {
  const std::pair<std::string, Value> chosen{definition.parameters.front().name, variant};
  for (const auto& guess : definition.guesses) {
    if (std::ranges::find(guess, chosen) == guess.end()) continue;
    for (const auto& [name, value] : guess)
      if (name == parameter.name && std::ranges::find(parameter.values, value) != parameter.values.end())
        return value;
  }
  return parameter.default_value;
}

constexpr int max_variant_draws = 16;
constexpr double failed_slowdown = 1;   // of a variant of which nothing succeeded
constexpr double near_slowdown = 0.15;  // more results may bring a variant so far behind to the front
constexpr double least_gain = 0.002;    // share of the best; less comes from noise and small steps

}  // namespace

/// Numbers are in lexical order, so that a variant is one range of them. A space with another order of the
/// parameters has no variants here.
Variants::Variants(const SearchSpace& space) : space_(space) {
  if (space.parameters().empty() || space.empty()) return;
  const Parameter& first = space.parameters().front();
  if (first.values.size() < 2 || first.values.size() > max || first.exists_if) return;
  if (!std::ranges::all_of(first.values, &Value::is_text)) return;
  const auto value = [&](ConfigurationId id) { return space.value_indices(id).front(); };
  for (ConfigurationId begin = 0; begin < space.size() && members_.size() <= first.values.size();) {
    ConfigurationId last = begin, end = space.size();
    while (last + 1 < end) {
      const ConfigurationId middle = last + (end - last) / 2;
      (value(middle) == value(begin) ? last : end) = middle;
    }
    members_.push_back({value(begin), begin, end});
    begin = end;
  }
  const bool in_order = std::ranges::adjacent_find(members_, [](const Members& a, const Members& b) {
                          return a.value >= b.value;
                        }) == members_.end();
  if (!in_order || members_.size() < 2) members_.clear();
}

std::size_t Variants::of(ConfigurationId id) const {
  if (id >= space_.size()) {
    const auto same = std::ranges::find(members_, space_.value_indices(id).front(), &Members::value);
    if (same != members_.end()) return static_cast<std::size_t>(same - members_.begin());
    id = space_.size() - 1;  // a variant of which nothing was drawn
  }
  const auto after = std::ranges::upper_bound(members_, id, {}, &Members::begin);
  return static_cast<std::size_t>(after - members_.begin()) - 1;
}

std::optional<ConfigurationId> Variants::draw(std::size_t variant, const Visited& seen,
                                              Random& random) const {
  for (int attempt = 0; attempt < max_variant_draws; ++attempt) {
    const ConfigurationId id = members_[variant].begin + random.below(members(variant));
    if (!seen.seen(id)) return id;
  }
  return std::nullopt;
}

ConfigurationId Variants::typical(std::size_t variant, Random& random) const {
  const std::vector<Parameter>& parameters = space_.parameters();
  const Value& name = parameters.front().values[value(variant)];
  std::vector<ValueCosts> costs;
  for (const Parameter& parameter : parameters) {
    ValueCosts cost{std::vector<double>(parameter.values.size(), 1.0)};
    const auto usual = std::ranges::find(parameter.values, guess_of(space_.definition(), name, parameter));
    cost.values[static_cast<std::size_t>(usual - parameter.values.begin())] = 0;
    costs.push_back(std::move(cost));
  }
  costs[0].values.assign(costs[0].values.size(), std::numeric_limits<double>::infinity());
  costs[0].values[static_cast<std::size_t>(members_[variant].value)] = 0;
  return space_.cheapest(costs, random).value_or(members_[variant].begin);
}

void VariantResults::tell(std::size_t variant, std::optional<double> cost) {
  Result& result = results_[variant];
  ++result.count;
  ++result.stale;
  if (!cost || (result.best && *cost >= *result.best)) return;
  if (!result.best || *cost < *result.best * (1 - least_gain)) result.stale = 0;
  result.best = cost;
}

std::optional<double> VariantResults::least() const {
  std::optional<double> least;
  for (const Result& result : results_)
    if (result.best && (!least || *result.best < *least)) least = result.best;
  return least;
}

std::optional<double> VariantResults::share_of_best(std::size_t variant) const {
  const Result& result = results_[variant];
  if (result.count == 0) return std::nullopt;
  return result.best ? *least() / *result.best : 0;
}

std::vector<double> VariantResults::chances(const Belief& belief, double softness) const {
  const std::optional<double> best = least();
  const auto is_fastest = [&](const Result& result) { return best && result.best == best; };
  const auto fastest = std::ranges::find_if(results_, is_fastest);
  const double weary = fastest == results_.end() || belief.endurance == 0
                           ? 0
                           : static_cast<double>(fastest->stale) / belief.endurance;
  std::vector<double> chances;
  for (const Result& result : results_) {
    const double behind = result.best ? slowdown(*result.best, *best, softness) : failed_slowdown;
    const double nearness = std::exp(-std::pow(behind / near_slowdown, 2));
    const double patience = belief.patience * (1 + weary * nearness);
    const double chance = is_fastest(result)
                              ? 1 / (1 + weary / 4)
                              : std::exp(-behind * static_cast<double>(result.count) / patience);
    chances.push_back(result.closed ? 0 : chance);
  }
  return chances;
}

}  // namespace tune::search
