// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/import.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <bit>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "db/maintain/known_contents.hpp"
#include "db/maintain/merge_rows.hpp"
#include "db/store/evaluation_insert.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

RunRecord record_of(const ImportedRun& run) {
  RunRecord record;
  record.key = run.key;
  record.options.strategy = "unknown";
  record.options.objective = run.objective;
  record.program_version = run.program;
  return record;
}

/// The evaluations that a run of the database has, by what tells them apart.
class KnownEvaluations {
 public:
  KnownEvaluations(SQLite::Database& connection, std::int64_t run) {
    SQLite::Statement row =
        bound(connection,
              "SELECT id, configuration_key, time, phase, reason, detail, compile_seconds,"
              " load_seconds, verify_seconds, measure_seconds, recorded"
              " FROM evaluations WHERE run = ? ORDER BY id",
              run);
    while (row.executeStep()) {
      Content content;
      content.add(row.getColumn(1).getString());
      if (row.isColumnNull(2))
        for (const int column : {3, 4, 5}) content.add(row.getColumn(column).getString());
      else
        content.add(row.getColumn(2).getDouble());
      for (const int column : {6, 7, 8, 9}) content.add(row.getColumn(column).getDouble());
      content.add(row.getColumn(10).getString());
      known_.add(content.hash(), row.getColumn(0).getInt64());
    }
    known_.sort();
  }

  /// Returns the number of an equal one, or 0; each is returned once.
  std::int64_t take(const Evaluation& evaluation, const std::string& recorded) {
    if (known_.empty()) return 0;
    Content content;
    content.add(evaluation.configuration.key());
    if (evaluation.outcome) {
      content.add(evaluation.outcome->time());
    } else {
      const Failure& failure = evaluation.outcome.error();
      content.add(std::string(to_string(failure.phase)));
      content.add(failure.reason);
      content.add(failure.detail);
    }
    const PhaseTimes& phases = evaluation.phases;
    for (const double seconds : {phases.compile, phases.load, phases.verify, phases.measure})
      content.add(seconds);
    content.add(recorded);
    return known_.take(content.hash());
  }

 private:
  /// What tells evaluations apart.
  class Content {
   public:
    void add(const std::string& text) {
      bytes_ += text;
      bytes_ += '\0';
    }
    void add(double number) { add(std::to_string(std::bit_cast<std::uint64_t>(number))); }
    ContentDigest hash() const { return content_digest(bytes_); }

   private:
    std::string bytes_;
  };

  KnownContents known_;
};

/// The indexes of evaluations while many are added: entries that come in no order would each read and write a
/// page. They are made anew where that costs less.
class EvaluationIndexes {
 public:
  EvaluationIndexes(SQLite::Database& connection, std::int64_t added) : connection_(connection) {
    constexpr std::int64_t few = 10'000;
    const std::int64_t there = connection.execAndGet("SELECT COUNT(*) FROM evaluations").getInt64();
    if (added < few || added < there / 4) return;
    SQLite::Statement row(connection,
                          "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
                          " AND tbl_name IN ('evaluations', 'run_evaluations')");
    std::vector<std::string> names;
    while (row.executeStep()) {
      names.push_back(row.getColumn(0).getString());
      sql_.push_back(row.getColumn(1).getString());
    }
    row.reset();
    for (const std::string& name : names) connection_.exec("DROP INDEX " + name);
  }
  void restore() {
    for (const std::string& sql : sql_) connection_.exec(sql);
  }

 private:
  SQLite::Database& connection_;
  std::vector<std::string> sql_;
};

/// Rows are added without the checks of their tables, which take half of the time: an import makes the keys
/// itself, and `check_numbers` says the same of what came from the file. Begins outside of a transaction.
class UncheckedTables {
 public:
  explicit UncheckedTables(SQLite::Database& connection) : connection_(connection) {
    connection_.exec("PRAGMA foreign_keys = OFF");
    connection_.exec("PRAGMA ignore_check_constraints = ON");
  }
  UncheckedTables(const UncheckedTables&) = delete;
  UncheckedTables& operator=(const UncheckedTables&) = delete;
  ~UncheckedTables() {
    connection_.tryExec("PRAGMA ignore_check_constraints = OFF");
    connection_.tryExec("PRAGMA foreign_keys = ON");
  }

 private:
  SQLite::Database& connection_;
};

/// Throws Error for what the tables would refuse.
void check_numbers(const Evaluation& evaluation) {
  const PhaseTimes& phases = evaluation.phases;
  bool possible = true;
  for (const double seconds : {phases.compile, phases.load, phases.verify, phases.measure})
    possible = possible && std::isfinite(seconds);
  if (evaluation.outcome) {
    for (const double seconds : evaluation.outcome->samples) possible = possible && seconds >= 0;
    possible = possible && evaluation.outcome->time() > 0;
  }
  if (!possible)
    throw Error(format("a time of the configuration {} cannot be stored", evaluation.configuration.key()));
}

/// Passes all evaluations of a run, which another thread reads ahead: it takes as long as storing them.
class ReadAhead {
 public:
  explicit ReadAhead(const ImportedRun& run) : reader_([this, &run] { read(run); }) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  /// Throws what the reader threw.
  void each(const ImportedRun::Take& take) {
    for (std::vector<Entry> some = next(); !some.empty(); some = next())
      for (const Entry& entry : some) take(entry.evaluation, entry.recorded);
  }

 private:
  struct Entry {
    Evaluation evaluation;
    std::string recorded;
  };
  struct Stopped {};
  static constexpr std::size_t together = 256, waiting = 4;

  void read(const ImportedRun& run) {
    std::exception_ptr failure;
    try {
      std::vector<Entry> some;
      run.each([&](const Evaluation& evaluation, const std::string& recorded) {
        some.push_back({evaluation, recorded});
        if (some.size() == together) pass(std::exchange(some, {}));
      });
      if (!some.empty()) pass(std::move(some));
    } catch (const Stopped&) {
    } catch (...) {
      failure = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    failure_ = failure;
    ended_ = true;
    changed_.notify_all();
  }
  void pass(std::vector<Entry> some) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || read_.size() < waiting; });
    if (stopped_) throw Stopped();
    read_.push_back(std::move(some));
    changed_.notify_all();
  }
  /// Empty at the end.
  std::vector<Entry> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !read_.empty(); });
    if (read_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return {};
    }
    std::vector<Entry> some = std::move(read_.front());
    read_.pop_front();
    changed_.notify_all();
    return some;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<Entry>> read_;
  std::exception_ptr failure_;
  bool ended_ = false, stopped_ = false;
  std::jthread reader_;  ///< the last member: ends before the others go
};

constexpr const char* update_figures = R"(
UPDATE evaluations SET energy = COALESCE(energy, ?1), metrics = COALESCE(metrics, ?2)
WHERE id = ?3 AND ((energy IS NULL AND ?1 IS NOT NULL) OR (metrics IS NULL AND ?2 IS NOT NULL)))";

/// An evaluation that was imported by a program without metrics gets them.
void add_figures(SQLite::Statement& update, std::int64_t evaluation, const Measurement& measurement) {
  if (measurement.energy == 0 && measurement.metrics.empty()) return;
  update.clearBindings();
  if (measurement.energy > 0) update.bind(1, measurement.energy);
  if (!measurement.metrics.empty()) update.bind(2, to_json(measurement.metrics));
  update.bind(3, evaluation);
  run(update);
}

/// Adds what the run lacks, in one transaction.
void add_evaluations(SQLite::Database& connection, RunId run, const ImportedRun& imported,
                     MergeResult& result) {
  KnownEvaluations known(connection, run);
  EvaluationIndexes indexes(connection, imported.count);
  EvaluationInsert insert(connection);
  SQLite::Statement owner = bound(connection,
                                  "SELECT work, (SELECT COALESCE(MAX(sequence) + 1, 0) FROM run_evaluations"
                                  " WHERE run = r.id) FROM runs r WHERE id = ?",
                                  run);
  owner.executeStep();
  const std::int64_t workload = owner.getColumn(0).getInt64();
  std::int64_t sequence = owner.getColumn(1).getInt64();
  owner.reset();
  SQLite::Statement link(
      connection, "INSERT INTO run_evaluations (run, sequence, evaluation, reused) VALUES (?, ?, ?, 0)");
  SQLite::Statement figures(connection, update_figures);
  SQLite::Statement sample(connection, "SELECT 1 FROM samples WHERE evaluation = ? LIMIT 1");
  ReadAhead(imported).each([&](const Evaluation& evaluation, const std::string& recorded) {
    check_numbers(evaluation);
    const std::size_t samples = evaluation.outcome ? evaluation.outcome->samples.size() : 0;
    if (const std::int64_t there = known.take(evaluation, recorded); there != 0) {
      ++result.known_evaluations;
      if (evaluation.outcome) add_figures(figures, there, *evaluation.outcome);
      if (samples == 0) return;
      sample.bind(1, there);  // one that was exported without its samples gets them
      const bool has_samples = sample.executeStep();
      sample.reset();
      if (has_samples) return;
      insert.add_samples(there, evaluation.outcome->samples);
    } else {
      bind_all(link, run, sequence++, insert({run, workload}, evaluation, recorded));
      tune::db::run(link);
      ++result.evaluations;
    }
    result.samples += static_cast<std::int64_t>(samples);
  });
  indexes.restore();
}

}  // namespace

MergeResult import_run(Database& target, const ImportedRun& run, const SourceLabel& label) {
  // Merging finds a run that the target has already; so the run becomes a database first, but for its
  // evaluations.
  Database staged(":memory:");
  std::string now = run.started;
  SqliteStore store(staged, [&now] { return now; });
  const RunId id = store.begin_run(record_of(run));
  now = run.ended;
  store.end_run(id, RunEnd::exhausted);
  MergeResult result;
  const UncheckedTables unchecked(target.connection());
  target.write(
      [&](SQLite::Database& connection) {
        connection.exec("PRAGMA cache_size = -32768");  // KiB: pages are read again for each evaluation
        IdMap runs;
        result = merge_rows(connection, staged.connection(), label, utc_now, runs);
        add_evaluations(connection, runs.at(id), run, result);
      },
      Sync::now);
  return result;
}

}  // namespace tune::db
