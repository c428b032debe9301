// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/data/wording.hpp"
#include "reports/page/crossover.hpp"
#include "reports/page/effects.hpp"
#include "reports/page/overview.hpp"
#include "reports/page/sampling.hpp"
#include "reports/page/summary.hpp"
#include "reports/page/value_table.hpp"
#include "reports/page/why.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Five significant digits, which the shortest text of a number then has too.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 4);
  double result = value;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

Json number(double value) {
  return rounded(value);
}
Json known(double value) {
  return value > 0 ? number(value) : Json(nullptr);
}
Json or_null(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

void add_workload(Json& object, const Section& section, const std::string& id) {
  const db::Workload& workload = section.workload;
  object["id"] = id;
  object["title"] = title(section);
  object["problem"] = workload.problem;
  object["size"] = workload.size;
  object["extents"] = Json::object();
  for (const auto& [name, extent] : workload.extents) object["extents"][name] = extent;
  object["settings"] = json_object(Configuration::parse(workload.settings).entries());
  object["device"] = {
      {"name", workload.device}, {"key", workload.model_key}, {"architecture", workload.architecture}};
  object["origin"] = to_string(workload.origin);
  object["cache"] = to_string(workload.cache);
  object["sources"] = workload.toolchain.source_hash;
  const Ceilings top = ceilings(section);
  object["ceilings"] = {{"bandwidth", known(top.bandwidth)},
                        {"measured", top.measured},
                        {"datasheet", known(top.datasheet)},
                        {"flops", known(top.flops)},
                        {"units", top.units},
                        {"double", in_double_precision(workload)}};
  const db::WorkloadCost& amount = section.amount;
  object["work"] = {{"items", number(amount.items)},
                    {"item", amount.item},
                    {"flops", number(amount.flops)},
                    {"bytes", number(amount.bytes)}};
  const Rate rate = main_rate(section);
  object["rate"] = {{"amount", number(rate.amount)}, {"unit", rate.unit}};
  object["versions"] = format("{} {}, sources {}", workload.driver, workload.toolchain.compiler,
                              workload.toolchain.source_hash.substr(0, 8));
  object["limit"] = known(amount.limit);
}

/// The values of a parameter that a page lists, and where each is in the list: -1 for those left out.
struct ListedValues {
  std::vector<std::size_t> values;
  std::vector<int> places;
};

/// All values; of many, those of the shown configurations.
ListedValues listed_values(const std::vector<int>& levels, std::size_t values, const ShownRows& shown,
                           std::size_t most) {
  std::vector<bool> listed(values, values <= most);
  if (values > most)
    for (const std::size_t row : shown.rows)
      if (levels[row] >= 0) listed[static_cast<std::size_t>(levels[row])] = true;
  ListedValues result{{}, std::vector<int>(values, -1)};
  for (std::size_t i = 0; i < values; ++i) {
    if (!listed[i]) continue;
    result.places[i] = static_cast<int>(result.values.size());
    result.values.push_back(i);
  }
  return result;
}

Json parameter_json(const MeasuredParameter& parameter, const ParameterEffect& effect,
                    const ListedValues& listed, const ValueTable& table) {
  Json values = Json::array(), counts = Json::array(), best = Json::array(), medians = Json::array();
  for (const std::size_t i : listed.values) {
    values.push_back(json_value(parameter.values[i]));
    counts.push_back(effect.values[i].count);
    best.push_back(number(table.values[effect.values[i].best]));
    medians.push_back(number(effect.values[i].median));
  }
  Json object = {{"name", parameter.name}, {"numeric", parameter.numeric},
                 {"values", values},       {"importance", or_null(effect.importance)},
                 {"count", effect.count},  {"counts", counts},
                 {"best", best},           {"medians", medians}};
  if (listed.values.size() < parameter.values.size()) object["all_values"] = parameter.values.size();
  return object;
}

/// A column with a figure of the resources of each row's kernel.
template<class Figure>
Json resource_column(const ValueTable& table, const ShownRows& shown, Figure figure) {
  Json column = Json::array();
  for (const std::size_t row : shown.rows) {
    const auto& resources = table.resources[row];
    column.push_back(resources ? Json(figure(*resources)) : Json(nullptr));
  }
  return column;
}

Json rows_json(const ValueTable& table, const ShownRows& shown, const std::vector<ListedValues>& listed,
               bool by_time) {
  Json values = Json::array(), errors = Json::array(), tied = Json::array(), levels = Json::array();
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    values.push_back(number(table.values[shown.rows[i]]));
    errors.push_back(number(table.errors[shown.rows[i]]));
    if (table.tied[shown.rows[i]]) tied.push_back(i);
  }
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    Json shown_levels = Json::array();
    for (const std::size_t row : shown.rows) {
      const int level = table.level(p, row);
      shown_levels.push_back(level < 0 ? -1 : listed[p].places[static_cast<std::size_t>(level)]);
    }
    levels.push_back(std::move(shown_levels));
  }
  Json rows = {{"value", values}, {"error", errors}, {"tied", tied}, {"levels", levels}};
  if (shown.rows.size() < table.rows) {
    rows["even"] = Json::array();
    for (const bool even : shown.even) rows["even"].push_back(even ? 1 : 0);
  }
  if (!by_time) {
    rows["seconds"] = Json::array();
    for (const std::size_t row : shown.rows) rows["seconds"].push_back(number(table.seconds[row]));
  }
  rows["registers"] = resource_column(table, shown, [](const auto& needs) { return needs.registers; });
  rows["spills"] = resource_column(table, shown, [](const auto& needs) { return needs.spilled_bytes; });
  rows["shared"] = resource_column(table, shown, [](const auto& needs) { return needs.shared_bytes; });
  for (std::size_t i = 0; i < 2 && !table.both.empty(); ++i)
    for (const std::size_t row : shown.rows)
      rows[i == 0 ? "first" : "second"].push_back(number(table.both[row][i]));
  for (const auto& [name, column] : table.metrics)
    for (const std::size_t row : shown.rows)
      rows["metric-" + name].push_back(std::isnan(column[row]) ? Json(nullptr) : number(column[row]));
  rows["occupancy"] =
      resource_column(table, shown, [](const auto& needs) { return rounded(needs.occupancy); });
  return rows;
}

/// Seconds by phase, summed over evaluations, including failures; an entry for each value of the grouping
/// parameter.
Json cost_json(const ValueTable& table) {
  Json list = Json::array();
  for (const auto& [name, sum] : table.costs)
    list.push_back({{"name", name},
                    {"count", sum.count},
                    {"compile", number(sum.phases.compile)},
                    {"reference", number(sum.phases.reference)},
                    {"load", number(sum.phases.load)},
                    {"verify", number(sum.phases.verify)},
                    {"measure", number(sum.phases.measure)}});
  return list;
}

/// The improvements that a page has of `count`: all, or as many at equal steps with the first and the last.
std::vector<std::size_t> listed_improvements(std::size_t count, std::size_t most) {
  std::vector<std::size_t> listed(std::min(count, std::max<std::size_t>(most, 2)));
  for (std::size_t i = 0; i < listed.size(); ++i)
    listed[i] = listed.size() == count ? i : i * (count - 1) / (listed.size() - 1);
  return listed;
}

Json run_json(const RunReport& run, const PageLimits& limits) {
  Json sequence = Json::array(), seconds = Json::array(), best = Json::array();
  for (const std::size_t i : listed_improvements(run.improvements.size(), limits.improvements)) {
    const Improvement& point = run.improvements[i];
    sequence.push_back(point.sequence + 1);
    seconds.push_back(number(point.elapsed));
    best.push_back(number(*point.best));
  }
  Json progress = {{"evaluation", sequence}, {"seconds", seconds}, {"best", best}};
  if (best.size() < run.improvements.size()) progress["all"] = run.improvements.size();
  const db::RunSummary& summary = run.summary;
  return {{"run", summary.run},
          {"strategy", summary.strategy},
          {"seed", std::to_string(run.seed)},
          {"budget_evaluations", run.budget_evaluations ? Json(*run.budget_evaluations) : Json(nullptr)},
          {"budget_seconds", or_null(run.budget_seconds)},
          {"started", summary.started},
          {"end", summary.end_reason.empty() ? Json(nullptr) : Json(summary.end_reason)},
          {"seconds", number(run.seconds)},
          {"evaluations", summary.evaluations},
          {"reused", summary.reused},
          {"failures", summary.failures},
          {"progress", progress}};
}

void add_measurements(Json& object, const ValueTable& table, const std::vector<ParameterEffect>& effects,
                      const PageLimits& limits, bool by_time) {
  const ShownRows shown = shown_rows(table, limits.rows);
  const auto pair = strongest_pair(table);
  std::vector<ListedValues> listed;
  for (std::size_t i = 0; i < table.parameters.size(); ++i)
    listed.push_back(listed_values(table.levels[i], table.parameters[i].values.size(), shown, limits.values));
  object["shown"] = shown.rows.size();
  object["group"] = table.group ? Json(*table.group) : Json(nullptr);
  object["pair"] = pair ? Json::array({pair->first, pair->second}) : Json(nullptr);
  object["parameters"] = Json::array();
  for (std::size_t i = 0; i < table.parameters.size(); ++i)
    object["parameters"].push_back(parameter_json(table.parameters[i], effects[i], listed[i], table));
  object["rows"] = rows_json(table, shown, listed, by_time);
  object["cost"] = cost_json(table);
}

/// What rows are ranked by: values are minimised, so that of a maximised metric they are its inverse.
Json objective_json(const Section& section) {
  const Objective& objective = section.objective;
  const MetricObjective* const metric = objective.of_metric();
  if (const auto* const both = objective.of_front()) {
    Json parts = Json::array();
    for (const Objective& part : *both)
      parts.push_back({{"name", name_of(part)},
                       {"unit", part.unit().empty() ? Json(nullptr) : Json(part.unit())},
                       {"maximised", part.of_metric() != nullptr && part.of_metric()->maximised}});
    return {{"name", "product"}, {"unit", nullptr}, {"maximised", false}, {"parts", parts}};
  }
  return {{"name", objective_name(section)},
          {"unit", objective.unit().empty() ? Json(nullptr) : Json(objective.unit())},
          {"maximised", metric != nullptr && metric->maximised}};
}

std::string text_of(const Json& object) {
  return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// The first row, which others are compared with: null where nothing was measured.
Json best_json(const ValueTable& table, const std::vector<VariantBest>& bests) {
  if (table.rows == 0) return nullptr;
  return {{"value", number(table.values[0])},
          {"seconds", number(table.seconds[0])},
          {"variant", bests.empty() || !table.group ? Json(nullptr) : Json(bests.front().variant)}};
}

std::string section_head(const Section& section, const std::string& id, const ValueTable& table,
                         const std::vector<VariantBest>& bests, const PageLimits& limits) {
  Json object;
  add_workload(object, section, id);
  object["objective"] = objective_json(section);
  object["space"] = section.space_size;
  object["evaluated"] = evaluated(section);
  object["measured"] = table.rows;
  object["median"] = or_null(section.median_value);
  object["default"] = or_null(section.default_value);
  object["best"] = best_json(table, bests);
  object["runs"] = Json::array();
  for (const RunReport& run : section.runs) object["runs"].push_back(run_json(run, limits));
  return text_of(object);
}

std::string section_body(const Section& section, const ValueTable& table,
                         const std::vector<ParameterEffect>& effects, const PageLimits& limits) {
  Json object;
  add_measurements(object, table, effects, limits, section.objective == Objective::time);
  object["failures"] = Json::array();
  for (const db::FailureCount& failure : section.failures)
    object["failures"].push_back(
        {{"phase", to_string(failure.phase)}, {"reason", failure.reason}, {"count", failure.count}});
  return text_of(object);
}

Json crossover_json(const Crossover& crossover) {
  Json lines = Json::array(), crossings = Json::array();
  for (const VariantLine& line : crossover.lines) {
    Json values = Json::array(), seconds = Json::array();
    for (const auto& best : line.best) {
      values.push_back(best ? number(best->value) : Json(nullptr));
      seconds.push_back(best ? number(best->seconds) : Json(nullptr));
    }
    lines.push_back({{"variant", line.variant}, {"value", values}, {"seconds", seconds}});
  }
  for (const Crossing& crossing : crossover.crossings)
    crossings.push_back({{"before", crossing.before},
                         {"after", crossing.after},
                         {"at", crossing.at},
                         {"share", number(crossing.share)}});
  return {{"along", crossover.along}, {"alike", crossover.alike}, {"sections", crossover.sections},
          {"x", crossover.x},         {"lines", lines},           {"crossings", crossings}};
}

}  // namespace

PageParts page_parts(const ReportData& data, const PageLimits& limits) {
  std::vector<std::size_t> measured;
  for (const Section& section : data.sections) measured.push_back(section.measured);
  const std::vector<std::string> ids = section_ids(data);
  const std::vector<std::size_t> shares = fair_shares(measured, limits.rows);
  PageParts parts{
      "Results in " + data.database, tiles_html(data), overview_html(data, ids), summary_html(data), "", {}};
  std::vector<std::vector<VariantBest>> bests;
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    const Section& section = data.sections[i];
    const ValueTable table = value_table(section);
    const std::vector<ParameterEffect> effects = parameter_effects(table);
    PageLimits own = limits;
    own.rows = shares[i];
    bests.push_back(variant_bests(table));
    parts.each.push_back({ids[i], section_html(section, ids[i], table, effects),
                          section_head(section, ids[i], table, bests.back(), own),
                          section_body(section, table, effects, own)});
  }
  Json list = Json::array();
  for (const Crossover& crossover : crossovers(data, bests)) list.push_back(crossover_json(crossover));
  parts.crossovers = text_of(list);
  return parts;
}

}  // namespace tune::reports
