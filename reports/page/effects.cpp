// SPDX-License-Identifier: Apache-2.0
#include "reports/page/effects.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "tuner/evaluation/evaluation.hpp"

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

namespace {

std::vector<double> log_times(const Section& section) {
  std::vector<double> logs;
  for (std::size_t row = 0; row < section.measured; ++row)
    logs.push_back(std::log(*section.evaluations[row].time));
  return logs;
}

/// Sums over the rows of each of several groups.
class GroupedVariance {
 public:
  explicit GroupedVariance(std::size_t groups) : counts_(groups), sums_(groups) {}

  void add(std::size_t group, double value) {
    counts_[group] += 1;
    sums_[group] += value;
    all_ += value;
    squares_ += value * value;
    n_ += 1;
  }

  /// Share of the variance that lies between the groups, corrected for their number.
  std::optional<double> explained() const {
    double groups = 0, between = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      groups += 1;
      between += sums_[i] * sums_[i] / counts_[i];
    }
    const double mean_part = all_ * all_ / std::max(n_, 1.0);
    const double total = squares_ - mean_part;
    if (groups < 2 || n_ <= groups || !(total > 1e-12 * n_)) return std::nullopt;
    between -= mean_part;
    const double within = std::max(0.0, total - between) / (n_ - groups);
    return std::clamp((between - (groups - 1) * within) / total, 0.0, 1.0);
  }

 private:
  std::vector<double> counts_, sums_;
  double all_ = 0, squares_ = 0, n_ = 0;
};

/// Times enter around their mean: the sums of squares are of small numbers.
std::vector<double> centred(std::vector<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value -= sum / static_cast<double>(values.size());
  return values;
}

std::vector<std::size_t> paired_parameters(const ValueTable& table) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    const std::size_t values = table.parameters[i].values.size();
    if (values > 1 && values <= max_pair_values) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

std::vector<ParameterEffect> parameter_effects(const Section& section, const ValueTable& table) {
  const std::vector<double> logs = centred(log_times(section));
  std::vector<ParameterEffect> effects;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    ParameterEffect effect;
    effect.values.resize(table.parameters[p].values.size());
    GroupedVariance variance(effect.values.size());
    std::vector<std::vector<double>> times(effect.values.size());
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (table.level(p, row) < 0) continue;
      const auto level = static_cast<std::size_t>(table.level(p, row));
      if (effect.values[level].count++ == 0) effect.values[level].best = row;
      times[level].push_back(*section.evaluations[row].time);
      variance.add(level, logs[row]);
      ++effect.count;
    }
    for (std::size_t level = 0; level < times.size(); ++level)
      effect.values[level].median = median(std::move(times[level]));
    effect.importance = variance.explained();
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::optional<std::pair<std::size_t, std::size_t>> strongest_pair(const Section& section,
                                                                  const ValueTable& table) {
  const std::vector<double> logs = centred(log_times(section));
  const std::vector<std::size_t> chosen = paired_parameters(table);
  std::optional<std::pair<std::size_t, std::size_t>> strongest;
  double max = -1;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = i + 1; j < chosen.size(); ++j) {
      const std::size_t a = chosen[i], b = chosen[j];
      const std::size_t width = table.parameters[b].values.size();
      GroupedVariance variance(table.parameters[a].values.size() * width);
      std::size_t rows = 0;
      for (std::size_t row = 0; row < table.rows; ++row) {
        if (table.level(a, row) < 0 || table.level(b, row) < 0) continue;
        variance.add(static_cast<std::size_t>(table.level(a, row)) * width +
                         static_cast<std::size_t>(table.level(b, row)),
                     logs[row]);
        ++rows;
      }
      // What few configurations have says little about the others.
      const double share = static_cast<double>(rows) / static_cast<double>(table.rows);
      const double explained = variance.explained().value_or(0) * share;
      if (rows == 0 || explained <= max) continue;
      max = explained;
      strongest = {a, b};
    }
  }
  return strongest;
}

std::vector<std::size_t> neighbours_of_winner(const ValueTable& table) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 1; row < table.rows; ++row) {
    int different = 0;
    for (const std::vector<int>& levels : table.levels) {
      if (levels[row] == levels[0]) continue;
      // Where a parameter comes or goes, it is another algorithm rather than a step.
      different += levels[row] < 0 || levels[0] < 0 ? 2 : 1;
      if (different > 1) break;
    }
    if (different == 1) rows.push_back(row);
  }
  return rows;
}

}  // namespace tune::reports
