// SPDX-License-Identifier: Apache-2.0
#include "reports/page/value_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tune::reports {
namespace {

bool before(const search::Value& a, const search::Value& b) {
  if (a.is_number() != b.is_number()) return a.is_number();
  if (a.is_number() && a.as_real() != b.as_real()) return a.as_real() < b.as_real();
  return a.to_string() < b.to_string();
}

void add(PhaseSums& sums, const PhaseTimes& phases) {
  ++sums.count;
  sums.phases.compile += phases.compile;
  sums.phases.reference += phases.reference;
  sums.phases.load += phases.load;
  sums.phases.verify += phases.verify;
  sums.phases.measure += phases.measure;
}

std::optional<ShownResources> shown_resources(const std::optional<KernelResources>& needs) {
  if (!needs) return std::nullopt;
  return ShownResources{needs->registers, needs->spill_store_bytes,
                        needs->static_shared_memory + needs->dynamic_shared_memory, needs->occupancy};
}

/// One parameter while evaluations arrive in any order.
class Column {
 public:
  Column(std::string name, std::size_t rows, const PhaseSums& before)
      : name_(std::move(name)), levels_(rows, -1), without_(before) {}

  const std::string& name() const { return name_; }

  /// Adds an evaluation that has the parameter: the one of this number in the order of arrival.
  void add_value(const search::Value& value, const PhaseTimes& phases, std::size_t number) {
    const auto [place, is_new] = known_.try_emplace(value.to_string(), static_cast<int>(values_.size()));
    if (is_new) values_.push_back({value, false, {}});
    last_ = static_cast<std::size_t>(place->second);
    add(values_[last_].cost, phases);
    number_ = number;
  }
  /// The evaluation added last is this row; the parameter is the `index`-th of its configuration.
  void set_row(std::size_t row, std::size_t index) {
    values_[last_].measured = true;
    levels_[row] = static_cast<int>(last_);
    first_ = std::min(first_, std::pair(row, index));
  }
  /// To be called after each evaluation.
  void end(const PhaseTimes& phases, std::size_t number) {
    if (number_ != number) add(without_, phases);
  }

  bool is_measured() const { return first_.first != std::numeric_limits<std::size_t>::max(); }
  /// The first row that has it, and its place in that configuration.
  const std::pair<std::size_t, std::size_t>& first() const { return first_; }

  std::map<std::string, PhaseSums> costs() const {
    std::map<std::string, PhaseSums> sums;
    for (const auto& [text, level] : known_) sums[text] = values_[static_cast<std::size_t>(level)].cost;
    if (without_.count == 0) return sums;
    PhaseSums& all = sums["all"];
    all.count += without_.count - 1;  // `add` counts one
    add(all, without_.phases);
    return sums;
  }

  /// Moves the measured values, in their order, and the levels out.
  std::pair<MeasuredParameter, std::vector<int>> finish() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].measured) order.push_back(i);
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return before(values_[a].value, values_[b].value); });
    MeasuredParameter parameter{std::move(name_), {}, true};
    std::vector<int> place(values_.size(), -1);
    for (const std::size_t level : order) {
      search::Value& value = values_[level].value;
      place[level] = static_cast<int>(parameter.values.size());
      parameter.numeric = parameter.numeric && (value.is_int() || value.is_real());
      parameter.values.push_back(std::move(value));
    }
    for (int& level : levels_)
      if (level >= 0) level = place[static_cast<std::size_t>(level)];
    return {std::move(parameter), std::move(levels_)};
  }

 private:
  struct Value {
    search::Value value;
    bool measured;
    PhaseSums cost;
  };

  std::string name_;
  std::vector<Value> values_;
  std::unordered_map<std::string, int> known_;  ///< the values' texts
  std::vector<int> levels_;
  PhaseSums without_;  ///< of evaluations without the parameter
  std::size_t last_ = 0, number_ = 0;
  std::pair<std::size_t, std::size_t> first_ = {std::numeric_limits<std::size_t>::max(), 0};
};

/// All parameters while evaluations arrive in any order.
class Columns {
 public:
  explicit Columns(std::size_t rows) : rows_(rows) {}

  void add_row(const ChartRow& row) {
    ++number_;
    const PhaseTimes& phases = row.figures.phases;
    const auto& entries = row.figures.configuration.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Column& column = column_of(entries[i].first, i);
      column.add_value(entries[i].second, phases, number_);
      if (row.value) column.set_row(row.place, i);
    }
    for (Column& column : columns_) column.end(phases, number_);
    add(all_, phases);
  }

  void finish(ValueTable& table) {
    std::erase_if(columns_, [](const Column& column) { return !column.is_measured(); });
    std::ranges::sort(columns_, {}, &Column::first);
    for (Column& column : columns_) {
      auto [parameter, levels] = column.finish();
      table.parameters.push_back(std::move(parameter));
      table.levels.push_back(std::move(levels));
    }
    table.group = group_of(table.parameters);
    if (table.group)
      table.costs = columns_[*table.group].costs();
    else if (all_.count > 0)
      table.costs["all"] = all_;
  }

 private:
  static std::optional<std::size_t> group_of(const std::vector<MeasuredParameter>& parameters) {
    std::optional<std::size_t> text;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const MeasuredParameter& parameter = parameters[i];
      if (parameter.name == "variant") return i;
      if (!text && parameter.values.size() > 1 && parameter.values.size() <= 8 &&
          parameter.values.front().is_text())
        text = i;
    }
    return text;
  }

  /// `index`: where it probably is, because most configurations have the same parameters.
  Column& column_of(const std::string& name, std::size_t index) {
    if (index < columns_.size() && columns_[index].name() == name) return columns_[index];
    const auto found = std::ranges::find(columns_, name, &Column::name);
    return found != columns_.end() ? *found : columns_.emplace_back(name, rows_, all_);
  }

  std::size_t rows_;
  std::vector<Column> columns_;
  PhaseSums all_;           ///< of the evaluations before this one
  std::size_t number_ = 0;  ///< of this one, from 1
};

/// Removes the rows that did not come: those that cannot be read.
void remove_missing(ValueTable& table, const std::vector<bool>& came) {
  const auto compact = [&](auto& column) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < came.size(); ++row)
      if (came[row]) column[kept++] = column[row];
    column.resize(kept);
  };
  compact(table.values);
  compact(table.seconds);
  compact(table.errors);
  compact(table.tied);
  compact(table.resources);
  if (!table.both.empty()) compact(table.both);
  for (auto& [name, column] : table.metrics) compact(column);
  for (std::vector<int>& levels : table.levels) compact(levels);
  table.rows = table.values.size();
}

}  // namespace

ValueTable value_table(const Section& section) {
  ValueTable table;
  table.rows = section.measured;
  table.values.resize(table.rows);
  table.seconds.resize(table.rows);
  table.errors.resize(table.rows);
  table.tied.resize(table.rows);
  table.resources.resize(table.rows);
  if (section.objective.of_front() != nullptr) table.both.resize(table.rows);
  std::vector<bool> came(table.rows);
  Columns columns(table.rows);
  each_chart_row(section, [&](const ChartRow& row) {
    columns.add_row(row);
    if (!row.value) return;
    table.values[row.place] = *row.value;
    table.seconds[row.place] = row.seconds;
    table.errors[row.place] = row.figures.error;
    table.tied[row.place] = row.tied;
    table.resources[row.place] = shown_resources(row.figures.resources);
    if (!table.both.empty()) table.both[row.place] = row.both;
    for (const auto& [name, value] : row.figures.metrics) {
      auto column =
          std::ranges::find_if(table.metrics, [&name](const auto& one) { return one.first == name; });
      if (column == table.metrics.end())
        column = table.metrics.insert(column, {name, std::vector<double>(table.rows, NAN)});
      column->second[row.place] = value;
    }
    came[row.place] = true;
  });
  columns.finish(table);
  if (std::ranges::find(came, false) != came.end()) remove_missing(table, came);
  return table;
}

}  // namespace tune::reports
