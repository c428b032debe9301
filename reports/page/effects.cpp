// SPDX-License-Identifier: Apache-2.0
#include "reports/page/effects.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/evaluation/evaluation.hpp"

namespace tune::reports {
namespace {

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

/// The logarithms of the values around their mean: the sums of squares are of small numbers.
std::vector<double> centred_logs(const ValueTable& table) {
  std::vector<double> logs;
  double sum = 0;
  for (const double value : table.values) {
    logs.push_back(std::log(value));
    sum += logs.back();
  }
  for (double& value : logs) value -= sum / static_cast<double>(logs.size());
  return logs;
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

std::vector<ParameterEffect> parameter_effects(const ValueTable& table) {
  const std::vector<double> logs = centred_logs(table);
  std::vector<ParameterEffect> effects;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    ParameterEffect effect;
    effect.values.resize(table.parameters[p].values.size());
    GroupedVariance variance(effect.values.size());
    std::vector<std::vector<double>> values(effect.values.size());
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (table.level(p, row) < 0) continue;
      const auto level = static_cast<std::size_t>(table.level(p, row));
      if (effect.values[level].count++ == 0) effect.values[level].best = row;
      values[level].push_back(table.values[row]);
      variance.add(level, logs[row]);
      ++effect.count;
    }
    for (std::size_t level = 0; level < values.size(); ++level)
      effect.values[level].median = median(std::move(values[level]));
    effect.importance = variance.explained();
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::optional<std::pair<std::size_t, std::size_t>> strongest_pair(const ValueTable& table) {
  const std::vector<double> logs = centred_logs(table);
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
