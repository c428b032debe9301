// SPDX-License-Identifier: Apache-2.0
#include "db/read/run_details.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <charconv>

#include "db/read/result_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/device_equality.hpp"

namespace tune::db {
namespace {

constexpr const char* select_places = R"(
SELECT f.*, e.configuration FROM finals f JOIN evaluations e ON e.id = f.evaluation
WHERE f.run = ? ORDER BY f.place)";

constexpr const char* select_run = R"(
SELECT {}, r.seed, r.budget_evaluations, r.budget_seconds, r.until_gain, r.restriction, r.pinned,
       r.command_line, r.program_version, r.host, r.core_clock, r.memory_clock, r.temperature, r.power, r.throttle, r.space_size,
       r.limit_seconds, r.items, r.flops, r.bytes, r.item, i.settings AS settings_json, d.facts
FROM run_overview o JOIN runs r ON r.id = o.run JOIN works w ON w.id = r.work
JOIN instances i ON i.id = w.instance JOIN devices d ON d.id = r.device
WHERE o.run = ?)";

/// Without those that follow from the evaluations, which SQLite then does not compute.
constexpr const char* fixed_columns =
    "o.work, o.problem, o.size, o.settings, o.extents, o.device, o.model_key, o.architecture, o.driver,"
    " o.compiler, o.source_hash, o.origin, o.cache, o.strategy, o.objective";

constexpr const char* select_progress = R"(
SELECT l.sequence, l.evaluation, l.reused, e.time, e.recorded{}
FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
WHERE l.run = ? ORDER BY l.sequence)";

constexpr const char* select_winner = "SELECT * FROM results WHERE evaluation = ?";

/// In the order by which the view run_overview takes the first.
constexpr const char* select_measured = R"(
SELECT e.id, COALESCE(f.time, e.time) AS time
FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
LEFT JOIN finals f ON f.run = l.run AND f.evaluation = e.id
WHERE l.run = ? AND e.time IS NOT NULL ORDER BY f.place IS NULL, f.place, e.time, l.sequence)";

/// SQLite takes the other columns from the row with the smallest id: the example.
constexpr const char* count_failures = R"(
SELECT e.phase, e.reason, COUNT(*) AS count, e.configuration, e.detail, MIN(e.id) AS first
FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
WHERE l.run = ? AND e.phase IS NOT NULL GROUP BY e.phase, e.reason)";

/// A comparison belongs to the run of its device alone (StoredRun).
constexpr const char* select_shares = R"(
SELECT d.uuid, COUNT(*) AS evaluations, (
         SELECT json_extract(c.metrics, '$.' || ?2) FROM evaluations c
         WHERE c.run = e.run AND c.metrics IS NOT NULL ORDER BY c.id DESC LIMIT 1) AS ratio
FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
JOIN runs r ON r.id = e.run JOIN devices d ON d.id = r.device
WHERE l.run = ?1 AND NOT l.reused GROUP BY e.run ORDER BY e.run)";

std::uint64_t unsigned_from(const std::string& digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

RunOptions options(const Row& row) {
  RunOptions result;
  result.strategy = text(row, "strategy");
  result.objective = objective_from_string(text(row, "objective"));
  result.seed = unsigned_from(text(row, "seed"));
  if (const auto budget = optional_integer(row, "budget_evaluations"))
    result.budget_evaluations = static_cast<std::uint64_t>(*budget);
  result.budget_seconds = optional_real(row, "budget_seconds");
  result.until_gain = optional_real(row, "until_gain");
  result.where = text(row, "restriction");
  result.pinned = entries_from_json(text(row, "pinned"));
  result.command_line = text(row, "command_line");
  return result;
}

RunRecord record(const Row& row, const Workload& workload) {
  RunRecord result;
  result.key.instance = {workload.problem, workload.extents, entries_from_json(text(row, "settings_json"))};
  result.key.device = properties_from_json(text(row, "facts"));
  result.key.toolchain = workload.toolchain;
  result.key.origin = workload.origin;
  result.key.cache = workload.cache;
  result.options = options(row);
  result.machine = {real(row, "core_clock"), real(row, "memory_clock"), real(row, "temperature"),
                    real(row, "power"),      text(row, "throttle"),     text(row, "host")};
  result.program_version = text(row, "program_version");
  result.space_size = static_cast<std::uint64_t>(integer(row, "space_size"));
  const WorkloadCost amount = workload_cost(row);
  result.limit = amount.limit;
  result.items = amount.items;
  result.flops = amount.flops;
  result.bytes = amount.bytes;
  result.item = amount.item;
  return result;
}

/// The run with these columns of its overview. Throws Error where there is no such run.
SQLite::Statement run_row(const Database& database, SQLite::Database& connection, const char* columns,
                          RunId run) {
  SQLite::Statement row = bound(connection, format(select_run, columns), run);
  if (!row.executeStep())
    throw Error(format("there is no run {} in {}", run, database.path().string()), Exit::no_answer);
  return row;
}

/// Reads an evaluation with its time in this run, whatever later runs measured. Nothing where its row cannot
/// be read, which is noted in the database.
std::optional<ResultRow> readable_result(const Database& database, SQLite::Database& connection,
                                         std::int64_t evaluation, std::optional<double> time) {
  SQLite::Statement row = bound(connection, select_winner, evaluation);
  row.executeStep();
  std::optional<ResultRow> result;
  if (is_readable([&] { result = result_row(row); }))
    result->time = time;
  else
    database.leave_out(format("evaluation {}", evaluation));
  return result;
}

}  // namespace

std::vector<RerankRow> rerank_of_run(const Database& database, RunId run) {
  std::vector<RerankRow> rows;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = bound(connection, select_places, run);
    each_readable(database, row, "evaluation", "evaluation", [&] {
      RerankRow place;
      place.evaluation = integer(row, "evaluation");
      place.configuration = configuration_from_json(text(row, "configuration"));
      place.result = place_standing(row);
      place.energy = optional_real(row, "energy").value_or(0);
      place.metrics = metrics_of(row);
      place.reused = flag(row, "reused");
      place.rounds = rounds_of(connection, run, place.evaluation);
      rows.push_back(std::move(place));
    });
  });
  return rows;
}

std::optional<RunRecord> readable_run_record(const Database& database, RunId run) {
  std::optional<RunRecord> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = run_row(database, connection, fixed_columns, run);
    if (!is_readable([&] { result = record(row, workload_info(row)); }))
      database.leave_out(format("run {}", run));
  });
  return result;
}

void each_progress(const Database& database, RunId run, const std::function<void(const ProgressPoint&)>& take,
                   const Objective& objective) {
  const bool by_time = objective == Objective::time;
  const std::string more = by_time ? std::string() : std::string(", ") + objective_columns;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement statement = bound(connection, format(select_progress, more), run);
    ColumnPlaces places;
    const Row row(statement, places);
    std::optional<double> best;
    while (statement.executeStep()) {
      const std::optional<double> time = optional_real(row, "time");
      std::optional<double> value = time;
      if (time && !by_time && !is_readable([&] {
            const ObjectiveFigures figures = objective_figures(row);
            value = figures.value(*time, figures.joules, objective);
          }))
        value.reset();
      if (value && (!best || *value < *best)) best = value;
      take({integer(row, "sequence"), integer(row, "evaluation"), integer(row, "reused") != 0, time, best,
            text(row, "recorded")});
    }
  });
}

RunDetails run_details(const Database& database, RunId run, bool with_winner) {
  RunDetails result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = run_row(database, connection, "o.*", run);
    result.summary = run_summary(row);
    result.record = record(row, result.summary.workload);
    each_progress(database, run, [&](const ProgressPoint& point) { result.progress.push_back(point); });
    result.rerank = rerank_of_run(database, run);
    if (const auto evaluation = optional_integer(row, "best_evaluation"); evaluation && with_winner) {
      result.winner = readable_result(database, connection, *evaluation, result.summary.best);
      SQLite::Statement measured = bound(connection, select_measured, run);
      while (!result.winner && measured.executeStep())
        result.winner =
            readable_result(database, connection, integer(measured, "id"), optional_real(measured, "time"));
      if (result.winner) result.winner_samples = samples(connection, result.winner->evaluation);
    }
    result.failures = failures_of_run(database, run);
    result.boards = boards_of_run(database, run);
  });
  return result;
}

void sort_failures(std::vector<FailureCount>& failures) {
  std::ranges::sort(failures, [](const FailureCount& a, const FailureCount& b) {
    if (a.phase != b.phase) return a.phase < b.phase;
    return a.count != b.count ? a.count > b.count : a.reason < b.reason;
  });
}

FailureCount failure_count(const Row& row, std::int64_t count) {
  return {phase_from_string(text(row, "phase")), text(row, "reason"), count,
          configuration_from_json(text(row, "configuration")), text(row, "detail")};
}

std::vector<FailureCount> failures_of_run(const Database& database, RunId run) {
  std::vector<FailureCount> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = bound(connection, count_failures, run);
    each_readable(database, row, "evaluation", "first",
                  [&] { result.push_back(failure_count(row, integer(row, "count"))); });
  });
  sort_failures(result);
  return result;
}

std::vector<BoardShare> boards_of_run(const Database& database, RunId run) {
  std::vector<BoardShare> boards;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = bound(connection, select_shares, run, std::string(DeviceEquality::metric));
    while (row.executeStep())
      boards.push_back({text(row, "uuid"), integer(row, "evaluations"), optional_real(row, "ratio")});
  });
  if (boards.size() < 2) boards.clear();
  return boards;
}

std::vector<double> samples_of(const Database& database, std::int64_t evaluation) {
  std::vector<double> result;
  database.read([&](SQLite::Database& connection) { result = samples(connection, evaluation); });
  return result;
}

}  // namespace tune::db
