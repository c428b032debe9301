// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/export.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "db/maintain/unfinished.hpp"
#include "db/store/file_identity.hpp"
#include "db/store/rows.hpp"
#include "db/store/schema.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace fs = std::filesystem;
namespace {

/// Returns `name IN (1,2)` for these numbers.
std::string among(const std::string& name, const std::vector<std::int64_t>& numbers) {
  return format("{} IN ({})", name, joined(numbers));
}

void choose(SQLite::Database& copy, const ExportFilter& filter) {
  Where where;
  where.add("problem = ?", filter.problem);
  where.add("size = ?", filter.size);
  where.device(filter.device);
  // Re-ranked evaluations stay: without them a run's ranking would change.
  if (filter.current_only) where.add("(current OR evaluation IN (SELECT evaluation FROM finals))");
  if (!filter.workloads.empty()) where.add(among("work", filter.workloads));
  if (!filter.runs.empty())
    where.add(
        format("evaluation IN (SELECT evaluation FROM run_evaluations WHERE {})", among("run", filter.runs)));
  SQLite::Statement insert(copy, format("INSERT INTO temp.chosen SELECT evaluation FROM {}{}",
                                        filter.best_only ? "best_by_versions" : "results", where.sql()));
  where.bind(insert);
  insert.exec();
  // Selected runs are exported even where other runs made the evaluations that they saw.
  if (filter.runs.empty()) {
    copy.exec(
        "INSERT INTO temp.kept_runs SELECT DISTINCT run FROM run_evaluations"
        " WHERE evaluation IN (SELECT id FROM temp.chosen)");
  } else {
    copy.exec(
        format("INSERT INTO temp.kept_runs SELECT id FROM runs WHERE {} AND EXISTS (SELECT 1 FROM "
               "run_evaluations l WHERE l.run = runs.id AND l.evaluation IN (SELECT id FROM temp.chosen))",
               among("id", filter.runs)));
  }
  copy.exec(
      "INSERT OR IGNORE INTO temp.kept_runs SELECT run FROM evaluations"
      " WHERE id IN (SELECT id FROM temp.chosen)");
}

/// Children are deleted before their parents, so that foreign keys hold all the time.
void drop_the_rest(SQLite::Database& copy, bool samples) {
  copy.exec(samples ? "DELETE FROM samples WHERE evaluation NOT IN (SELECT id FROM temp.chosen)"
                    : "DELETE FROM samples");
  copy.exec(R"(
DELETE FROM finals WHERE evaluation NOT IN (SELECT id FROM temp.chosen) OR run NOT IN (SELECT id FROM temp.kept_runs);
DELETE FROM run_evaluations WHERE evaluation NOT IN (SELECT id FROM temp.chosen)
                               OR run NOT IN (SELECT id FROM temp.kept_runs);
DELETE FROM evaluations WHERE id NOT IN (SELECT id FROM temp.chosen);
DELETE FROM run_sources WHERE run NOT IN (SELECT id FROM temp.kept_runs);
DELETE FROM runs WHERE id NOT IN (SELECT id FROM temp.kept_runs);
DELETE FROM works WHERE id NOT IN (SELECT work FROM runs);
DELETE FROM instances WHERE id NOT IN (SELECT instance FROM works);
DELETE FROM toolchains WHERE id NOT IN (SELECT toolchain FROM works);
DELETE FROM devices WHERE id NOT IN (SELECT device FROM runs);
)");
}

/// Re-rankings that lost places are numbered anew without gaps; the first is a winner, which ties with
/// itself.
void number_places_anew(SQLite::Database& copy) {
  copy.exec(R"(
CREATE TEMP TABLE places AS SELECT run, evaluation, place AS before,
                                   ROW_NUMBER() OVER (PARTITION BY run ORDER BY place) AS place FROM finals;
DELETE FROM temp.places WHERE run NOT IN (SELECT run FROM temp.places WHERE before <> place);
CREATE INDEX temp.places_by_final ON places (run, evaluation);
-- Away from the new numbers first: no two may be equal on the way.
UPDATE finals SET place = place + 1000000000 WHERE run IN (SELECT run FROM temp.places);
UPDATE finals SET tied = tied OR n.place = 1, place = n.place FROM temp.places n
 WHERE n.run = finals.run AND n.evaluation = finals.evaluation;
DROP TABLE temp.places;
)");
}

/// Returns a command line without the options that name a file of the machine that it ran on.
std::string without_files(const std::string& command) {
  std::string kept;
  for (std::size_t begin = 0; begin < command.size();) {
    const bool left_out = std::ranges::any_of(std::array{" --db ", " --out "}, [&](std::string_view option) {
      if (command.compare(begin, option.size(), option) != 0) return false;
      begin += option.size();
      return true;
    });
    if (!left_out) {
      kept += command[begin++];
      continue;
    }
    bool quoted = false;  // a word with spaces is in quotes
    for (; begin < command.size() && (quoted || command[begin] != ' '); ++begin)
      if (command[begin] == '\'') quoted = !quoted;
  }
  return kept;
}

/// A recording goes to other machines, where paths of this one say nothing.
void drop_paths(SQLite::Database& copy) {
  copy.exec("UPDATE run_sources SET file = replace(file, rtrim(file, replace(file, '/', '')), '')");
  SQLite::Statement run(copy, "SELECT id, command_line FROM runs WHERE command_line IS NOT NULL");
  std::vector<std::pair<std::int64_t, std::string>> changed;
  while (run.executeStep())
    changed.emplace_back(run.getColumn(0).getInt64(), without_files(run.getColumn(1).getString()));
  for (const auto& [id, command] : changed)
    bound(copy, "UPDATE runs SET command_line = ? WHERE id = ?", command, id).exec();
}

ExportResult make_copy(const fs::path& path, const ExportFilter& filter) {
  SQLite::Database copy(path.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs());
  copy.exec(
      "PRAGMA foreign_keys = ON;"
      "CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY);"
      "CREATE TEMP TABLE kept_runs (id INTEGER PRIMARY KEY)");
  make_views(copy, ViewPlace::file);
  choose(copy, filter);
  drop_the_rest(copy, filter.samples);
  number_places_anew(copy);
  copy.exec("DELETE FROM properties WHERE name = 'recording'");
  if (filter.recording) {
    copy.exec("INSERT INTO properties (name, value) VALUES ('recording', 'yes')");
    drop_paths(copy);
  }
  if (!filter.views) drop_views(copy);
  copy.exec("VACUUM");
  give_new_identity(copy);
  const auto count = [&copy](const char* table) {
    return copy.execAndGet(format("SELECT COUNT(*) FROM {}", table)).getInt64();
  };
  return {count("runs"), count("evaluations"), count("samples")};
}

}  // namespace

ExportResult export_database(const Database& source, const fs::path& target, const ExportFilter& filter) {
  if (fs::exists(target))
    throw UsageError(format("{} exists: name a new file, or remove it first", target.string()));
  ExportResult result;
  try {
    Unfinished unfinished(target);
    SQLite::Statement vacuum = bound(source.connection(), "VACUUM INTO ?", unfinished.path().string());
    vacuum.exec();
    result = make_copy(unfinished.path(), filter);
    unfinished.complete();
  } catch (const SQLite::Exception& exception) {
    throw to_error(exception, target);
  } catch (const fs::filesystem_error& error) {
    throw Error(format("cannot write {}: {}", target.string(), error.code().message()));
  }
  return result;
}

}  // namespace tune::db
