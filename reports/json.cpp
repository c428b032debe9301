// SPDX-License-Identifier: Apache-2.0
#include "tuner/serialization/json.hpp"

#include <ostream>

#include "reports/data/wording.hpp"
#include "reports/json_text.hpp"
#include "reports/report.hpp"

namespace tune::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Raised when a member changes its meaning or goes; new members do not count.
constexpr int format_version = 1;

void add_resources(JsonText& json, const std::optional<KernelResources>& needs) {
  if (!needs) return json.add("resources", nullptr);
  json.begin("resources");
  json.add("registers", needs->registers);
  json.add("spill_store_bytes", needs->spill_store_bytes);
  json.add("spill_load_bytes", needs->spill_load_bytes);
  json.add("local_bytes", needs->local_bytes);
  json.add("static_shared_memory", needs->static_shared_memory);
  json.add("dynamic_shared_memory", needs->dynamic_shared_memory);
  json.add("threads", needs->threads);
  json.add("max_threads", needs->max_threads);
  json.add("blocks_per_multiprocessor", needs->blocks_per_multiprocessor);
  json.add("occupancy", needs->occupancy);
  json.add("limiter", needs->limiter);
  json.end();
}

/// Null where it cannot be read.
void add_known(JsonText& json, std::string_view name, double value) {
  value > 0 ? json.add(name, value) : json.add(name, nullptr);
}

void add_measuring(JsonText& json, const std::optional<Timing>& timing) {
  if (!timing) return json.add("measuring", nullptr);
  const MachineState& machine = timing->machine;
  json.begin("measuring");
  json.add("stop", to_string(timing->stop));
  json.add("executions", timing->executions);
  json.add("throttled_samples", timing->throttled);
  add_known(json, "joules", timing->energy);
  add_known(json, "core_clock", machine.core_clock);
  add_known(json, "memory_clock", machine.memory_clock);
  add_known(json, "temperature", machine.temperature);
  add_known(json, "power", machine.power);
  json.add("throttle", machine.throttle);
  if (!timing->metrics.empty()) {
    json.begin("metrics");
    for (const auto& [name, value] : timing->metrics) json.add(name, value);
    json.end();
  }
  json.end();
}

/// The value is left out where it is the time.
void add_outcome(JsonText& json, const db::ResultRow& row, const Objective& objective) {
  if (!row.time) {
    json.begin("failure");
    json.add("phase", to_string(row.failure->phase));
    json.add("reason", row.failure->reason);
    return json.end();
  }
  if (objective != Objective::time) {
    const double value = value_of(row);
    value > 0 ? json.add("value", objective.shown(value)) : json.add("value", nullptr);
  }
  json.add("seconds", *row.time);
  json.add("measured_seconds", *row.measured_time);
  json.add("min_seconds", row.minimum);
  json.add("samples", row.samples);
  json.add("error", row.error);
  json.add("tolerance", row.tolerance);
  if (row.rerank)
    json.add("finals", result_json(shown(row), {"run", "place", "tied", "rounds", "low_seconds",
                                                "high_seconds", "ratio", "low_ratio", "high_ratio"}));
  else
    json.add("finals", nullptr);
  add_measuring(json, row.timing);
}

/// An object within `depth` lists and objects.
std::string evaluation_text(const db::ResultRow& row, const Objective& objective, std::size_t depth) {
  JsonText json(depth);
  json.add("evaluation", row.evaluation);
  json.add("run", row.run);
  json.add("recorded", row.recorded);
  json.begin("configuration");
  for (const auto& [name, value] : row.configuration.entries()) json.add(name, value);
  json.end();
  add_outcome(json, row, objective);
  add_resources(json, row.resources);
  json.add("binary_hash", row.binary_hash);
  json.add("same_code", row.same_code);
  json.add("from_cache", row.from_cache);
  json.begin("phase_seconds");
  json.add("compile", row.phases.compile);
  json.add("reference", row.phases.reference);
  json.add("load", row.phases.load);
  json.add("verify", row.phases.verify);
  json.add("measure", row.phases.measure);
  json.end();
  return json.finish();
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json run_json(const RunReport& run, const Objective& objective) {
  const bool by_time = objective == Objective::time;
  const db::RunSummary& summary = run.summary;
  Json improvements = Json::array();
  for (const Improvement& point : run.improvements) {
    Json& one = improvements.emplace_back(
        Json{{"sequence", point.sequence}, {"evaluation", point.evaluation}, {"seconds", *point.time}});
    if (!by_time) one["value"] = objective.shown(*point.best);
    one["elapsed"] = point.elapsed;
  }
  Json object = {{"run", summary.run},
                 {"started", summary.started},
                 {"ended", text_or_null(summary.ended)},
                 {"end_reason", text_or_null(summary.end_reason)},
                 {"strategy", summary.strategy},
                 {"objective", to_string(summary.objective)},
                 {"seed", run.seed},
                 {"program_version", run.program_version},
                 {"host", run.host},
                 {"elapsed", run.seconds},
                 {"evaluations", summary.evaluations},
                 {"reused", summary.reused},
                 {"failures", summary.failures},
                 {"best_seconds", or_null(summary.best)},
                 {"tied", summary.tied},
                 {"improvements", improvements}};
  for (const db::BoardShare& board : run.boards)
    object["devices"].push_back(
        {{"uuid", board.uuid}, {"evaluations", board.evaluations}, {"ratio", or_null(board.ratio)}});
  if (!by_time) object["best_value"] = run.best ? Json(objective.shown(*run.best)) : Json(nullptr);
  return object;
}

Json found_json(const std::optional<Discovery>& found) {
  if (!found) return nullptr;
  return {{"run", found->run},
          {"strategy", found->strategy},
          {"sequence", found->sequence},
          {"elapsed", found->elapsed}};
}

Json best_json(const Section& section) {
  if (!section.winner) return nullptr;
  const double time = *section.winner->time;
  Json object = Json::parse(evaluation_text(*section.winner, section.objective, 0));
  object["sample_seconds"] = section.winner_samples;
  object["share_of_limit"] = or_null(share_of_limit(section.amount, time));
  object.update(
      result_json(winner_of(section), {"items_per_second", "flops_per_second", "bytes_per_second"}));
  object["gain_over_median"] = or_null(gain(section, section.median_value));
  object["gain_over_default"] = or_null(gain(section, section.default_value));
  object["found"] = found_json(section.found);
  return object;
}

void add_workload(Json& object, const db::Workload& workload) {
  object["problem"] = workload.problem;
  object["size"] = workload.size;
  object["settings"] = workload.settings;
  object["extents"] = Json::object();
  for (const auto& [name, extent] : workload.extents) object["extents"][name] = extent;
  object["device"] = {{"name", workload.device},
                      {"model_key", workload.model_key},
                      {"architecture", workload.architecture},
                      {"driver", workload.driver}};
  object["compiler"] = workload.toolchain.compiler;
  object["source_hash"] = workload.toolchain.source_hash;
  object["origin"] = to_string(workload.origin);
  object["cache"] = to_string(workload.cache);
}

/// Of the median and the default configuration, in seconds or as the objective's own figures.
void add_values(Json& object, const Section& section) {
  const Objective& objective = section.objective;
  const bool by_time = objective == Objective::time;
  object["objective"] = to_string(objective);
  for (const auto& [name, value] :
       {std::pair("median", section.median_value), std::pair("default", section.default_value)}) {
    object[std::string(name) + "_seconds"] = by_time && value ? Json(*value) : Json(nullptr);
    if (!by_time)
      object[std::string(name) + "_value"] = value ? Json(objective.shown(*value)) : Json(nullptr);
  }
}

Json section_json(const Section& section) {
  Json object;
  add_workload(object, section.workload);
  object["outdated"] = section.outdated;
  const db::WorkloadCost& amount = section.amount;
  object["work"] = {
      {"items", amount.items}, {"item", amount.item}, {"flops", amount.flops}, {"bytes", amount.bytes}};
  object["limit_seconds"] = amount.limit > 0 ? Json(amount.limit) : Json(nullptr);
  object["space_size"] = section.space_size;
  object["evaluated"] = evaluated(section);
  object["measured"] = section.measured;
  object["within_5_percent"] = section.close;
  add_values(object, section);
  if (section.objective.of_front() != nullptr) object["front"] = front_json(section.front, section.objective);
  object["low_fidelity"] = section.fidelity.pairs > 0 ? Json(section.low_fidelity) : Json(nullptr);
  object["fidelity_agreement"] = agreement_json(section.fidelity);
  object["best"] = best_json(section);
  object["failures"] = failures_json(section.failures);
  object["runs"] = Json::array();
  for (const RunReport& run : section.runs) object["runs"].push_back(run_json(run, section.objective));
  return object;
}

/// The text of a member or an element within `depth` lists and objects, without a line break at the end.
std::string nested(const Json& json, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  std::string text = indent;
  for (const char c : json.dump(2, ' ', false, Json::error_handler_t::replace))
    text += c == '\n' ? "\n" + indent : std::string(1, c);
  return text;
}

/// Opens the text of an object or a list: without its last bracket, which is on a line of its own.
std::string opened(std::string text) {
  text.erase(text.rfind('\n'));
  return text;
}

void write_section(const Section& section, std::ostream& out) {
  out << opened(nested(section_json(section), 2)) << ",\n      \"evaluations\": [";
  constexpr std::size_t part = 1 << 16;  // one by one, 3 s for a million
  bool first = true;
  std::string text;
  each_evaluation(section, [&](const db::ResultRow& row) {
    text += first ? "\n        " : ",\n        ";
    text += evaluation_text(row, section.objective, 4);
    first = false;
    if (text.size() < part) return;
    out << text;
    text.clear();
  });
  out << text << (first ? "]\n    }" : "\n      ]\n    }");
}

}  // namespace

void write_json(const ReportData& data, std::ostream& out) {
  const Json head = {
      {"format", "tune report"}, {"format_version", format_version}, {"database", data.database}};
  out << opened(nested(head, 0)) << ",\n  \"sections\": [";
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    out << (i == 0 ? "\n" : ",\n");
    write_section(data.sections[i], out);
  }
  out << "\n  ]\n}\n";
}

}  // namespace tune::reports
