// SPDX-License-Identifier: Apache-2.0
#include "db/store/sqlite_store.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "db/store/evaluation_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rerank_rows.hpp"
#include "db/store/rows.hpp"
#include "db/store/workload_rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

/// Counts beyond 63 bits are kept as the largest that fits.
std::int64_t stored(std::uint64_t count) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(count, largest));
}

constexpr const char* insert_run = R"(
INSERT INTO runs (work, device, strategy, objective, seed, budget_evaluations, budget_seconds, until_gain, restriction,
                  pinned, command_line, program_version, host, core_clock, memory_clock, temperature, power, throttle,
                  space_size, limit_seconds, items, flops, bytes, item, started)
VALUES (:work, :device, :strategy, :objective, :seed, :budget_evaluations, :budget_seconds, :until_gain, :restriction,
        :pinned, :command_line, :program_version, :host, :core_clock, :memory_clock, :temperature, :power, :throttle,
        :space_size, :limit_seconds, :items, :flops, :bytes, :item, :started))";

constexpr const char* insert_link = R"(
INSERT INTO run_evaluations (run, sequence, evaluation, reused)
SELECT :run, COALESCE(MAX(sequence) + 1, 0), :evaluation, :reused FROM run_evaluations WHERE run = :run)";

constexpr const char* select_newest = R"(
SELECT id FROM evaluations WHERE work = :work AND configuration_key = :configuration_key
ORDER BY recorded DESC, id DESC LIMIT 1)";

void bind_workload_of_run(SQLite::Statement& insert, const RunRecord& run) {
  insert.bind(":space_size", stored(run.space_size));
  insert.bind(":limit_seconds", run.limit);
  insert.bind(":items", run.items);
  insert.bind(":flops", run.flops);
  insert.bind(":bytes", run.bytes);
  insert.bind(":item", run.item);
  insert.bind(":program_version", run.program_version);
  insert.bind(":host", run.machine.host);
  insert.bind(":core_clock", run.machine.core_clock);
  insert.bind(":memory_clock", run.machine.memory_clock);
  insert.bind(":temperature", run.machine.temperature);
  insert.bind(":power", run.machine.power);
  insert.bind(":throttle", run.machine.throttle);
}

void bind_options(SQLite::Statement& insert, const RunOptions& options) {
  insert.bind(":strategy", options.strategy);
  insert.bind(":objective", std::string(to_string(options.objective)));
  insert.bind(":seed", format("{}", options.seed));
  bind_optional(
      insert, ":budget_evaluations",
      options.budget_evaluations ? std::optional(stored(*options.budget_evaluations)) : std::nullopt);
  bind_optional(insert, ":budget_seconds", options.budget_seconds);
  bind_optional(insert, ":until_gain", options.until_gain);
  insert.bind(":restriction", options.where);
  insert.bind(":pinned", to_json(options.pinned));
  insert.bind(":command_line", options.command_line);
}

}  // namespace

std::string utc_now() {
  namespace chrono = std::chrono;
  const auto now = chrono::floor<chrono::milliseconds>(chrono::system_clock::now());
  const auto day = chrono::floor<chrono::days>(now);
  const chrono::year_month_day date{day};
  const chrono::hh_mm_ss time{now - day};
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

/// Prepared once: a replayed run records thousands of evaluations a second.
struct SqliteStore::Statements {
  explicit Statements(SQLite::Database& connection)
      : evaluation(connection, insert_evaluation_sql),
        sample(connection, "INSERT INTO samples (evaluation, ordinal, seconds) VALUES (?, ?, ?)"),
        link(connection, insert_link),
        newest(connection, select_newest),
        workload(connection, "SELECT work FROM runs WHERE id = ?") {}

  SQLite::Statement evaluation, sample, link, newest, workload;

  /// A statement that failed half way would keep its bindings and its lock.
  void make_ready() {
    for (SQLite::Statement* statement : {&evaluation, &sample, &link, &newest, &workload}) {
      statement->tryReset();
      statement->clearBindings();
    }
  }

  std::int64_t workload_of(RunId run) {
    workload.bind(1, run);
    if (!workload.executeStep()) throw Error(format("there is no run {} to record an evaluation of", run));
    const std::int64_t id = workload.getColumn(0).getInt64();
    workload.reset();
    return id;
  }

  std::optional<std::int64_t> newest_of(std::int64_t workload_id, const Configuration& configuration) {
    newest.bind(":work", workload_id);
    newest.bind(":configuration_key", configuration.key());
    std::optional<std::int64_t> id;
    if (newest.executeStep()) id = newest.getColumn(0).getInt64();
    newest.reset();
    return id;
  }

  std::int64_t insert(SQLite::Database& connection, RunId run_id, std::int64_t workload_id,
                      const Evaluation& value, const std::string& now) {
    evaluation.bind(":run", run_id);
    evaluation.bind(":work", workload_id);
    evaluation.bind(":recorded", now);
    bind_evaluation(evaluation, value);
    run(evaluation);
    const std::int64_t id = connection.getLastInsertRowid();
    if (!value.outcome) return id;
    int ordinal = 0;
    for (const double seconds : value.outcome->samples) {
      sample.bind(1, id);
      sample.bind(2, ordinal++);
      sample.bind(3, seconds);
      run(sample);
    }
    return id;
  }
};

SqliteStore::SqliteStore(Database& database, Clock clock) : database_(database), clock_(std::move(clock)) {
  if (database_.access() != OpenMode::read_write) {
    throw Error(format("{} was opened for reading only: nothing can be recorded", database_.path().string()));
  }
}

SqliteStore::~SqliteStore() = default;

SqliteStore::Statements& SqliteStore::statements() {
  if (!statements_) statements_ = std::make_unique<Statements>(database_.connection());
  statements_->make_ready();
  return *statements_;
}

RunId SqliteStore::begin_run(const RunRecord& run) {
  RunId id = 0;
  database_.write([&](SQLite::Database& connection) {
    SQLite::Statement insert(connection, insert_run);
    insert.bind(":work", workload_row(connection, run.key));
    insert.bind(":device", device_row(connection, run.key.device));
    insert.bind(":started", clock_());
    bind_options(insert, run.options);
    bind_workload_of_run(insert, run);
    insert.exec();
    id = connection.getLastInsertRowid();
  });
  return id;
}

void SqliteStore::record(RunId run_id, const Evaluation& evaluation) {
  database_.write([&](SQLite::Database& connection) {
    Statements& prepared = statements();
    const std::int64_t workload = prepared.workload_of(run_id);
    std::optional<std::int64_t> id;
    if (evaluation.reused) id = prepared.newest_of(workload, evaluation.configuration);
    if (!id) id = prepared.insert(connection, run_id, workload, evaluation, clock_());
    prepared.link.bind(":run", run_id);
    prepared.link.bind(":evaluation", *id);
    prepared.link.bind(":reused", evaluation.reused ? 1 : 0);
    run(prepared.link);
  });
}

void SqliteStore::record_rerank(RunId run_id, const RerankResult& rerank) {
  database_.write([&](SQLite::Database& connection) {
    Statements& prepared = statements();
    const std::int64_t workload = prepared.workload_of(run_id);
    int place = 0;
    for (const RerankPlace& one : rerank.places) {
      const auto evaluation = prepared.newest_of(workload, one.configuration);
      if (!evaluation) throw Error(format("a finalist of run {} was never evaluated", run_id));
      insert_rerank(connection, {run_id, *evaluation, ++place, rerank.reused}, one);
    }
  });
}

void SqliteStore::end_run(RunId run_id, RunEnd end) {
  database_.write(
      [&](SQLite::Database& connection) {
        SQLite::Statement update(connection, "UPDATE runs SET ended = ?, end_reason = ? WHERE id = ?");
        update.bind(1, clock_());
        update.bind(2, std::string(to_string(end)));
        update.bind(3, run_id);
        if (update.exec() != 1) throw Error(format("there is no run {} to end", run_id));
      },
      Sync::now);
}

std::vector<Evaluation> SqliteStore::known(const WorkloadKey& key) {
  std::vector<Evaluation> result;
  database_.read([&](SQLite::Database& connection) {
    const auto workload = find_workload(connection, key);
    if (!workload) return;
    SQLite::Statement rows(connection, "SELECT * FROM current_evaluations WHERE work = ? ORDER BY id");
    rows.bind(1, *workload);
    while (rows.executeStep()) {
      result.push_back(read_evaluation(rows));
      if (!result.back().outcome) continue;
      std::vector<double>& seconds = result.back().outcome->samples;
      seconds = samples(connection, integer(rows, "id"));
      if (seconds.empty()) seconds = {real(rows, "time")};  // of a database without samples
    }
  });
  return result;
}

RerankResult SqliteStore::known_rerank(const WorkloadKey& key, Objective objective) {
  RerankResult rerank;
  database_.read([&](SQLite::Database& connection) {
    if (const auto workload = find_workload(connection, key))
      rerank = newest_rerank(connection, *workload, objective);
  });
  return rerank;
}

}  // namespace tune::db
