// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/salvage.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <optional>

#include "db/maintain/check.hpp"
#include "db/maintain/copy_rows.hpp"
#include "db/maintain/unfinished.hpp"
#include "db/store/database.hpp"
#include "db/store/rows.hpp"
#include "db/store/schema.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace fs = std::filesystem;
namespace {

/// A table whose rows are read by the number in `key`. Parents come before their children.
struct SavedTable {
  const char* name;
  const char* key;
};
constexpr SavedTable by_number[] = {{"devices", "id"},    {"toolchains", "id"}, {"instances", "id"},
                                    {"works", "id"},      {"runs", "id"},       {"run_sources", "run"},
                                    {"evaluations", "id"}};
/// Tables without numbers of their own: all rows of one parent are saved, or none.
constexpr SavedTable of_parents[] = {
    {"samples", "evaluation"}, {"run_evaluations", "run"}, {"finals", "run"}, {"final_rounds", "run"}};

/// Rows that refer to rows that are not there. Repeated until nothing changes.
constexpr const char* drop_dangling = R"(
DELETE FROM works WHERE instance NOT IN (SELECT id FROM instances) OR toolchain NOT IN (SELECT id FROM toolchains);
DELETE FROM runs WHERE work NOT IN (SELECT id FROM works) OR device NOT IN (SELECT id FROM devices);
DELETE FROM run_sources WHERE run NOT IN (SELECT id FROM runs);
DELETE FROM evaluations WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = run AND r.work = evaluations.work);
DELETE FROM samples WHERE evaluation NOT IN (SELECT id FROM evaluations);
DELETE FROM run_evaluations WHERE evaluation NOT IN (SELECT id FROM evaluations) OR run NOT IN (SELECT id FROM runs);
DELETE FROM finals WHERE evaluation NOT IN (SELECT id FROM evaluations) OR run NOT IN (SELECT id FROM runs);
DELETE FROM finals WHERE run IN (
  SELECT run FROM finals GROUP BY run HAVING MIN(place) <> 1 OR MAX(place) <> COUNT(*));
DELETE FROM final_rounds WHERE NOT EXISTS (
  SELECT 1 FROM finals f WHERE f.run = final_rounds.run AND f.evaluation = final_rounds.evaluation);
)";

/// Every evaluation was seen by the run that made it: where that row is lost, it is made again, behind the
/// others.
constexpr const char* restore_links = R"(
INSERT INTO run_evaluations (run, sequence, evaluation, reused)
SELECT e.run, (SELECT COALESCE(MAX(l.sequence) + 1, 0) FROM run_evaluations l WHERE l.run = e.run)
              + ROW_NUMBER() OVER (PARTITION BY e.run ORDER BY e.id) - 1, e.id, 0
FROM evaluations e
WHERE NOT EXISTS (SELECT 1 FROM run_evaluations l WHERE l.run = e.run AND l.evaluation = e.id);
)";

class Salvage {
 public:
  Salvage(SQLite::Database& source, SQLite::Database& target) : source_(source), target_(target) {}

  void copy_all() {
    target_.exec("PRAGMA foreign_keys = OFF");  // until all tables are there
    target_.exec("BEGIN IMMEDIATE");
    for (const SavedTable& table : by_number) copy_by_number(table);
    for (const SavedTable& table : of_parents) copy_of_parents(table);
    target_.exec(
        "UPDATE devices SET power_limit = NULLIF(facts ->> 'power_limit', 0),"
        " max_core_clock = NULLIF(facts ->> 'core_clock', 0), max_memory_clock = NULLIF(facts ->> 'memory_clock', 0)");
    settle_accidents();
    settle();
    target_.exec("COMMIT");
  }

  /// Removes the rows that a check found wrong. Returns false where there are none.
  bool drop(const Findings& findings) {
    if (findings.rows.empty()) return false;
    target_.exec("BEGIN IMMEDIATE");
    for (const std::string& line : findings.lines) leave_out(line);
    result_.more += static_cast<std::int64_t>(findings.left_out);
    for (const auto& [table, number] : findings.rows) {
      const bool of_run = table == "finals" || table == "run_evaluations";
      bound(target_, format("DELETE FROM {} WHERE {} = ?", table, of_run ? "run" : "id"), number).exec();
    }
    settle();
    target_.exec("COMMIT");
    return true;
  }

  SalvageResult take() {
    const auto count = [this](const char* table) {
      return target_.execAndGet(format("SELECT COUNT(*) FROM {}", table)).getInt64();
    };
    result_.runs = count("runs");
    result_.evaluations = count("evaluations");
    result_.samples = count("samples");
    return std::move(result_);
  }

 private:
  /// Before schema 5, rows do not say whether a failure may come again.
  void settle_accidents() {
    SQLite::Statement row(target_,
                          "SELECT id, phase, reason FROM evaluations"
                          " WHERE phase IS NOT NULL AND attempts IS NULL");
    SQLite::Statement update(target_, "UPDATE evaluations SET counts = 0 WHERE id = ?");
    while (row.executeStep()) {
      const Failure failure{phase_from_string(text(row, "phase")), text(row, "reason"), {}};
      if (!is_accident(failure, 1)) continue;
      update.bind(1, integer(row, "id"));
      update.exec();
      update.reset();
    }
  }

  void leave_out(const std::string& line) {
    if (result_.left_out.size() < SalvageResult::max_lines)
      result_.left_out.push_back(line);
    else
      ++result_.more;
  }

  /// The columns of the target that the source has, and their values there: what an older schema lacks is as
  /// its migration makes it.
  struct Columns {
    std::vector<std::string> names, values;
  };
  Columns columns(const SavedTable& table) {
    const std::vector<std::string> there = columns_of(source_, table.name);
    Columns both;
    for (const std::string& column : columns_of(target_, table.name)) {
      const bool known = std::ranges::find(there, column) != there.end();
      if (!known && (there.empty() || column != "cache")) continue;
      both.names.push_back(column);
      both.values.push_back(known ? column : "'cold'");
    }
    return both;
  }

  /// Returns false for a row that the target's schema refuses.
  static bool insert_row(SQLite::Statement& insert, SQLite::Statement& row, int count) {
    try {
      for (int i = 0; i < count; ++i) bind_column(insert, i + 1, row.getColumn(i));
      run(insert);
      return true;
    } catch (const SQLite::Exception& refused) {
      insert.tryReset();
      if (refused.getErrorCode() != SQLITE_CONSTRAINT) throw;
      return false;
    }
  }

  std::int64_t largest(const SavedTable& table) {
    for (const std::string& sql :
         {format("SELECT MAX({}) FROM {}", table.key, table.name),
          format("SELECT MAX(seq) FROM sqlite_sequence WHERE name = '{}'", table.name)}) {
      try {
        if (const std::int64_t number = source_.execAndGet(sql).getInt64(); number > 0) return number;
      } catch (const SQLite::Exception&) {
        continue;  // on a damaged page
      }
    }
    constexpr std::int64_t unknown = 100'000;
    return unknown;
  }

  void copy_by_number(const SavedTable& table) {
    const auto [names, values] = columns(table);
    if (names.empty()) return;  // an older schema has no such table
    const auto count = static_cast<int>(names.size());
    SQLite::Statement insert(target_, insert_sql(table.name, names));
    std::int64_t last = 0, refused = 0, unread = 0;
    try {
      SQLite::Statement row(
          source_, format("SELECT {}, {} FROM {} ORDER BY rowid", listed(values), table.key, table.name));
      while (row.executeStep()) {
        last = std::max(last, row.getColumn(count).getInt64());
        refused += insert_row(insert, row, count) ? 0 : 1;
      }
    } catch (const SQLite::Exception& damaged) {
      if (damaged.getErrorCode() != SQLITE_CORRUPT) throw;
      SQLite::Statement row(source_,
                            format("SELECT {} FROM {} WHERE {} = ?", listed(values), table.name, table.key));
      const std::int64_t end = largest(table);
      for (std::int64_t number = last + 1; number <= end; ++number) {
        try {
          row.bind(1, number);
          if (row.executeStep()) refused += insert_row(insert, row, count) ? 0 : 1;
        } catch (const SQLite::Exception& unreadable) {
          if (unreadable.getErrorCode() != SQLITE_CORRUPT) throw;
          ++unread;
        }
        row.tryReset();
      }
    }
    if (refused > 0) leave_out(format("{}: {} rows that no tune writes", table.name, refused));
    if (unread > 0) leave_out(format("{}: up to {} rows on damaged pages", table.name, unread));
  }

  void copy_of_parents(const SavedTable& table) {
    const auto [names, values] = columns(table);
    if (names.empty()) return;
    const auto count = static_cast<int>(names.size());
    SQLite::Statement insert(target_, insert_sql(table.name, names));
    SQLite::Statement row(source_,
                          format("SELECT {} FROM {} WHERE {} = ?", listed(values), table.name, table.key));
    const std::string parents = std::string(table.key) == "run" ? "runs" : "evaluations";
    SQLite::Statement parent(target_, format("SELECT id FROM {} ORDER BY id", parents));
    std::int64_t lost = 0;
    while (parent.executeStep()) {
      const std::int64_t number = parent.getColumn(0).getInt64();
      bool complete = true;
      try {
        row.bind(1, number);
        while (row.executeStep()) complete = insert_row(insert, row, count) && complete;
      } catch (const SQLite::Exception& unreadable) {
        if (unreadable.getErrorCode() != SQLITE_CORRUPT) throw;
        complete = false;
      }
      row.tryReset();
      if (complete) continue;
      ++lost;
      if (std::string(table.name) == "run_evaluations")
        continue;  // what is there is right, the rest is restored
      bound(target_, format("DELETE FROM {} WHERE {} = ?", table.name, table.key), number).exec();
    }
    if (lost > 0) leave_out(format("{}: those of {} {}, or part of them", table.name, lost, parents));
  }

  void settle() {
    for (int before = -1, now = 0; before != now;) {
      before = now;
      target_.exec(drop_dangling);
      now = target_.getTotalChanges();
    }
    target_.exec(restore_links);
  }

  SQLite::Database& source_;
  SQLite::Database& target_;
  SalvageResult result_;
};

/// Throws Error that advises no salvage.
Database open_damaged(const fs::path& source) {
  try {
    return Database(source, OpenMode::inspect);
  } catch (const Error&) {
    if (!fs::is_regular_file(source)) throw;  // a pipe would wait
    const std::vector<std::uint32_t> pages = lookup::damaged_pages(source.string());
    if (pages.empty()) throw;
    throw Error(format(
        "nothing can be saved from {}: page {}, without which the others cannot be found, is damaged; restore "
        "a copy",
        source.string(), pages.front()));
  }
}

SalvageResult copy_sound_rows(const fs::path& source, const fs::path& path) {
  const Database from = open_damaged(source);
  Database into(path);
  Salvage salvage(from.connection(), into.connection());
  try {
    salvage.copy_all();
    constexpr int max_rounds = 10;  // what is dropped may leave others without a partner
    for (int round = 0; round < max_rounds && salvage.drop(check_database(into)); ++round) {
    }
    return salvage.take();
  } catch (const SQLite::Exception& exception) {
    throw to_error(exception, path);
  }
}

}  // namespace

SalvageResult salvage_database(const fs::path& source, const fs::path& target) {
  if (std::error_code ignored; fs::exists(target, ignored))
    throw UsageError(format("{} exists: name a new file, or remove it first", target.string()));
  try {
    Unfinished unfinished(target);
    SalvageResult result = copy_sound_rows(source, unfinished.path());
    unfinished.complete();
    return result;
  } catch (const fs::filesystem_error& error) {
    throw Error(format("cannot write {}: {}", target.string(), error.code().message()));
  }
}

}  // namespace tune::db
