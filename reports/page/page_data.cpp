// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_data.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/data/wording.hpp"
#include "reports/page/effects.hpp"
#include "reports/page/sampling.hpp"
#include "reports/page/why.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

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

void add_workload(Json& object, const Section& section) {
  const db::Workload& workload = section.workload;
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
                        {"flops", known(top.flops)},
                        {"double", in_double_precision(workload)}};
  const db::WorkloadCost& amount = section.amount;
  object["work"] = {{"items", number(amount.items)},
                    {"item", amount.item},
                    {"flops", number(amount.flops)},
                    {"bytes", number(amount.bytes)}};
  object["limit"] = known(amount.limit);
}

Json parameter_json(const MeasuredParameter& parameter, const ParameterEffect& effect,
                    const Section& section) {
  Json values = Json::array(), counts = Json::array(), best = Json::array(), medians = Json::array();
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    values.push_back(json_value(parameter.values[i]));
    counts.push_back(effect.values[i].count);
    best.push_back(number(*section.evaluations[effect.values[i].best].time));
    medians.push_back(number(effect.values[i].median));
  }
  return {{"name", parameter.name}, {"numeric", parameter.numeric},
          {"values", values},       {"importance", or_null(effect.importance)},
          {"count", effect.count},  {"counts", counts},
          {"best", best},           {"medians", medians}};
}

/// A column with a figure of the resources of each row's kernel.
template<class Figure>
Json resource_column(const Section& section, const ShownRows& shown, const Figure& figure) {
  Json column = Json::array();
  for (const std::size_t row : shown.rows) {
    const auto& resources = section.evaluations[row].resources;
    column.push_back(resources ? Json(figure(*resources)) : Json(nullptr));
  }
  return column;
}

Json rows_json(const Section& section, const ValueTable& table, const ShownRows& shown) {
  Json times = Json::array(), errors = Json::array(), tied = Json::array(), levels = Json::array();
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    const db::ResultRow& row = section.evaluations[shown.rows[i]];
    times.push_back(number(*row.time));
    errors.push_back(number(row.error));
    if (ties(section, row)) tied.push_back(i);
  }
  for (const std::vector<int>& column : table.levels) {
    Json shown_levels = Json::array();
    for (const std::size_t row : shown.rows) shown_levels.push_back(column[row]);
    levels.push_back(std::move(shown_levels));
  }
  Json rows = {{"time", times}, {"error", errors}, {"tied", tied}, {"levels", levels}};
  if (shown.rows.size() < table.rows) {
    rows["even"] = Json::array();
    for (const bool even : shown.even) rows["even"].push_back(even ? 1 : 0);
  }
  rows["registers"] = resource_column(section, shown, [](const KernelResources& r) { return r.registers; });
  rows["spills"] =
      resource_column(section, shown, [](const KernelResources& r) { return r.spill_store_bytes; });
  rows["shared"] = resource_column(section, shown, [](const KernelResources& r) {
    return r.static_shared_memory + r.dynamic_shared_memory;
  });
  rows["occupancy"] =
      resource_column(section, shown, [](const KernelResources& r) { return rounded(r.occupancy); });
  return rows;
}

/// Seconds by phase, summed over evaluations, including failures; an entry for each value of the grouping
/// parameter.
Json cost_json(const Section& section, const std::optional<std::string>& group) {
  struct Sum {
    std::size_t count = 0;
    PhaseTimes phases;
  };
  std::map<std::string, Sum> sums;
  for (const db::ResultRow& row : section.evaluations) {
    const search::Value* value = group ? row.configuration.find(*group) : nullptr;
    Sum& sum = sums[value != nullptr ? value->to_string() : "all"];
    ++sum.count;
    sum.phases.compile += row.phases.compile;
    sum.phases.reference += row.phases.reference;
    sum.phases.load += row.phases.load;
    sum.phases.verify += row.phases.verify;
    sum.phases.measure += row.phases.measure;
  }
  Json list = Json::array();
  for (const auto& [name, sum] : sums)
    list.push_back({{"name", name},
                    {"count", sum.count},
                    {"compile", number(sum.phases.compile)},
                    {"reference", number(sum.phases.reference)},
                    {"load", number(sum.phases.load)},
                    {"verify", number(sum.phases.verify)},
                    {"measure", number(sum.phases.measure)}});
  return list;
}

Json run_json(const RunReport& run) {
  Json sequence = Json::array(), seconds = Json::array(), best = Json::array();
  for (const Improvement& point : run.improvements) {
    sequence.push_back(point.sequence + 1);
    seconds.push_back(number(point.elapsed));
    best.push_back(number(*point.best));
  }
  const db::RunSummary& summary = run.summary;
  return {{"run", summary.run},
          {"strategy", summary.strategy},
          {"seed", std::to_string(run.seed)},
          {"started", summary.started},
          {"end", summary.end_reason.empty() ? Json(nullptr) : Json(summary.end_reason)},
          {"seconds", number(run.seconds)},
          {"evaluations", summary.evaluations},
          {"reused", summary.reused},
          {"failures", summary.failures},
          {"progress", {{"evaluation", sequence}, {"seconds", seconds}, {"best", best}}}};
}

void add_measurements(Json& object, const Section& section, std::size_t max_rows) {
  const ValueTable table = value_table(section);
  const std::vector<ParameterEffect> effects = parameter_effects(section, table);
  const ShownRows shown = shown_rows(section, table, max_rows);
  const auto group = grouping(table);
  const auto pair = strongest_pair(section, table);
  object["shown"] = shown.rows.size();
  object["group"] = group ? Json(*group) : Json(nullptr);
  object["pair"] = pair ? Json::array({pair->first, pair->second}) : Json(nullptr);
  object["parameters"] = Json::array();
  for (std::size_t i = 0; i < table.parameters.size(); ++i)
    object["parameters"].push_back(parameter_json(table.parameters[i], effects[i], section));
  object["rows"] = rows_json(section, table, shown);
  object["cost"] = cost_json(section, group ? std::optional(table.parameters[*group].name) : std::nullopt);
}

Json section_json(const Section& section, std::size_t max_rows) {
  Json object;
  add_workload(object, section);
  object["space"] = section.space_size;
  object["evaluated"] = evaluated(section);
  object["measured"] = section.measured;
  object["median"] = or_null(section.median_time);
  object["default"] = or_null(section.default_time);
  add_measurements(object, section, max_rows);
  object["failures"] = Json::array();
  for (const db::FailureCount& failure : section.failures)
    object["failures"].push_back(
        {{"phase", to_string(failure.phase)}, {"reason", failure.reason}, {"count", failure.count}});
  object["runs"] = Json::array();
  for (const RunReport& run : section.runs) object["runs"].push_back(run_json(run));
  return object;
}

}  // namespace

std::string page_data(const ReportData& data, std::size_t max_rows) {
  std::vector<std::size_t> measured;
  for (const Section& section : data.sections) measured.push_back(section.measured);
  const std::vector<std::size_t> shares = fair_shares(measured, max_rows);
  Json object = {{"format", "tune page"}, {"format_version", format_version}, {"sections", Json::array()}};
  for (std::size_t i = 0; i < data.sections.size(); ++i)
    object["sections"].push_back(section_json(data.sections[i], shares[i]));
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tune::reports
