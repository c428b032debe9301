// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <sstream>

#include "cli/input/command.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/run_details.hpp"
#include "library/run/paths.hpp"
#include "reports/data/result.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/measurement/timing.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ShowRequest {
  std::optional<std::uint64_t> run;
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    table.count("run", "RUN", "number of the run; default: the newest", run, 1);
    add_database_option(table, database);
    add_format_option(table, format);
  }
};

/// The first line; for a program also the end of its output, where the reason is.
std::string shown_detail(const std::string& detail, bool of_program) {
  constexpr std::size_t ending = 4;
  std::vector<std::string> lines;
  std::istringstream text(detail);
  for (std::string line; std::getline(text, line);) lines.push_back(std::move(line));
  if (lines.empty()) return {};
  const std::size_t last = of_program && lines.size() > 1 ? std::min(ending, lines.size() - 1) : 0;
  std::vector<std::string> shown = {lines.front()};
  if (lines.size() > last + 1 && last > 0) shown.emplace_back("...");
  shown.insert(shown.end(), lines.end() - static_cast<std::ptrdiff_t>(last), lines.end());
  return joined(shown, {}, "\n          ");
}

std::string budget_text(const RunOptions& options) {
  std::vector<std::string> limits;
  if (options.budget_evaluations) limits.push_back(counted(*options.budget_evaluations, "evaluation"));
  if (options.budget_seconds) limits.push_back(duration_text(*options.budget_seconds));
  if (options.until_gain)
    limits.push_back(format("until less than {} can be gained", percent_text(*options.until_gain)));
  return limits.empty() ? "the whole space" : joined(limits);
}

/// Another program's results may name their device alone.
std::string device_text(const DeviceProperties& device) {
  return device.global_memory > 0 ? device.model_key() : device.name + ", the rest is unknown";
}

/// Seed and budget of another program are unknown.
std::string strategy_text(const RunRecord& record) {
  if (record.key.origin == Origin::imported) return record.options.strategy;
  return format("{}, seed {}, budget {}", record.options.strategy, record.options.seed,
                budget_text(record.options));
}

std::string machine_text(const MachineState& machine) {
  const std::string state = to_text(machine);
  return machine.host + (state.empty() ? "" : ", " + state);
}

/// A line for each evaluation at which the best so far improved.
std::string progress_text(const db::RunDetails& details) {
  std::string text;
  std::optional<double> last;
  for (const db::ProgressPoint& point : details.progress) {
    if (!point.best || (last && *point.best >= *last)) continue;
    last = point.best;
    text += format("  after {:>6}  {}\n", point.sequence + 1, si(*point.best, "s"));
  }
  return text;
}

reports::ShownResult winner_of(const db::RunDetails& details) {
  reports::ShownResult winner = reports::shown(*details.winner, details.winner_samples);
  winner.reused = !details.rerank.empty() && details.rerank.front().reused;
  return winner;
}

std::string winner_text(const db::RunDetails& details) {
  if (!details.winner) return labelled("winner", "none: no configuration was measured");
  // Without a re-ranking, only times tell which one it is.
  const bool by_time = details.record.options.objective == Objective::time || !details.rerank.empty();
  return labelled(by_time ? "winner" : "fastest", reports::result_texts(winner_of(details)));
}

std::string rerank_text(const db::RunDetails& details) {
  if (details.rerank.empty()) return "";
  std::string text =
      format("re-ranking{}\n", details.rerank.front().reused ? " (rounds of an earlier run)" : "");
  const bool by_front = details.record.options.objective.of_front() != nullptr;
  const char* const tied = by_front ? ", on the front" : ", ties with the winner";
  for (const db::RerankRow& place : details.rerank) {
    const db::RerankStanding& result = place.result;
    text += format("  {:>6}  {}  {}", result.place, si(result.time.median, "s"),
                   result.place == 1 ? interval_text(result.time, "s") : difference_text(result.ratio));
    if (place.energy > 0) text += "  " + si(place.energy, "J");
    for (const auto& [name, value] : place.metrics) text += format(", {} {:.6g}", name, value);
    text += format(", {}{}\n          {}\n", counted(static_cast<std::uint64_t>(result.rounds), "round"),
                   result.place > 1 && result.tied ? tied : "", wrapped(place.configuration.to_string(), 10));
  }
  return text;
}

Json places_json(const db::RunDetails& details) {
  Json list = Json::array();
  for (const db::RerankRow& place : details.rerank)
    list.push_back(reports::result_json(
        reports::shown(place), {"place", "configuration", "tied", "seconds", "low_seconds", "high_seconds",
                                "ratio", "low_ratio", "high_ratio", "round_seconds", "reused", "joules"}));
  return list;
}

/// What each device evaluated, where several shared the run.
std::vector<std::string> board_texts(const db::RunDetails& details) {
  std::vector<std::string> lines;
  for (const db::BoardShare& board : details.boards)
    lines.push_back(
        format("{}: {}{}", board.uuid, counted(static_cast<std::uint64_t>(board.evaluations), "evaluation"),
               board.ratio ? format(", {:.3f} times as long for the same configuration", *board.ratio)
                           : std::string()));
  return lines;
}

std::string describe(const db::RunDetails& details) {
  const RunRecord& record = details.record;
  const db::RunSummary& summary = details.summary;
  std::string text =
      format("run {}: {} {}\n", summary.run, record.key.instance.problem, record.key.instance.key());
  const std::string origin =
      record.key.origin == Origin::measured ? "" : format(", {}", to_string(record.key.origin));
  text += labelled("device", device_text(record.key.device) + origin);
  text += labelled("machine", machine_text(record.machine));
  text += labelled("driver", record.key.device.driver);
  text += labelled("compiler", record.key.toolchain.compiler);
  text += labelled("sources", record.key.toolchain.source_hash);
  text += labelled("program", record.program_version);
  text += labelled("command", record.options.command_line);
  text += labelled("strategy", strategy_text(record));
  if (record.options.objective != Objective::time)
    text += labelled("objective", std::string(to_string(record.options.objective)));
  if (record.key.cache == CacheState::warm) text += labelled("caches", "warm");
  text += labelled("where", record.options.where);
  text += labelled("space",
                   record.space_size == 0 ? "unknown" : counted(record.space_size, "valid configuration"));
  text += labelled("started", time_of_day(summary.started));
  text += labelled("ended", summary.ended.empty()
                                ? "unfinished: killed, or still running"
                                : format("{}, {}", time_of_day(summary.ended), summary.end_reason));
  text += labelled("results",
                   format("{} ({} known before), {}",
                          counted(static_cast<std::uint64_t>(summary.evaluations), "evaluation"),
                          summary.reused, counted(static_cast<std::uint64_t>(summary.failures), "failure")));
  text += labelled("devices", board_texts(details));
  text += winner_text(details);
  text += rerank_text(details);
  text += "progress\n" + progress_text(details);
  if (!details.failures.empty()) text += "failures\n";
  for (const db::FailureCount& failure : details.failures)
    text += format("  {:>6}  {}: {}\n          {}\n          such as {}\n", failure.count,
                   to_string(failure.phase), failure.reason,
                   shown_detail(failure.detail, record.key.device.warp_size == 1), failure.example.key());
  return text;
}

Json describe_json(const db::RunDetails& details) {
  const RunRecord& record = details.record;
  const db::RunSummary& summary = details.summary;
  Json object = {{"run", summary.run}};
  object.update(reports::instance_json(record.key.instance));
  object.update({{"device", record.key.device.name},
                 {"model_key", record.key.device.model_key()},
                 {"origin", to_string(record.key.origin)},
                 {"driver", record.key.device.driver},
                 {"compiler", record.key.toolchain.compiler},
                 {"source_hash", record.key.toolchain.source_hash},
                 {"program", record.program_version},
                 {"command_line", record.options.command_line},
                 {"strategy", record.options.strategy},
                 {"seed", nullptr},
                 {"until_gain", reports::or_null(record.options.until_gain)},
                 {"objective", to_string(record.options.objective)},
                 {"cache", to_string(record.key.cache)},
                 {"where", record.options.where},
                 {"pinned", json_object(record.options.pinned)},
                 {"host", record.machine.host},
                 {"core_clock_hz", record.machine.core_clock},
                 {"temperature_celsius", record.machine.temperature},
                 {"power_watts", record.machine.power},
                 {"throttle", record.machine.throttle},
                 {"space_size", nullptr},
                 {"started", summary.started},
                 {"ended", summary.ended},
                 {"end", summary.end_reason},
                 {"evaluations", summary.evaluations},
                 {"reused", summary.reused}});
  if (record.key.origin != Origin::imported) object["seed"] = record.options.seed;
  if (record.space_size > 0) object["space_size"] = record.space_size;
  for (const db::BoardShare& board : details.boards)
    object["devices"].push_back(
        {{"uuid", board.uuid}, {"evaluations", board.evaluations}, {"ratio", reports::or_null(board.ratio)}});
  object["progress"] = Json::array();
  for (const db::ProgressPoint& point : details.progress)
    object["progress"].push_back({{"seconds", reports::or_null(point.time)},
                                  {"best_seconds", reports::or_null(point.best)},
                                  {"reused", point.reused}});
  object["winner"] = nullptr;
  if (details.winner)
    object["winner"] = reports::result_json(winner_of(details),
                                            {"configuration", "seconds", "samples", "error", "tolerance"});
  object["finals"] = places_json(details);
  object["failures"] = reports::failures_json(details.failures);
  return object;
}

int run_show(const ShowRequest& request) {
  const db::Database database(run::database_path(request.database), db::OpenMode::read_only);
  const LeftOutRows left_out(database);
  std::optional<RunId> number = find_run(request.run, database);
  if (!number) {
    const std::vector<db::RunSummary> newest =
        db::list_runs(database, {.problem = {}, .device = {}, .limit = 1});
    if (newest.empty())
      throw Error("the database has no runs yet; 'tune --problem P' makes one", Exit::no_answer);
    number = newest.front().run;
  }
  const db::RunDetails details = db::run_details(database, *number);
  std::cout << (request.format == Format::json ? json_text(describe_json(details)) : describe(details));
  return 0;
}

}  // namespace

Command show_command() {
  return {"show",
          "shows one run: options, versions, machine, progress, winner, failures",
          "tune show [RUN] [options]",
          "  tune show 3\n  tune show 3 --format json\n",
          "run",
          bind_request<ShowRequest, run_show>};
}

}  // namespace tune::cli
