// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "search/expressions/formula.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/perf_counters.hpp"
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

constexpr std::string_view of_both = "pareto:";
constexpr std::string_view page_faults = counted_events.back();  ///< which every system counts

/// Looks names up among numbers.
class NamedNumbers {
 public:
  explicit NamedNumbers(const Facts& facts) {
    for (const auto& [name, value] : facts) numbers_.emplace(name, value);
  }
  const search::FormulaValue* operator()(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, search::FormulaValue, std::less<>> numbers_;
};

/// Nothing where it names what is not known, or fails.
std::optional<double> formula_value(const std::string& formula, const Facts& facts) try {
  const search::FormulaValue value = search::evaluate(formula, NamedNumbers(facts));
  return value.is_number() ? std::optional(value.real()) : std::nullopt;
} catch (const search::ExprError&) {
  return std::nullopt;
}

/// Returns the place of the comma between two quantities, which may have operands in parentheses.
std::size_t middle_of(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ',' && depth == 0) return i;
  }
  return text.size();
}

}  // namespace

Objective::Objective(Objective first, Objective second)
    : kind_(front),
      parts_(std::make_shared<const std::array<Objective, 2>>(
          std::array<Objective, 2>{std::move(first), std::move(second)})) {}

Objective Objective::with(const std::function<MetricObjective(const MetricObjective&)>& other) const {
  if (metric_) return Objective(other(*metric_));
  if (parts_) return {parts_->front().with(other), parts_->back().with(other)};
  return *this;
}

bool Objective::needs_energy() const {
  if (parts_) return parts_->front().needs_energy() || parts_->back().needs_energy();
  return metric_ ? metric_->needs_energy : kind_ != time;
}

bool Objective::needs_counters() const {
  if (parts_) return parts_->front().needs_counters() || parts_->back().needs_counters();
  return metric_ && metric_->needs_counters;
}

std::string_view Objective::unit() const {
  return metric_ || parts_ ? std::string_view() : units.at(kind_);
}

std::string Objective::value_text(double value) const {
  if (metric_ || parts_) return format("{:.6g}", shown(value));
  return si(value, unit());
}

bool operator==(const Objective& a, const Objective& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.parts_) return *a.parts_ == *b.parts_;
  return !a.metric_ || (a.metric_->name == b.metric_->name && a.metric_->maximised == b.metric_->maximised);
}

std::string to_string(const Objective& objective) {
  if (const MetricObjective* metric = objective.of_metric())
    return std::string(metric->maximised ? maximised : minimised) + metric->name;
  if (const auto* const both = objective.of_front())
    return std::string(of_both) + to_string(both->front()) + "," + to_string(both->back());
  return std::string(names.at(objective.kind()));
}

std::string name_of(const Objective& objective) {
  const MetricObjective* const metric = objective.of_metric();
  return metric == nullptr ? to_string(objective) : metric->name;
}

Objective objective_from_string(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Objective::Kind>(i);
  if (text.starts_with(of_both)) {
    const std::string_view both = text.substr(of_both.size());
    const std::size_t middle = middle_of(both);
    const auto part = [](std::string_view one) {
      if (one.empty() || one.starts_with(of_both) || middle_of(one) < one.size())
        throw std::invalid_argument("a Pareto front has two quantities: pareto:A,B");
      const bool is_complete = one.starts_with(minimised) || one.starts_with(maximised) ||
                               std::ranges::find(names, one) != names.end();
      return objective_from_string(is_complete ? std::string(one)
                                               : std::string(minimised) + std::string(one));
    };
    return {part(both.substr(0, middle)), part(middle < both.size() ? both.substr(middle + 1) : "")};
  }
  const bool max = text.starts_with(maximised);
  if ((!max && !text.starts_with(minimised)) || text.size() == maximised.size())
    throw std::invalid_argument(
        format("the objective '{}' is not time, energy, edp, min:METRIC, max:METRIC or pareto:A,B", text));
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

std::vector<MetricInfo> known_metrics(const Problem& problem) {
  std::vector<MetricInfo> all = problem.metric_infos();
  if (problem.info().target != Target::cpu) return all;
  const auto add = [&all](std::string_view name) {
    if (std::ranges::find(all, name, &MetricInfo::name) == all.end()) all.push_back({std::string(name)});
  };
  std::ranges::for_each(counted_events, add);
  add(instructions_per_cycle);
  return all;
}

std::string formula_mistake(const std::string& formula, const std::vector<std::string>& metrics) {
  std::vector<std::string> known(fact_names.begin(), fact_names.end());
  known.insert(known.end(), metrics.begin(), metrics.end());
  Facts facts;
  double number = 1;
  for (const std::string& name : known) facts.emplace(name, number += 0.618);  // differences are not 0
  std::string unknown;
  const NamedNumbers numbers(facts);
  const search::FormulaValue one(1.0);
  try {
    const search::FormulaValue value = search::evaluate(formula, [&](std::string_view name) {
      const search::FormulaValue* const found = numbers(name);
      if (found == nullptr && unknown.empty()) unknown = name;
      return found == nullptr ? &one : found;
    });
    if (unknown.empty()) return value.is_number() ? "" : "the formula is not a number";
  } catch (const search::ExprError& error) {
    if (unknown.empty()) return search::mistake_of(error);
  }
  return format("there is no '{}'{}", unknown, search::did_you_mean(unknown, known));
}

namespace {

/// True where the problem's own metrics lack one that the formula names.
bool names_counters(const std::string& formula, const Problem& problem) {
  std::vector<std::string> own;
  for (const MetricInfo& one : problem.metric_infos()) own.push_back(one.name);
  own.emplace_back(page_faults);
  return problem.info().target == Target::cpu && !formula_mistake(formula, own).empty();
}

bool names_energy(const std::string& formula) {
  bool found = false;
  const search::FormulaValue one(1.0);
  try {
    search::evaluate(formula, [&](std::string_view name) {
      found = found || name == "energy" || name == "power";
      return &one;
    });
  } catch (const search::ExprError&) {
  }
  return found;
}

/// The metrics of the problem beside the facts; nothing where one of them fails.
std::optional<Facts> all_facts(const Problem& problem, const Instance& instance,
                               const MeasuredFigures& figures) try {
  Facts facts = facts_of(figures);
  for (const auto& [name, value] : problem.metrics(instance, figures.configuration, facts))
    facts.insert_or_assign(name, value);
  return facts;
} catch (const UsageError&) {  // such as a division by zero
  return std::nullopt;
}

}  // namespace

Objective objective_of(const Objective& named, const Problem& problem, const Instance& instance) {
  const std::vector<MetricInfo> known = known_metrics(problem);
  return named.with([&](const MetricObjective& one) {
    MetricObjective metric = one;
    const auto found = std::ranges::find(known, metric.name, &MetricInfo::name);
    if (found != known.end()) {
      metric.needs_energy = found->needs_energy;
      const std::vector<MetricInfo> own = problem.metric_infos();
      metric.needs_counters =
          metric.name != page_faults && std::ranges::find(own, metric.name, &MetricInfo::name) == own.end();
      metric.value = [&problem, instance, name = metric.name](const MeasuredFigures& figures) {
        const auto facts = all_facts(problem, instance, figures);
        const auto value = facts ? facts->find(name) : Facts::const_iterator();
        return facts && value != facts->end() ? std::optional(value->second) : recorded_value(name, figures);
      };
      return metric;
    }
    std::vector<std::string> all;
    for (const MetricInfo& each : known) all.push_back(each.name);
    if (const std::string mistake = formula_mistake(metric.name, all); !mistake.empty())
      throw UsageError(format(
          "objective {}: {}; {}", to_string(Objective(one)), mistake,
          all.empty() ? format("{} has no metrics; a definition has them in \"metrics\"", problem.info().name)
                      : format("the metrics of {} are '{}'", problem.info().name, joined(all, {}, "', '"))));
    metric.needs_energy = names_energy(metric.name);
    metric.needs_counters = names_counters(metric.name, problem);
    metric.value = [&problem, instance, name = metric.name](const MeasuredFigures& figures) {
      const auto facts = all_facts(problem, instance, figures);
      return facts ? formula_value(name, *facts) : std::nullopt;
    };
    return metric;
  });
}

Objective recorded_objective(const Objective& named) {
  return named.with([](const MetricObjective& one) {
    MetricObjective metric = one;
    metric.value = [name = one.name](const MeasuredFigures& figures) {
      const std::optional<double> value = recorded_value(name, figures);
      return value ? value : formula_value(name, facts_of(figures));
    };
    return metric;
  });
}

std::optional<double> objective_value(const MeasuredFigures& figures, const Objective& objective) {
  if (const MetricObjective* metric = objective.of_metric()) {
    if (!metric->value) throw std::logic_error("the objective is not of a problem");
    const std::optional<double> value = metric->value(figures);
    if (!value || !(*value > 0) || !std::isfinite(*value)) return std::nullopt;
    return metric->maximised ? 1 / *value : *value;
  }
  if (objective.of_front() != nullptr) {
    const auto both = front_values(figures, objective);
    return both ? std::optional(both->front() * both->back()) : std::nullopt;
  }
  if (objective.kind() == Objective::time) return figures.seconds;
  if (!(figures.joules > 0)) return std::nullopt;
  return objective.kind() == Objective::energy ? figures.joules : figures.joules * figures.seconds;
}

std::optional<FrontValues> front_values(const MeasuredFigures& figures, const Objective& objective) {
  const auto* const both = objective.of_front();
  if (both == nullptr) return std::nullopt;
  const auto first = objective_value(figures, both->front()), second = objective_value(figures, both->back());
  return first && second ? std::optional(FrontValues{*first, *second}) : std::nullopt;
}

bool dominates(const FrontValues& one, const FrontValues& other, double share) {
  return one[0] <= other[0] && one[1] <= other[1] &&
         (one[0] * (1 + share) < other[0] || one[1] * (1 + share) < other[1]);
}

std::vector<std::size_t> front_of(const std::vector<FrontValues>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(values[i][0], values[i][1], i); });
  std::vector<std::size_t> front;
  for (const std::size_t i : order)
    if (front.empty() || values[i][1] < values[front.back()][1]) front.push_back(i);
  return front;
}

std::string values_text(const FrontValues& values, const Objective& objective) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Objective& part = (*objective.of_front())[i];
    texts.push_back(format("{} {}", name_of(part), part.value_text(values[i])));
  }
  return joined(texts);
}

}  // namespace tune
