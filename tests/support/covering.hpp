// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "search/space/configuration.hpp"

namespace tune::testing {

/// Every value of a configuration: `vector=4`, `shape=box`.
inline std::set<std::string> values_of(const search::Configuration& configuration) {
  std::set<std::string> values;
  for (const auto& [name, value] : configuration.entries()) values.insert(name + "=" + value.to_string());
  return values;
}

/// Few of the sets that hold, together, every value of all of them: always the one with most values that
/// those before it lack, for its cost if `costs` has one for each set. Their places, in that order.
inline std::vector<std::size_t> covering(const std::vector<std::set<std::string>>& sets,
                                         const std::vector<double>& costs = {}) {
  std::set<std::string> seen;
  std::vector<std::size_t> chosen;
  const auto added = [&](const std::set<std::string>& set) {
    const auto count =
        std::ranges::count_if(set, [&](const std::string& value) { return !seen.contains(value); });
    const auto place = static_cast<std::size_t>(&set - sets.data());
    return static_cast<double>(count) / (costs.empty() ? 1 : costs[place]);
  };
  while (true) {
    const auto best = std::ranges::max_element(sets, {}, added);
    if (best == sets.end() || added(*best) == 0) return chosen;
    seen.insert(best->begin(), best->end());
    chosen.push_back(static_cast<std::size_t>(best - sets.begin()));
  }
}

/// True for the value of a number, such as `vector=4`, but for the stages of a copy. Tests that compile take
/// all numbers on one architecture only: they are alike on all of them.
inline bool is_amount(const std::string& value) {
  return std::isdigit(static_cast<unsigned char>(value.back())) != 0 && !value.starts_with("stages=") &&
         value.find_first_not_of("0123456789.", value.find('=') + 1) == std::string::npos;
}

/// Of configurations, those that have every value that any of them has, or every one that is no amount.
inline std::vector<search::Configuration> covering(const std::vector<search::Configuration>& drawn,
                                                   bool amounts = true) {
  std::vector<std::set<std::string>> sets;
  for (const search::Configuration& one : drawn) {
    std::set<std::string>& set = sets.emplace_back(values_of(one));
    if (!amounts) std::erase_if(set, is_amount);
  }
  std::vector<search::Configuration> chosen;
  for (const std::size_t place : covering(sets)) chosen.push_back(drawn[place]);
  return chosen;
}

}  // namespace tune::testing
