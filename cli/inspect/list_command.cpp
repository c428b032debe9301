// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <limits>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/terminal.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/queries.hpp"
#include "kernels/registry.hpp"
#include "library/run/paths.hpp"
#include "reports/data/wording.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

enum class Listed { problems, devices, runs, results };

struct ListRequest {
  Listed what = Listed::problems;
  StoredChoice stored;
  std::optional<std::uint64_t> run;
  bool failures = false;
  std::uint64_t limit = 0;
  bool names_limit = false;
  std::vector<std::string> columns;
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table);
};

void ListRequest::add_to(OptionTable& table) {
  table
      .choice<Listed>("what", "WHAT", "problems, devices, runs or results",
                      {{"problems", Listed::problems},
                       {"devices", Listed::devices},
                       {"runs", Listed::runs},
                       {"results", Listed::results}},
                      what)
      .by_default("problems");
  stored.add_to(table);
  table.count("run", "N", "for runs and results: only this run or its results", run, 1);
  table.flag("failures", "for results: also list failures, after the measurements", failures);
  table.count("top", "N", "for runs and results: list at most N, the newest or the fastest", limit, 1)
      .by_default("20")
      .tells(names_limit)
      .also("limit");
  add_columns_option(table, {"time", "of_limit", "problem", "size", "settings", "device", "configuration"},
                     columns);
  add_database_option(table, database);
  add_format_option(table, format);
}

/// The database, if there is one: before the first run there is none, which is not an error.
std::optional<db::Database> open_if_there(const std::string& given) {
  const std::filesystem::path path = run::database_path(given);
  if (given.empty() && !std::filesystem::exists(path)) return std::nullopt;
  return db::Database(path, db::OpenMode::read_only);
}

/// Throws UsageError for an option that does not apply to what is listed.
void refuse_useless_options(const ListRequest& request) {
  const auto refuse = [](const char* option, const char* what, const char* where) {
    throw UsageError(format("--{} does not apply to {}: use it with 'tune list {}'", option, what, where));
  };
  if (!request.columns.empty() && request.format == Format::json)
    throw UsageError(
        "--columns: for text only, other formats have all columns: leave out --columns or --format");
  if (!request.columns.empty() && request.what != Listed::results)
    throw UsageError("--columns applies to results: use it with 'tune list results'");
  if (request.what == Listed::problems) {
    if (request.stored.device) refuse("device", "problems", "devices, runs or results");
    if (request.stored.size) refuse("size", "problems", "devices, runs or results");
  }
  if (request.what == Listed::problems || request.what == Listed::devices) {
    const char* const what = request.what == Listed::problems ? "problems" : "devices";
    if (request.run) refuse("run", what, "runs or results");
    if (request.names_limit) refuse("top", what, "runs or results");
    if (request.failures) refuse("failures", what, "results");
  }
  if (request.what == Listed::runs && request.failures) refuse("failures", "runs", "results");
}

/// The command that asks for a recorded size, `64x64x64 radius=1,type=float with warm caches`.
std::string asking_for(const std::string& problem, const std::string& recorded) {
  return format("  tune best {} {}{}\n", problem, options_of_recorded(recorded),
                recorded.find(" (imported)") != std::string::npos ? " --imported" : "");
}

/// The problems of the program and the database, with the number of stored results of each, those that only
/// repeat a recording apart; only `only` where it is named.
void list_problems(const std::optional<db::Database>& database, const std::optional<std::string>& only,
                   Format form) {
  if (only) has_results_of(*only, database ? &*database : nullptr);
  const std::vector<db::ProblemSummary> stored =
      database ? db::list_problems(*database) : std::vector<db::ProblemSummary>{};
  reports::Grid table({"problem", "sizes", "evaluations", "replayed", "recorded", "computation"});
  std::string recorded_text;
  const auto evaluations = [](const db::ProblemSummary& one) {
    return std::to_string(one.evaluations - one.replayed);
  };
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (only && entry.name != *only) continue;
    const auto problem = entry.make();
    const ProblemInfo& info = problem->info();
    const std::vector<std::string> recorded = recorded_sizes(make_instance(info, "", {}));
    db::ProblemSummary summary;
    for (const db::ProblemSummary& known : stored)
      if (known.problem == info.name) summary = known;
    table.add({info.name, std::to_string(summary.instances), evaluations(summary),
               std::to_string(summary.replayed), std::to_string(recorded.size()), info.summary});
    if (only && !recorded.empty())
      recorded_text =
          format("\nrecorded sizes, which ship with the program:\n{}",
                 joined(
                     recorded, [&](const std::string& one) { return asking_for(info.name, one); }, ""));
    nlohmann::ordered_json object = {{"name", info.name}, {"summary", info.summary}};
    for (const ExtentInfo& extent : info.extents)
      object["extents"].push_back({{"name", extent.name},
                                   {"documentation", extent.documentation},
                                   {"default", extent.default_value}});
    for (const SettingInfo& setting : info.settings) {
      nlohmann::ordered_json shown = {{"name", setting.name}, {"documentation", setting.documentation}};
      for (const Value& value : setting.values) shown["values"].push_back(json_value(value));
      if (setting.range) shown["range"] = {setting.range->first, setting.range->second};
      if (setting.real) shown["real"] = true;
      shown["default"] = json_value(setting.default_value);
      object["settings"].push_back(std::move(shown));
    }
    object["stored_sizes"] = summary.instances;
    object["stored_evaluations"] = summary.evaluations;
    object["replayed_evaluations"] = summary.replayed;
    object["recorded"] = recorded;
    all.push_back(std::move(object));
  }
  for (const db::ProblemSummary& known : stored) {  // imported, or from a definition
    if ((only && known.problem != *only) || kernels::find_problem(known.problem) != nullptr) continue;
    constexpr const char* summary = "not built in: only its results are stored";
    table.add({known.problem, std::to_string(known.instances), evaluations(known),
               std::to_string(known.replayed), "0", summary});
    all.push_back({{"name", known.problem},
                   {"summary", summary},
                   {"stored_sizes", known.instances},
                   {"stored_evaluations", known.evaluations},
                   {"replayed_evaluations", known.replayed}});
  }
  if (form == Format::text && !only)
    recorded_text =
        "'tune list problems P' lists the recorded sizes of a problem, which ship with the program\n";
  const TextStyle style = output_style();
  if (style.width > 0 && !recorded_text.empty()) recorded_text = wrapped(recorded_text, 0) + "\n";
  std::cout << (form == Format::json ? json_text(all) : table.text("", style) + recorded_text);
}

/// Each device with those of its runs that match.
std::vector<db::DeviceSummary> chosen_devices(const db::Database& database, const StoredChoice& choice) {
  std::vector<db::DeviceSummary> devices = db::list_devices(database);
  for (db::DeviceSummary& device : devices)
    device.runs = device.evaluations = device.replayed = 0, device.drivers.clear();
  for (const db::RunSummary& run :
       db::list_runs(database, {.problem = choice.problem, .device = choice.device})) {
    const auto device = std::ranges::find(devices, run.workload.model_key, &db::DeviceSummary::model_key);
    if (device == devices.end() || (choice.size && run.workload.size != *choice.size)) continue;
    if (++device->runs == 1) device->last_run = run.started;  // the newest comes first
    device->evaluations += run.evaluations - run.reused;
    if (run.workload.origin == Origin::replayed) device->replayed += run.evaluations - run.reused;
    if (std::ranges::find(device->drivers, run.workload.driver) == device->drivers.end())
      device->drivers.push_back(run.workload.driver);
  }
  for (db::DeviceSummary& device : devices) std::ranges::sort(device.drivers);
  std::erase_if(devices, [](const db::DeviceSummary& device) { return device.runs == 0; });
  return devices;
}

void list_devices(const db::Database& database, const StoredChoice& choice, Format form) {
  reports::Grid table({"device", "architecture", "drivers", "runs", "evaluations", "replayed", "last run"});
  table.leave_out({"drivers", "replayed", "architecture", "last run"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const bool every = !choice.problem && !choice.size && !choice.device;
  for (const db::DeviceSummary& device :
       every ? db::list_devices(database) : chosen_devices(database, choice)) {
    const bool known = device.properties.global_memory > 0;  // not of every imported result
    table.add({device.name, known ? device.architecture : "unknown", joined(device.drivers),
               std::to_string(device.runs), std::to_string(device.evaluations - device.replayed),
               std::to_string(device.replayed), time_of_day(device.last_run)});
    all.push_back({{"name", device.name},
                   {"model_key", device.model_key},
                   {"architecture", known ? nlohmann::ordered_json(device.architecture) : nullptr},
                   {"drivers", device.drivers},
                   {"runs", device.runs},
                   {"evaluations", device.evaluations},
                   {"replayed_evaluations", device.replayed},
                   {"last_run", device.last_run}});
  }
  std::cout << (form == Format::json ? json_text(all) : table.text("", output_style()));
}

void list_runs(const db::Database& database, const StoredChoice& choice, std::optional<RunId> only,
               std::uint64_t limit, Format form) {
  const db::RunFilter filter{.problem = choice.problem, .device = choice.device};
  reports::Grid table(
      {"run", "started", "problem", "size", "settings", "device", "strategy", "evaluations", "best", "end"});
  table.leave_out({"end", "strategy", "started", "evaluations", "device"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::uint64_t shown = 0;
  for (const db::RunSummary& run : db::list_runs(database, filter)) {
    if ((choice.size && run.workload.size != *choice.size) || (only && run.run != *only)) continue;
    if (++shown > limit) break;
    const std::string device = run.workload.device + origin_mark(run.workload.origin);
    table.add({std::to_string(run.run), time_of_day(run.started), run.workload.problem, run.workload.size,
               run.workload.settings, device, run.strategy, std::to_string(run.evaluations),
               run.best ? si(*run.best, "s") : "-", run.end_reason.empty() ? "unfinished" : run.end_reason});
    nlohmann::ordered_json object = {{"run", run.run},
                                     {"started", run.started},
                                     {"ended", run.ended},
                                     {"end", run.end_reason},
                                     {"problem", run.workload.problem},
                                     {"size", run.workload.size},
                                     {"settings", run.workload.settings},
                                     {"device", run.workload.device},
                                     {"origin", to_string(run.workload.origin)},
                                     {"strategy", run.strategy},
                                     {"evaluations", run.evaluations},
                                     {"reused", run.reused},
                                     {"failures", run.failures},
                                     {"best_seconds", nullptr}};
    if (run.best) object["best_seconds"] = *run.best;
    all.push_back(std::move(object));
  }
  std::cout << (form == Format::json ? json_text(all) : table.text("", output_style()));
}

nlohmann::ordered_json result_json(const db::ResultRow& row) {
  nlohmann::ordered_json object = {{"evaluation", row.evaluation},
                                   {"run", row.run},
                                   {"problem", row.workload.problem},
                                   {"size", row.workload.size},
                                   {"settings", row.workload.settings},
                                   {"device", row.workload.device},
                                   {"origin", to_string(row.workload.origin)},
                                   {"configuration", json_object(row.configuration.entries())},
                                   {"seconds", nullptr}};
  if (row.time) {
    object["seconds"] = *row.time;
    object["share_of_limit"] = row.amount.limit / *row.time;
    object["error"] = row.error;
  }
  if (row.failure)
    object["failure"] = {{"phase", to_string(row.failure->phase)},
                         {"reason", row.failure->reason},
                         {"detail", row.failure->detail}};
  return object;
}

void list_results(const db::Database& database, const db::ResultFilter& filter,
                  const std::vector<std::string>& columns, Format form) {
  reports::Grid table({"time", "of limit", "problem", "size", "settings", "device", "configuration"});
  table.leave_out({"device"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const db::ResultRow& row : db::list_results(database, filter)) {
    const std::string time =
        row.time ? si(*row.time, "s") : format("{}: {}", to_string(row.failure->phase), row.failure->reason);
    const std::string share =
        row.time && row.amount.limit > 0 ? percent_text(row.amount.limit / *row.time) : "-";
    const std::string device = row.workload.device + origin_mark(row.workload.origin);
    table.add({time, share, row.workload.problem, row.workload.size, row.workload.settings, device,
               row.configuration.key()},
              row.configuration);
    all.push_back(result_json(row));
  }
  table.show_only(columns);
  std::cout << (form == Format::json ? json_text(all) : table.text("", output_style()));
}

int run_list(const ListRequest& request) {
  refuse_useless_options(request);
  constexpr std::uint64_t max = std::numeric_limits<std::int64_t>::max();  // that the database can count
  const std::uint64_t limit = std::min(max, request.limit);
  const auto database = open_if_there(request.database);
  std::optional<LeftOutRows> left_out;
  if (database) left_out.emplace(*database);
  if (request.what == Listed::problems) {
    list_problems(database, request.stored.problem, request.format);
    return 0;
  }
  const StoredChoice stored = settled(request.stored, database ? &*database : nullptr);
  if (!database) {
    if (request.format == Format::json)
      std::cout << "[]\n";
    else
      std::cout << "nothing is stored yet: 'tune --problem P --device D' makes the first results\n";
    return 0;
  }
  const std::optional<RunId> only = find_run(request.run, *database);
  if (request.what == Listed::devices) {
    list_devices(*database, stored, request.format);
  } else if (request.what == Listed::runs) {
    list_runs(*database, stored, only, limit, request.format);
  } else {
    db::ResultFilter filter{.problem = stored.problem, .size = stored.size, .device = stored.device};
    filter.run = only;
    filter.failures = request.failures;
    filter.limit = limit;
    list_results(*database, filter, request.columns, request.format);
  }
  return 0;
}

}  // namespace

Command list_command() {
  return {"list",
          "lists problems, devices, runs or results",
          "tune list [problems|devices|runs|results] [P] [options]",
          "  tune list runs stencil3d\n"
          "  tune list results --problem stencil3d --size 512x512x512 --top 5\n",
          "what problem",
          bind_request<ListRequest, run_list>,
          2};
}

}  // namespace tune::cli
