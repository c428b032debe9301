// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/merge.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "db/maintain/check.hpp"
#include "db/maintain/copy_rows.hpp"
#include "db/maintain/known_contents.hpp"
#include "db/maintain/merge_facts.hpp"
#include "db/maintain/merge_rows.hpp"
#include "db/store/rows.hpp"
#include "db/store/schema.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

/// A run, and a digest of everything that was fixed when it began.
struct RunIdentity {
  std::int64_t id = 0;
  ContentDigest digest;
  bool imported = false;
};

/// Returns all runs, by number.
std::vector<RunIdentity> run_identities(SQLite::Database& connection) {
  // Neither a run's progress nor figures computed from the problem are part of it.
  const std::vector<std::string> columns =
      columns_of(connection, "runs",
                 {"id", "work", "device", "ended", "end_reason", "space_size", "limit_seconds", "items",
                  "flops", "bytes", "item"});
  SQLite::Statement row(
      connection,
      "SELECT r.id, w.origin, i.problem, i.size, i.settings_key, w.model_key, w.driver, w.cache,"
      " t.compiler, t.source_hash, d.facts_hash, " +
          listed(columns, "r.") +
          " FROM runs r JOIN works w ON w.id = r.work JOIN instances i ON i.id = w.instance"
          " JOIN toolchains t ON t.id = w.toolchain JOIN devices d ON d.id = r.device ORDER BY r.id");
  std::vector<RunIdentity> runs;
  while (row.executeStep())
    runs.push_back({row.getColumn(0).getInt64(), row_digest(row, 1, row.getColumnCount() - 1),
                    row.getColumn(1).getString() == "imported"});
  return runs;
}

/// `SELECT id, run, <content>...` of evaluations, to which a condition and an order can be added.
class EvaluationContent {
 public:
  explicit EvaluationContent(SQLite::Database& connection) {
    const std::vector<std::string> columns = columns_of(connection, "evaluations", {"id", "run", "work"});
    sql_ = "SELECT e.id, e.run, " + listed(columns, "e.") + " FROM evaluations e";
    columns_ = static_cast<int>(columns.size());
  }
  const std::string& sql() const { return sql_; }
  /// Returns a digest of the content in a row of that statement.
  ContentDigest digest_of(SQLite::Statement& row) const { return row_digest(row, 2, columns_); }

 private:
  std::string sql_;
  int columns_ = 0;
};

/// The evaluations that a run saw, one after another.
class SeenByRun {
 public:
  SeenByRun(SQLite::Database& connection, std::int64_t run)
      : columns_(columns_of(connection, "evaluations", {"id", "run", "work"})),
        row_(bound(connection,
                   "SELECT l.sequence, " + listed(columns_, "e.") +
                       " FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation"
                       " WHERE l.run = ? ORDER BY l.sequence",
                   run)) {
    next();
  }

  bool done() const { return row_.isDone(); }
  void next() { row_.executeStep(); }
  std::int64_t sequence() const { return row_.getColumn(0).getInt64(); }
  ContentDigest digest() { return row_digest(row_, 1, static_cast<int>(columns_.size())); }

 private:
  std::vector<std::string> columns_;
  SQLite::Statement row_;
};

/// True when both can be one run at two moments: they are equal wherever both have an evaluation.
bool compatible(SeenByRun a, SeenByRun b) {
  while (!a.done() && !b.done()) {
    if (a.sequence() < b.sequence()) {
      a.next();
    } else if (b.sequence() < a.sequence()) {
      b.next();
    } else {
      if (a.digest() != b.digest()) return false;
      a.next();
      b.next();
    }
  }
  return true;
}

/// One merge, in its transaction.
class Merger {
 public:
  Merger(SQLite::Database& target, SQLite::Database& source, const SourceLabel& label, const Clock& clock)
      : target_(target), source_(source), label_(label), now_(clock()) {}

  MergeResult run_all(IdMap& runs) {
    facts_ = merge_facts(target_, source_, result_.conflicts);
    compare_amounts(target_, source_, facts_.workloads, result_.conflicts);
    match_runs();
    add_runs();
    add_evaluations();
    add_links();
    add_rerank();
    runs = std::move(runs_);
    return std::move(result_);
  }

 private:
  /// Finds the runs of the target that are those of the source; each counts once.
  void match_runs() {
    std::map<ContentDigest, std::vector<std::int64_t>> candidates;
    for (const RunIdentity& run : run_identities(target_)) candidates[run.digest].push_back(run.id);
    for (const RunIdentity& run : run_identities(source_)) {
      std::vector<std::int64_t>& same = candidates[run.digest];
      for (auto at = same.begin(); at != same.end(); ++at) {
        // Another program's file has no runs: its results belong together, in whatever order.
        if (!run.imported && !compatible({source_, run.id}, {target_, *at})) continue;
        runs_.emplace(run.id, *at);
        known_.insert(*at);
        same.erase(at);
        break;
      }
    }
  }

  void add_runs() {
    const std::vector<std::string> columns = columns_of(target_, "runs", {"id"});
    SQLite::Statement row(source_, format("SELECT id, {} FROM runs ORDER BY id", listed(columns)));
    SQLite::Statement insert(target_, insert_sql("runs", columns));
    SQLite::Statement end(target_,
                          "UPDATE runs SET ended = ?, end_reason = ? WHERE id = ? AND ended IS NULL");
    while (row.executeStep()) {
      const std::int64_t there = row.getColumn(0).getInt64();
      if (const auto known = runs_.find(there); known != runs_.end()) {
        ++result_.known_runs;
        complete_run(end, row, known->second);
        continue;
      }
      for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
        const std::string& column = columns[static_cast<std::size_t>(i)];
        if (column == "work")
          insert.bind(i + 1, facts_.workloads.at(row.getColumn(i + 1).getInt64()));
        else if (column == "device")
          insert.bind(i + 1, facts_.devices.at(row.getColumn(i + 1).getInt64()));
        else
          bind_column(insert, i + 1, row.getColumn(i + 1));
      }
      run(insert);
      runs_.emplace(there, target_.getLastInsertRowid());
      ++result_.runs;
      add_source(there);
    }
  }

  void complete_run(SQLite::Statement& end, SQLite::Statement& row, std::int64_t here) {
    if (row.isColumnNull("ended")) return;
    bind_column(end, 1, row.getColumn("ended"));
    bind_column(end, 2, row.getColumn("end_reason"));
    end.bind(3, here);
    run(end);
    SQLite::Statement ours = bound(target_, "SELECT end_reason FROM runs WHERE id = ?", here);
    if (ours.executeStep() && text_or_empty(ours, "end_reason") != text(row, "end_reason"))
      result_.conflicts.push_back(format("run {} has another end there ({}); the end stored here is kept",
                                         here, text(row, "end_reason")));
  }

  /// Stores the origin of a run: the one that the source has for it, else the source itself.
  void add_source(std::int64_t there) {
    SQLite::Statement known =
        bound(source_, "SELECT file, format, run_there, taken FROM run_sources WHERE run = ?", there);
    SQLite::Statement insert(
        target_, "INSERT INTO run_sources (file, format, run_there, taken, run) VALUES (?, ?, ?, ?, ?)");
    if (known.executeStep()) {
      for (int i = 0; i < 4; ++i) bind_column(insert, i + 1, known.getColumn(i));
    } else {
      bind_all(insert, label_.file, label_.format);
      if (label_.has_runs) insert.bind(3, there);
      insert.bind(4, now_);
    }
    insert.bind(5, runs_.at(there));
    run(insert);
  }

  /// Returns the target's evaluations that a known run made.
  KnownContents evaluations_of(const EvaluationContent& content, std::int64_t run) const {
    KnownContents found;
    SQLite::Statement row = bound(target_, content.sql() + " WHERE e.run = ? ORDER BY e.id", run);
    while (row.executeStep()) found.add(content.digest_of(row), row.getColumn(0).getInt64());
    found.sort();
    return found;
  }

  void add_evaluations() {
    const EvaluationContent content(target_);
    const std::vector<std::string> columns = columns_of(target_, "evaluations", {"id", "run", "work"});
    std::vector<std::string> all = {"run", "work"};
    all.insert(all.end(), columns.begin(), columns.end());
    SQLite::Statement insert(target_, insert_sql("evaluations", all));
    SQLite::Statement row(source_, content.sql() + " ORDER BY e.run, e.id");
    SQLite::Statement workload(target_, "SELECT work FROM runs WHERE id = ?");
    KnownContents there_already;
    std::int64_t run_id = 0, workload_id = 0;
    while (row.executeStep()) {
      const std::int64_t id = row.getColumn(0).getInt64(), here = runs_.at(row.getColumn(1).getInt64());
      if (here != run_id) {
        run_id = here;
        there_already.clear();
        if (known_.contains(here)) there_already = evaluations_of(content, here);
        workload.bind(1, here);
        workload.executeStep();
        workload_id = workload.getColumn(0).getInt64();
        workload.reset();
      }
      if (!there_already.empty()) {
        if (const std::int64_t same = there_already.take(content.digest_of(row)); same != 0) {
          evaluations_.emplace_back(id, same);
          ++result_.known_evaluations;
          copy_samples(id, same, true);
          continue;
        }
      }
      bind_all(insert, run_id, workload_id);
      for (int i = 0; i < static_cast<int>(columns.size()); ++i)
        bind_column(insert, i + 3, row.getColumn(i + 2));
      run(insert);
      const std::int64_t added = target_.getLastInsertRowid();
      evaluations_.emplace_back(id, added);
      ++result_.evaluations;
      copy_samples(id, added, false);
    }
    std::ranges::sort(evaluations_);
  }

  /// Returns the number in the target of an evaluation of the source.
  std::int64_t evaluation_here(std::int64_t there) const {
    const auto found =
        std::ranges::lower_bound(evaluations_, there, {}, &std::pair<std::int64_t, std::int64_t>::first);
    if (found == evaluations_.end() || found->first != there)
      throw SQLite::Exception("a row of an evaluation that is not there", SQLITE_CORRUPT);
    return found->second;
  }

  /// An evaluation that was exported without its samples gets them.
  void copy_samples(std::int64_t there, std::int64_t here, bool known) {
    if (known) {
      has_samples_.bind(1, here);
      const bool has = has_samples_.executeStep();
      has_samples_.reset();
      if (has) return;
    }
    samples_.bind(1, there);
    while (samples_.executeStep()) {
      bind_all(insert_sample_, here, samples_.getColumn(0).getInt64(), samples_.getColumn(1).getDouble());
      run(insert_sample_);
      ++result_.samples;
    }
    samples_.reset();
  }

  void add_links() {
    SQLite::Statement row(
        source_, "SELECT run, sequence, evaluation, reused FROM run_evaluations ORDER BY run, sequence");
    SQLite::Statement find(
        target_, "SELECT 1 FROM run_evaluations WHERE run = ? AND evaluation = ? AND (? OR sequence = ?)");
    SQLite::Statement insert(
        target_,
        "INSERT INTO run_evaluations (run, sequence, evaluation, reused) VALUES (?1, CASE WHEN EXISTS"
        " (SELECT 1 FROM run_evaluations WHERE run = ?1 AND sequence = ?2) THEN"
        " (SELECT MAX(sequence) + 1 FROM run_evaluations WHERE run = ?1) ELSE ?2 END, ?3, ?4)");
    while (row.executeStep()) {
      const std::int64_t here = runs_.at(row.getColumn(0).getInt64());
      const std::int64_t sequence = row.getColumn(1).getInt64();
      const std::int64_t evaluation = evaluation_here(row.getColumn(2).getInt64());
      if (known_.contains(here)) {
        bind_all(find, here, evaluation, is_imported(here) ? 1 : 0, sequence);
        const bool is_there = find.executeStep();
        find.reset();
        if (is_there) continue;
      }
      bind_all(insert, here, sequence, evaluation);
      bind_column(insert, 4, row.getColumn(3));
      run(insert);
    }
  }

  /// In another program's file the order of results is not the order of evaluation.
  bool is_imported(std::int64_t run) {
    if (imported_.first != run) {
      SQLite::Statement row =
          bound(target_,
                "SELECT w.origin = 'imported' FROM runs r JOIN works w ON w.id = r.work WHERE r.id = ?", run);
      imported_ = {run, row.executeStep() && row.getColumn(0).getInt() != 0};
    }
    return imported_.second;
  }

  void add_rerank() {
    const std::vector<std::string> columns = columns_of(target_, "finals", {"run", "evaluation"});
    const std::vector<std::string> round_columns = columns_of(target_, "final_rounds", {"run", "evaluation"});
    SQLite::Statement row(
        source_, format("SELECT run, evaluation, {} FROM finals ORDER BY run, place", listed(columns)));
    while (row.executeStep()) {
      const std::int64_t here = runs_.at(row.getColumn(0).getInt64());
      const std::int64_t evaluation = evaluation_here(row.getColumn(1).getInt64());
      SQLite::Statement ours = bound(
          target_,
          format("SELECT {} FROM finals WHERE run = ? AND (evaluation = ? OR place = ?)", listed(columns)),
          here, evaluation);
      bind_column(ours, 3, row.getColumn("place"));
      if (ours.executeStep()) {
        if (row_digest(ours, 0, static_cast<int>(columns.size())) !=
            row_digest(row, 2, static_cast<int>(columns.size())))
          result_.conflicts.push_back(
              format("place {} of the finals of run {} differs there; that of here is kept",
                     integer(row, "place"), here));
        continue;
      }
      copy_rows("finals", columns, row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), here,
                evaluation);
      copy_rows("final_rounds", round_columns, row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), here,
                evaluation);
      ++result_.rerank;
    }
  }

  /// Copies the rows of a run's evaluation.
  void copy_rows(const std::string& table, const std::vector<std::string>& columns, std::int64_t run_there,
                 std::int64_t evaluation_there, std::int64_t run_here, std::int64_t evaluation_here) {
    SQLite::Statement row =
        bound(source_, format("SELECT {} FROM {} WHERE run = ? AND evaluation = ?", listed(columns), table),
              run_there, evaluation_there);
    std::vector<std::string> all = {"run", "evaluation"};
    all.insert(all.end(), columns.begin(), columns.end());
    SQLite::Statement insert(target_, insert_sql(table, all));
    while (row.executeStep()) {
      bind_all(insert, run_here, evaluation_here);
      for (int i = 0; i < static_cast<int>(columns.size()); ++i) bind_column(insert, i + 3, row.getColumn(i));
      run(insert);
    }
  }

  SQLite::Database& target_;
  SQLite::Database& source_;
  const SourceLabel& label_;
  std::string now_;
  MergeResult result_;
  FactMaps facts_;
  IdMap runs_;
  std::vector<std::pair<std::int64_t, std::int64_t>> evaluations_;  ///< there and here, 16 bytes for each
  std::unordered_set<std::int64_t> known_;                          ///< runs of the target that both have
  std::pair<std::int64_t, bool> imported_{0, false};
  SQLite::Statement samples_{source_,
                             "SELECT ordinal, seconds FROM samples WHERE evaluation = ? ORDER BY ordinal"};
  SQLite::Statement has_samples_{target_, "SELECT 1 FROM samples WHERE evaluation = ? LIMIT 1"};
  SQLite::Statement insert_sample_{target_,
                                   "INSERT INTO samples (evaluation, ordinal, seconds) VALUES (?, ?, ?)"};
};

/// Damage is not copied: a source with findings is refused as a whole.
void refuse_damage(const Database& source, const SourceLabel& label) {
  const Findings findings = check_rows(source);
  if (findings.count() == 0) return;
  throw Error(format(
      "{} is damaged, and nothing was merged ({} finding{}, the first: {}): run 'tune db salvage {} --out "
      "NEW' and merge NEW",
      label.file, findings.count(), findings.count() == 1 ? "" : "s", findings.lines.front().substr(0, 120),
      label.file));
}

}  // namespace

MergeResult merge_rows(SQLite::Database& target, SQLite::Database& source, const SourceLabel& label,
                       const Clock& clock, IdMap& runs) {
  return Merger(target, source, label, clock).run_all(runs);
}

MergeResult merge_database(Database& target, const Database& source, const SourceLabel& label,
                           const Clock& clock) {
  MergeResult result;
  source.read([&](SQLite::Database& from) {
    refuse_damage(source, label);
    IdMap runs;
    target.write([&](SQLite::Database& into) { result = merge_rows(into, from, label, clock, runs); },
                 Sync::now);
  });
  return result;
}

Database open_source(const std::filesystem::path& file, const std::filesystem::path& scratch) {
  {
    const Database old(file, OpenMode::inspect);
    int version = 0;
    bool is_recording = false;
    old.read([&](SQLite::Database& connection) {
      version = connection.execAndGet("PRAGMA user_version").getInt();
      is_recording =
          connection.tableExists("properties") &&
          connection.execAndGet("SELECT COUNT(*) FROM properties WHERE name = 'recording'").getInt() > 0;
    });
    // Nothing writes a recording, not even a copy: it is small enough to be read as one in memory.
    if (version == schema_version() || is_recording) return Database(file, OpenMode::read_only);
    try {
      SQLite::Statement copy = bound(old.connection(), "VACUUM INTO ?", scratch.string());
      copy.exec();
    } catch (const SQLite::Exception& exception) {
      throw to_error(exception, scratch);
    }
  }
  return Database(scratch, OpenMode::read_write);
}

}  // namespace tune::db
