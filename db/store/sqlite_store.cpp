// SPDX-License-Identifier: Apache-2.0
#include "db/store/sqlite_store.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "db/store/evaluation_insert.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

/// Returns the id that the statement finds, if any.
std::optional<std::int64_t> find(SQLite::Statement& statement) {
  if (!statement.executeStep()) return std::nullopt;
  return statement.getColumn(0).getInt64();
}

std::int64_t instance_row(SQLite::Database& connection, const Instance& instance) {
  bound(connection,
        "INSERT INTO instances (problem, size, settings_key, extents, settings) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (problem, size, settings_key) DO NOTHING",
        instance.problem, instance.size(), instance.settings_key(), to_json(instance.extents),
        to_json(instance.settings))
      .exec();
  auto row = bound(connection, "SELECT id FROM instances WHERE problem = ? AND size = ? AND settings_key = ?",
                   instance.problem, instance.size(), instance.settings_key());
  return find(row).value();
}

std::int64_t toolchain_row(SQLite::Database& connection, const Toolchain& toolchain) {
  bound(connection, "INSERT INTO toolchains (compiler, source_hash) VALUES (?, ?) ON CONFLICT DO NOTHING",
        toolchain.compiler, toolchain.source_hash)
      .exec();
  auto row = bound(connection, "SELECT id FROM toolchains WHERE compiler = ? AND source_hash = ?",
                   toolchain.compiler, toolchain.source_hash);
  return find(row).value();
}

std::int64_t device_row(SQLite::Database& connection, const DeviceProperties& properties) {
  const std::string json = to_json(properties);
  const std::string hash = content_hash(json);
  SQLite::Statement insert = bound(
      connection,
      "INSERT INTO devices (facts_hash, model_key, name, uuid, architecture, driver, facts, power_limit,"
      " max_core_clock, max_memory_clock) VALUES (?, ?, ?, ?, ?, ?, ?, :power, :core, :memory)"
      " ON CONFLICT (facts_hash) DO NOTHING",
      hash, properties.model_key(), properties.name, properties.uuid, properties.architecture(),
      properties.driver, json);
  bind_known(insert, ":power", properties.power_limit);
  bind_known(insert, ":core", static_cast<double>(properties.core_clock));
  bind_known(insert, ":memory", static_cast<double>(properties.memory_clock));
  insert.exec();
  auto row = bound(connection, "SELECT id FROM devices WHERE facts_hash = ?", hash);
  return find(row).value();
}

std::optional<std::int64_t> find_workload(SQLite::Database& connection, const WorkloadKey& key) {
  auto row =
      bound(connection,
            "SELECT w.id FROM works w JOIN instances i ON i.id = w.instance"
            " JOIN toolchains t ON t.id = w.toolchain"
            " WHERE i.problem = ? AND i.size = ? AND i.settings_key = ? AND w.model_key = ?"
            " AND w.driver = ? AND t.compiler = ? AND t.source_hash = ? AND w.origin = ?"
            " AND w.cache = ?",
            key.instance.problem, key.instance.size(), key.instance.settings_key(), key.device.model_key(),
            key.device.driver, key.toolchain.compiler, key.toolchain.source_hash,
            std::string(to_string(key.origin)), std::string(to_string(key.cache)));
  return find(row);
}

std::int64_t workload_row(SQLite::Database& connection, const WorkloadKey& key) {
  const std::int64_t instance = instance_row(connection, key.instance);
  const std::int64_t toolchain = toolchain_row(connection, key.toolchain);
  bound(connection,
        "INSERT INTO works (instance, model_key, driver, toolchain, origin, cache) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (instance, model_key, driver, toolchain, origin, cache) DO NOTHING",
        instance, key.device.model_key(), key.device.driver, toolchain, std::string(to_string(key.origin)),
        std::string(to_string(key.cache)))
      .exec();
  return find_workload(connection, key).value();
}

Evaluation read_evaluation(SQLite::Statement& row) {
  Evaluation evaluation;
  evaluation.configuration = configuration_from_json(text(row, "configuration"));
  if (auto failed = failure(row)) {
    evaluation.outcome = tl::unexpected(*std::move(failed));
  } else {
    Measurement measurement;
    static_cast<Timing&>(measurement) = timing(row);
    measurement.error = real(row, "error");
    measurement.tolerance = real(row, "tolerance");
    evaluation.outcome = std::move(measurement);
  }
  evaluation.resources = resources(row);
  evaluation.binary_hash = text(row, "binary_hash");
  evaluation.phases = phase_times(row);
  evaluation.same_code = flag(row, "same_code");
  evaluation.from_cache = flag(row, "from_cache");
  evaluation.reused = true;
  return evaluation;
}

/// Counts how often the configuration ended in this failure under the workload.
int attempts_at(SQLite::Database& connection, std::int64_t workload, const Evaluation& evaluation) {
  const Failure& failure = evaluation.outcome.error();
  SQLite::Statement row =
      bound(connection,
            "SELECT SUM(COALESCE(attempts, 1)) FROM evaluations WHERE work = ?"
            " AND configuration_key = ? AND phase = ? AND reason = ?",
            workload, evaluation.configuration.key(), std::string(to_string(failure.phase)), failure.reason);
  return row.executeStep() ? row.getColumn(0).getInt() : 1;
}

/// Counts beyond 63 bits are stored as the largest that fits.
std::int64_t stored(std::uint64_t count) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(count, largest));
}

constexpr const char* insert_place = R"(
INSERT INTO finals (run, evaluation, place, time, time_low, time_high, energy, ratio, ratio_low, ratio_high, tied,
                    rounds, reused, metrics)
VALUES (:run, :evaluation, :place, :time, :time_low, :time_high, :energy, :ratio, :ratio_low, :ratio_high, :tied,
        :rounds, :reused, :metrics))";

constexpr const char* insert_round =
    "INSERT INTO final_rounds (run, evaluation, round, seconds, energy, metrics)"
    " VALUES (:run, :evaluation, :round, :seconds, :energy, :metrics)";

constexpr const char* select_newest_run = R"(
SELECT r.id FROM runs r
WHERE r.work = ? AND r.objective = ? AND EXISTS (SELECT 1 FROM finals f WHERE f.run = r.id)
ORDER BY r.started DESC, r.id DESC LIMIT 1)";

constexpr const char* select_current_places = R"(
SELECT f.evaluation, e.configuration FROM finals f JOIN current_evaluations e ON e.id = f.evaluation
WHERE f.run = ? AND e.time IS NOT NULL ORDER BY f.place)";

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
SELECT id, recorded FROM evaluations WHERE work = :work AND configuration_key = :configuration_key
ORDER BY counts DESC, recorded DESC, id DESC LIMIT 1)";

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

/// A place in the re-ranking of a run.
struct RerankKey {
  RunId run = 0;
  std::int64_t evaluation = 0;
  int place = 0;  ///< from 1
  bool reused = false;
};

void bind_metrics(SQLite::Statement& insert, const Metrics& metrics) {
  bind_optional(insert, ":metrics", metrics.empty() ? std::nullopt : std::optional(to_json(metrics)));
}

void insert_rerank(SQLite::Database& connection, const RerankKey& key, const RerankPlace& place) {
  SQLite::Statement insert(connection, insert_place);
  insert.bind(":run", key.run);
  insert.bind(":evaluation", key.evaluation);
  insert.bind(":place", key.place);
  insert.bind(":time", place.time.median);
  insert.bind(":time_low", place.time.low);
  insert.bind(":time_high", place.time.high);
  bind_known(insert, ":energy", place.energy());
  insert.bind(":ratio", place.ratio.median);
  insert.bind(":ratio_low", place.ratio.low);
  insert.bind(":ratio_high", place.ratio.high);
  insert.bind(":tied", place.tied ? 1 : 0);
  insert.bind(":rounds", static_cast<std::int64_t>(place.rounds.size()));
  insert.bind(":reused", key.reused ? 1 : 0);
  bind_metrics(insert, place.metrics());
  insert.exec();
  SQLite::Statement round(connection, insert_round);
  for (std::size_t i = 0; i < place.rounds.size(); ++i) {
    round.bind(":run", key.run);
    round.bind(":evaluation", key.evaluation);
    round.bind(":round", static_cast<std::int64_t>(i));
    round.bind(":seconds", place.rounds[i].seconds);
    bind_known(round, ":energy", place.rounds[i].energy);
    bind_metrics(round, place.rounds[i].metrics);
    run(round);
  }
}

/// Reads the newest re-ranking of the workload by that objective, as Store::known_rerank returns it.
RerankResult newest_rerank(SQLite::Database& connection, std::int64_t workload, const Objective& objective) {
  RerankResult rerank;
  rerank.objective = objective;
  SQLite::Statement newest =
      bound(connection, select_newest_run, workload, std::string(to_string(objective)));
  if (!newest.executeStep()) return rerank;
  const RunId run = newest.getColumn(0).getInt64();
  SQLite::Statement row = bound(connection, select_current_places, run);
  while (row.executeStep()) {
    RerankPlace place;
    place.configuration = configuration_from_json(text(row, "configuration"));
    place.rounds = rounds_of(connection, run, integer(row, "evaluation"));
    rerank.places.push_back(std::move(place));
  }
  return rerank;
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

/// The statements are prepared once: a replayed run records thousands of evaluations a second.
struct SqliteStore::Statements {
  explicit Statements(SQLite::Database& connection)
      : insert(connection),
        link(connection, insert_link),
        newest(connection, select_newest),
        workload(connection, "SELECT work FROM runs WHERE id = ?") {}

  EvaluationInsert insert;
  SQLite::Statement link, newest, workload;

  /// A statement that failed half way would keep its bindings and its lock.
  void make_ready() {
    insert.make_ready();
    for (SQLite::Statement* statement : {&link, &newest, &workload}) {
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

  struct Newest {
    std::int64_t id = 0;
    std::string recorded;
  };
  std::optional<Newest> newest_of(std::int64_t workload_id, const Configuration& configuration) {
    newest.bind(":work", workload_id);
    newest.bind(":configuration_key", configuration.key());
    std::optional<Newest> found;
    if (newest.executeStep()) found = Newest{newest.getColumn(0).getInt64(), newest.getColumn(1).getString()};
    newest.reset();
    return found;
  }
};

SqliteStore::SqliteStore(Database& database, Clock clock) : database_(database), clock_(std::move(clock)) {
  if (database_.access() != OpenMode::read_write)
    throw Error(format("{} was opened for reading only: nothing can be recorded", database_.path().string()));
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
    const std::int64_t workload = workload_row(connection, run.key);
    insert.bind(":work", workload);
    insert.bind(":device", device_row(connection, run.key.device));
    // The re-ranking of a later run counts, also where the clock was set back.
    SQLite::Statement last =
        bound(connection, "SELECT COALESCE(MAX(started), '') FROM runs WHERE work = ?", workload);
    last.executeStep();
    insert.bind(":started", std::max(clock_(), last.getColumn(0).getString()));
    bind_options(insert, run.options);
    bind_workload_of_run(insert, run);
    insert.exec();
    id = connection.getLastInsertRowid();
  });
  return id;
}

void SqliteStore::record(RunId run_id, const Evaluation& evaluation, RunId maker) {
  database_.write([&](SQLite::Database&) {
    Statements& prepared = statements();
    const std::int64_t workload = prepared.workload_of(run_id);
    const auto newest = prepared.newest_of(workload, evaluation.configuration);
    // A later evaluation counts, also where the clock was set back since the one before it.
    const std::int64_t id = evaluation.reused && newest
                                ? newest->id
                                : prepared.insert({maker, workload}, evaluation,
                                                  newest ? std::max(clock_(), newest->recorded) : clock_());
    for (const RunId seen_by : std::set{run_id, maker}) {
      prepared.link.bind(":run", seen_by);
      prepared.link.bind(":evaluation", id);
      prepared.link.bind(":reused", evaluation.reused ? 1 : 0);
      run(prepared.link);
    }
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
      insert_rerank(connection, {run_id, evaluation->id, ++place, rerank.reused}, one);
    }
  });
}

void SqliteStore::end_run(RunId run_id, RunEnd end) {
  database_.write(
      [&](SQLite::Database& connection) {
        SQLite::Statement update =
            bound(connection, "UPDATE runs SET ended = MAX(?, started), end_reason = ? WHERE id = ?",
                  clock_(), std::string(to_string(end)), run_id);
        if (update.exec() != 1) throw Error(format("there is no run {} to end", run_id));
      },
      Sync::now);
}

std::vector<Evaluation> SqliteStore::known(const WorkloadKey& key) {
  std::vector<Evaluation> result;
  database_.read([&](SQLite::Database& connection) {
    const auto workload = find_workload(connection, key);
    if (!workload) return;
    SQLite::Statement rows =
        bound(connection, "SELECT * FROM current_evaluations WHERE work = ? ORDER BY id", *workload);
    SQLite::Statement sample = bound(
        connection,
        "SELECT s.evaluation, s.seconds FROM current_evaluations e JOIN samples s ON s.evaluation = e.id"
        " WHERE e.work = ? ORDER BY e.id, s.ordinal",
        *workload);
    bool more = sample.executeStep();
    each_readable(database_, rows, "evaluation", "id", [&] {
      Evaluation& evaluation = result.emplace_back(read_evaluation(rows));
      const std::int64_t id = integer(rows, "id");
      std::vector<double> seconds;
      for (; more && sample.getColumn(0).getInt64() <= id; more = sample.executeStep())
        if (sample.getColumn(0).getInt64() == id) seconds.push_back(sample.getColumn(1).getDouble());
      if (!evaluation.outcome) {
        evaluation.attempts = attempts_at(connection, *workload, evaluation);
        evaluation.outcome.error().time_limit = real(rows, "time_limit");
        return;
      }
      if (seconds.empty()) seconds = {real(rows, "time")};  // of a database without samples
      evaluation.outcome->samples = std::move(seconds);
    });
  });
  return result;
}

RerankResult SqliteStore::known_rerank(const WorkloadKey& key, const Objective& objective) {
  RerankResult rerank;
  database_.read([&](SQLite::Database& connection) {
    if (const auto workload = find_workload(connection, key))
      rerank = newest_rerank(connection, *workload, objective);
  });
  return rerank;
}

}  // namespace tune::db
