// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 3> names = {"time", "energy", "edp"};
constexpr std::array<std::string_view, 3> units = {"s", "J", "Js"};
constexpr std::string_view minimised = "min:", maximised = "max:";

std::optional<double> recorded_value(const std::string& metric, const MeasuredFigures& figures) {
  if (figures.recorded == nullptr) return std::nullopt;
  const auto found = std::ranges::find(*figures.recorded, metric, &Metrics::value_type::first);
  return found == figures.recorded->end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool Objective::needs_energy() const {
  return metric_ ? metric_->needs_energy : kind_ != time;
}

std::string_view Objective::unit() const {
  return metric_ ? std::string_view() : units.at(kind_);
}

std::string Objective::value_text(double value) const {
  if (metric_) return format("{:.6g}", shown(value));
  return si(value, unit());
}

bool operator==(const Objective& a, const Objective& b) {
  if (a.kind_ != b.kind_) return false;
  return !a.metric_ || (a.metric_->name == b.metric_->name && a.metric_->maximised == b.metric_->maximised);
}

std::string to_string(const Objective& objective) {
  if (const MetricObjective* metric = objective.of_metric())
    return std::string(metric->maximised ? maximised : minimised) + metric->name;
  return std::string(names.at(objective.kind()));
}

Objective objective_from_string(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Objective::Kind>(i);
  const bool max = text.starts_with(maximised);
  if ((!max && !text.starts_with(minimised)) || text.size() == maximised.size())
    throw std::invalid_argument(
        format("the objective '{}' is not time, energy, edp, min:METRIC or max:METRIC", text));
  return Objective(MetricObjective{.name = std::string(text.substr(maximised.size())), .maximised = max});
}

Facts facts_of(const MeasuredFigures& figures) {
  Facts facts = {{"time", figures.seconds}};
  if (figures.joules > 0)
    facts.insert({{"energy", figures.joules}, {"power", figures.joules / figures.seconds}});
  if (const auto& resources = figures.resources)
    facts.insert({{"registers", resources->registers},
                  {"spill_bytes", resources->spill_store_bytes + resources->spill_load_bytes},
                  {"shared_memory", resources->static_shared_memory + resources->dynamic_shared_memory},
                  {"threads", resources->threads},
                  {"occupancy", resources->occupancy}});
  if (figures.recorded != nullptr) facts.insert(figures.recorded->begin(), figures.recorded->end());
  return facts;
}

Objective objective_of(const Objective& named, const Problem& problem, const Instance& instance) {
  if (named.of_metric() == nullptr) return named;
  MetricObjective metric = *named.of_metric();
  const std::vector<MetricInfo> known = problem.metric_infos();
  const auto found = std::ranges::find(known, metric.name, &MetricInfo::name);
  if (found == known.end()) {
    std::string names;
    for (const MetricInfo& one : known) names += format("{}'{}'", names.empty() ? "" : ", ", one.name);
    throw UsageError(
        known.empty()
            ? format("objective {}: {} has no metrics; a definition has them in \"metrics\"",
                     to_string(named), problem.info().name)
            : format("objective {}: the metrics of {} are {}", to_string(named), problem.info().name, names));
  }
  metric.needs_energy = found->needs_energy;
  metric.value = [&problem, instance, name = metric.name](const MeasuredFigures& figures) {
    std::optional<double> value;
    try {
      for (const auto& [other, number] : problem.metrics(instance, figures.configuration, facts_of(figures)))
        if (other == name) value = number;
    } catch (const UsageError&) {  // such as a division by zero
    }
    return value ? value : recorded_value(name, figures);
  };
  return Objective(std::move(metric));
}

Objective recorded_objective(const Objective& named) {
  if (named.of_metric() == nullptr) return named;
  MetricObjective metric = *named.of_metric();
  metric.value = [name = metric.name](const MeasuredFigures& figures) {
    return recorded_value(name, figures);
  };
  return Objective(std::move(metric));
}

std::optional<double> objective_value(const MeasuredFigures& figures, const Objective& objective) {
  if (const MetricObjective* metric = objective.of_metric()) {
    if (!metric->value) throw std::logic_error("the objective is not of a problem");
    const std::optional<double> value = metric->value(figures);
    if (!value || !(*value > 0) || !std::isfinite(*value)) return std::nullopt;
    return metric->maximised ? 1 / *value : *value;
  }
  if (objective == Objective::time) return figures.seconds;
  if (!(figures.joules > 0)) return std::nullopt;
  return objective == Objective::energy ? figures.joules : figures.joules * figures.seconds;
}

}  // namespace tune
