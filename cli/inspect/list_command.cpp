// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <limits>

#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/input/stored_databases.hpp"
#include "cli/output/json_text.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/queries.hpp"
#include "kernels/registry.hpp"
#include "reports/data/grid.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

po::options_description list_options() {
  po::options_description all;
  all.add_options()("what", po::value<std::string>()->default_value("problems")->value_name("WHAT"),
                    "problems, devices, runs or results");
  add_stored_options(all, true);
  all.add_options()  //
      ("run", po::value<std::string>()->value_name("N"),
       "of runs and results: only this run, and what it saw")                              //
      ("failures", po::bool_switch(), "of results: failures too, after the measurements")  //
      ("limit", po::value<std::string>()->default_value("20")->value_name("N"),
       "of runs and results: at most so many, the newest or the fastest");
  add_database_option(all);
  add_format_option(all);
  return all;
}

/// The database, if there is one: before the first run there is none, and nothing is wrong with that.
std::optional<db::Database> open_if_there(const po::variables_map& values) {
  const std::filesystem::path path = database_path(option_text(values, "db"));
  if (!values.count("db") && !std::filesystem::exists(path)) return std::nullopt;
  return db::Database(path, db::OpenMode::read_only);
}

bool is_built_in(const std::string& problem) {
  return std::ranges::count(kernels::problems(), problem, &kernels::ProblemEntry::name) > 0;
}

/// An option that says nothing about what is listed must not look as if it did.
void refuse_useless_options(const po::variables_map& values, const std::string& what) {
  const auto refuse = [&](const char* option, const std::string& where) {
    if (values.count(option) > 0 && !values[option].defaulted() && where.find(what) == std::string::npos)
      throw UsageError(format("--{} says nothing about {}: it is for 'tune list {}'", option, what, where));
  };
  refuse("device", "devices, runs or results");
  refuse("size", "devices, runs or results");
  refuse("run", "runs or results");
  refuse("limit", "runs or results");
  if (values["failures"].as<bool>()) refuse("failures", "results");
}

/// The known problems, with what the database has of each; of `only` alone where it is named.
void list_problems(const std::optional<db::Database>& database, const std::optional<std::string>& only,
                   Format form) {
  if (only) has_results_of(*only, database ? &*database : nullptr);
  const std::vector<db::ProblemSummary> stored =
      database ? db::list_problems(*database) : std::vector<db::ProblemSummary>{};
  reports::Grid table({"problem", "sizes", "evaluations", "what is computed"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (only && entry.name != *only) continue;
    const auto problem = entry.make();
    const ProblemInfo& info = problem->info();
    db::ProblemSummary summary;
    for (const db::ProblemSummary& known : stored)
      if (known.problem == info.name) summary = known;
    table.add(
        {info.name, std::to_string(summary.instances), std::to_string(summary.evaluations), info.summary});
    nlohmann::ordered_json object = {{"name", info.name}, {"summary", info.summary}};
    for (const ExtentInfo& extent : info.extents)
      object["extents"].push_back({{"name", extent.name},
                                   {"documentation", extent.documentation},
                                   {"default", extent.default_value}});
    for (const SettingInfo& setting : info.settings) {
      nlohmann::ordered_json shown = {{"name", setting.name}, {"documentation", setting.documentation}};
      for (const Value& value : setting.values) shown["values"].push_back(json_value(value));
      if (setting.range) shown["range"] = {setting.range->first, setting.range->second};
      shown["default"] = json_value(setting.default_value);
      object["settings"].push_back(std::move(shown));
    }
    object["stored_sizes"] = summary.instances;
    object["stored_evaluations"] = summary.evaluations;
    all.push_back(std::move(object));
  }
  for (const db::ProblemSummary& known : stored) {  // imported, or of a definition
    if ((only && known.problem != *only) || is_built_in(known.problem)) continue;
    constexpr const char* summary = "not of this program: known by its results";
    table.add({known.problem, std::to_string(known.instances), std::to_string(known.evaluations), summary});
    all.push_back({{"name", known.problem},
                   {"summary", summary},
                   {"stored_sizes", known.instances},
                   {"stored_evaluations", known.evaluations}});
  }
  std::cout << (form == Format::json ? json_text(all) : table.text(""));
}

/// Each device with those of its runs that fit.
std::vector<db::DeviceSummary> chosen_devices(const db::Database& database, const StoredChoice& choice) {
  std::vector<db::DeviceSummary> devices = db::list_devices(database);
  for (db::DeviceSummary& device : devices) device.runs = device.evaluations = 0, device.drivers.clear();
  for (const db::RunSummary& run :
       db::list_runs(database, {.problem = choice.problem, .device = choice.device})) {
    const auto device = std::ranges::find(devices, run.workload.model_key, &db::DeviceSummary::model_key);
    if (device == devices.end() || (choice.size && run.workload.size != *choice.size)) continue;
    if (++device->runs == 1) device->last_run = run.started;  // the newest comes first
    device->evaluations += run.evaluations - run.reused;
    if (std::ranges::find(device->drivers, run.workload.driver) == device->drivers.end())
      device->drivers.push_back(run.workload.driver);
  }
  for (db::DeviceSummary& device : devices) std::ranges::sort(device.drivers);
  std::erase_if(devices, [](const db::DeviceSummary& device) { return device.runs == 0; });
  return devices;
}

void list_devices(const db::Database& database, const StoredChoice& choice, Format form) {
  reports::Grid table({"device", "architecture", "drivers", "runs", "evaluations", "last run"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const bool every = !choice.problem && !choice.size && !choice.device;
  for (const db::DeviceSummary& device :
       every ? db::list_devices(database) : chosen_devices(database, choice)) {
    std::string drivers;
    for (const std::string& driver : device.drivers) drivers += (drivers.empty() ? "" : ", ") + driver;
    const bool known = device.properties.compute_major > 0;  // not of every imported result
    table.add({device.name, known ? device.architecture : "unknown", drivers, std::to_string(device.runs),
               std::to_string(device.evaluations), time_of_day(device.last_run)});
    all.push_back({{"name", device.name},
                   {"model_key", device.model_key},
                   {"architecture", known ? nlohmann::ordered_json(device.architecture) : nullptr},
                   {"drivers", device.drivers},
                   {"runs", device.runs},
                   {"evaluations", device.evaluations},
                   {"last_run", device.last_run}});
  }
  std::cout << (form == Format::json ? json_text(all) : table.text(""));
}

void list_runs(const db::Database& database, const StoredChoice& choice, std::optional<RunId> only,
               std::uint64_t limit, Format form) {
  const db::RunFilter filter{.problem = choice.problem, .device = choice.device};
  reports::Grid table(
      {"run", "started", "problem", "size", "settings", "device", "strategy", "evaluations", "best", "end"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::uint64_t shown = 0;
  for (const db::RunSummary& run : db::list_runs(database, filter)) {
    if ((choice.size && run.workload.size != *choice.size) || (only && run.run != *only)) continue;
    if (++shown > limit) break;
    const std::string device = run.workload.device + origin_mark(run.workload.origin);
    table.add({std::to_string(run.run), time_of_day(run.started), run.workload.problem, run.workload.size,
               run.workload.settings, device, run.strategy, std::to_string(run.evaluations),
               run.best ? si(*run.best, "s") : "-",
               run.end_reason.empty() ? "killed or running" : run.end_reason});
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
  std::cout << (form == Format::json ? json_text(all) : table.text(""));
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

void list_results(const db::Database& database, const db::ResultFilter& filter, Format form) {
  reports::Grid table({"time", "of limit", "problem", "size", "settings", "device", "configuration"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const db::ResultRow& row : db::list_results(database, filter)) {
    const std::string time =
        row.time ? si(*row.time, "s") : format("{}: {}", to_string(row.failure->phase), row.failure->reason);
    const std::string share =
        row.time && row.amount.limit > 0 ? percent_text(row.amount.limit / *row.time) : "-";
    const std::string device = row.workload.device + origin_mark(row.workload.origin);
    table.add({time, share, row.workload.problem, row.workload.size, row.workload.settings, device,
               row.configuration.key()});
    all.push_back(result_json(row));
  }
  std::cout << (form == Format::json ? json_text(all) : table.text(""));
}

int run_list(const po::variables_map& values) {
  const std::string what = chosen_name(values, "what", {"problems", "devices", "runs", "results"});
  const Format form = chosen_format(values);
  refuse_useless_options(values, what);
  constexpr std::uint64_t max = std::numeric_limits<std::int64_t>::max();  // that the database can count
  const std::uint64_t limit = std::min(max, option_count(values, "limit", 0, 1));
  option_count(values, "run", 0, 1);  // no number is no number, whatever is stored
  const auto database = open_if_there(values);
  if (what == "problems") {
    const std::string only = option_text(values, "problem");
    list_problems(database, only.empty() ? std::nullopt : std::optional(only), form);
    return 0;
  }
  const StoredChoice choice = stored_choice(values, database ? &*database : nullptr);
  if (!database) {
    if (form == Format::json)
      std::cout << "[]\n";
    else
      std::cout << "nothing is stored yet: 'tune --problem P --device D' makes the first results\n";
    return 0;
  }
  std::optional<RunId> only;
  if (values.count("run")) only = run_choice(values, "run", *database);
  if (what == "devices") list_devices(*database, choice, form);
  if (what == "runs") list_runs(*database, choice, only, limit, form);
  if (what == "results") {
    db::ResultFilter filter{.problem = choice.problem, .size = choice.size, .device = choice.device};
    filter.run = only;
    filter.failures = values["failures"].as<bool>();
    filter.limit = limit;
    list_results(*database, filter, form);
  }
  return 0;
}

}  // namespace

const Command& list_command() {
  static const Command command = {"list",
                                  "lists problems, devices, runs or results",
                                  "tune list [problems|devices|runs|results] [options]",
                                  "  tune list runs --problem stencil3d\n"
                                  "  tune list results --problem stencil3d --size 512x512x512 --limit 5\n",
                                  "what",
                                  list_options,
                                  run_list};
  return command;
}

}  // namespace tune::cli
