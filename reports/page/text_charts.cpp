// SPDX-License-Identifier: Apache-2.0
#include "reports/page/text_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reports/data/wording.hpp"
#include "reports/page/effects.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

constexpr std::size_t least_rows = 3;
constexpr std::size_t most_bars = 8;  ///< parameters
constexpr double least_shown = 0.01;  ///< importance

/// Columns for the bars behind so many of text.
std::size_t bar_columns(const TextStyle& style, std::size_t text) {
  return std::clamp<std::size_t>(style.width - std::min(style.width, text + 2), 4, 40);
}

/// By how much configurations are worse than the best.
struct Band {
  double to;  ///< ratio to the best
  const char* name;
};
constexpr std::array bands = {Band{1.01, "to 1 %"},  Band{1.05, "to 5 %"},  Band{1.1, "to 10 %"},
                              Band{1.25, "to 25 %"}, Band{1.5, "to 50 %"},  Band{2, "to 2 times"},
                              Band{4, "to 4 times"}, Band{INFINITY, "more"}};

std::string distribution(const Section& section, const ValueTable& table, const TextStyle& style) {
  std::array<std::size_t, bands.size()> counts = {};
  const double best = table.values.front();
  for (const double value : table.values) {
    const double ratio = best > 0 ? value / best : best / value;  // a maximised metric is negative
    ++counts.at(static_cast<std::size_t>(
        std::ranges::find_if(bands, [&](const Band& band) { return ratio <= band.to; }) - bands.begin()));
  }
  const std::size_t most = std::ranges::max(counts);
  std::string text =
      format("\n  {}\n", style.bold(section.objective == Objective::time
                                        ? "How much slower than the best the measured configurations are"
                                        : "How much worse than the best the measured configurations are"));
  for (std::size_t i = 0; i < bands.size(); ++i)
    if (counts.at(i) > 0)
      text += format("    {:<12}{:>7}  {}\n", bands.at(i).name, counts.at(i),
                     style.green(style.bar(static_cast<double>(counts.at(i)) / static_cast<double>(most),
                                           bar_columns(style, 25))));
  return text;
}

/// Leaves out what fewer than half of the configurations have: a few tell little.
std::string importances(const ValueTable& table, const TextStyle& style) {
  const std::vector<ParameterEffect> effects = parameter_effects(table);
  std::vector<std::pair<double, std::string>> order;
  for (std::size_t i = 0; i < effects.size(); ++i)
    if (2 * effects[i].count >= table.rows && effects[i].importance && *effects[i].importance >= least_shown)
      order.emplace_back(*effects[i].importance, table.parameters[i].name);
  if (order.empty()) return {};
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& one) { return one.first; });
  order.resize(std::min(order.size(), most_bars));
  std::size_t width = 0;
  for (const auto& one : order) width = std::max(width, one.second.size() + 2);
  std::string text = format("\n  {}\n", style.bold("Which parameters matter: share of the variance that "
                                                   "each explains alone"));
  for (const auto& [share, name] : order)
    text += format("    {:<{}}{:>7}  {}\n", name, width, percent_text(share),
                   style.green(style.bar(share, bar_columns(style, width + 13))));
  return text;
}

}  // namespace

std::string text_charts(const Section& section, const TextStyle& style) {
  const ValueTable table = value_table(section);
  if (table.rows < least_rows || table.values.front() == 0) return {};
  return distribution(section, table, style) + importances(table, style);
}

}  // namespace tune::reports
