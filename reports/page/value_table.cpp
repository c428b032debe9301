// SPDX-License-Identifier: Apache-2.0
#include "reports/page/value_table.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tune::reports {
namespace {

bool before(const search::Value& a, const search::Value& b) {
  if (a.is_number() != b.is_number()) return a.is_number();
  if (a.is_number() && a.as_real() != b.as_real()) return a.as_real() < b.as_real();
  return a.to_string() < b.to_string();
}

/// Gives the values their order, and renumbers the levels.
void sort_values(MeasuredParameter& parameter, std::vector<int>& levels) {
  std::vector<std::size_t> order(parameter.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return before(parameter.values[a], parameter.values[b]); });
  std::vector<int> place(order.size());
  std::vector<search::Value> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<int>(i);
    sorted.push_back(parameter.values[order[i]]);
  }
  parameter.values = std::move(sorted);
  for (int& level : levels)
    if (level >= 0) level = place[static_cast<std::size_t>(level)];
}

}  // namespace

ValueTable value_table(const Section& section) {
  ValueTable table;
  table.rows = section.measured;
  std::unordered_map<std::string, std::size_t> parameters;
  std::vector<std::unordered_map<std::string, int>> known;  // by parameter: the values' texts
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (const auto& [name, value] : section.evaluations[row].configuration.entries()) {
      const auto [place, added] = parameters.try_emplace(name, table.parameters.size());
      if (added) {
        table.parameters.push_back({name, {}, true});
        table.levels.emplace_back(table.rows, -1);
        known.emplace_back();
      }
      MeasuredParameter& parameter = table.parameters[place->second];
      const auto [level, is_new] =
          known[place->second].try_emplace(value.to_string(), static_cast<int>(parameter.values.size()));
      if (is_new) {
        parameter.values.push_back(value);
        parameter.numeric = parameter.numeric && (value.is_int() || value.is_real());
      }
      table.levels[place->second][row] = level->second;
    }
  }
  for (std::size_t i = 0; i < table.parameters.size(); ++i) sort_values(table.parameters[i], table.levels[i]);
  return table;
}

std::optional<std::size_t> grouping(const ValueTable& table) {
  std::optional<std::size_t> text;
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    const MeasuredParameter& parameter = table.parameters[i];
    if (parameter.name == "variant") return i;
    if (!text && parameter.values.size() > 1 && parameter.values.size() <= 8 &&
        parameter.values.front().is_text())
      text = i;
  }
  return text;
}

}  // namespace tune::reports
