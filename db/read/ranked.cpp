// SPDX-License-Identifier: Apache-2.0
#include "db/read/ranked.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "db/read/result_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

/// Ranks the evaluations that `chosen` selects: number, and whether it failed; by number. SQLite would join
/// them with `ranking` by computing that for each.
std::vector<RankedEvaluation> ranked(SQLite::Statement& chosen, SQLite::Statement& ranking) {
  std::vector<RankedEvaluation> all;
  while (chosen.executeStep()) all.push_back({.evaluation = chosen.getColumn(0).getInt64()});
  while (ranking.executeStep()) {
    const std::int64_t id = ranking.getColumn(0).getInt64();
    const auto found = std::ranges::lower_bound(all, id, {}, &RankedEvaluation::evaluation);
    if (found == all.end() || found->evaluation != id) continue;
    *found = {id, ranking.getColumn(1).getDouble(), ranking.getColumn(2).getInt() != 0,
              ranking.getColumn(3).getInt64(), ranking.getColumn(4).getInt64()};
  }
  std::ranges::sort(all, {}, [](const RankedEvaluation& one) {
    return std::tuple(one.time == 0, one.outranked, one.time, one.place, one.evaluation);
  });
  return all;
}

constexpr const char* select_ranks =
    "SELECT evaluation, time, outranked, place, COALESCE(final_run, 0) FROM ranking WHERE work = ?";

}  // namespace

std::vector<RankedEvaluation> ranked_of_workload(const Database& database, std::int64_t workload) {
  std::vector<RankedEvaluation> all;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement chosen =
        bound(connection, "SELECT id FROM current_evaluations WHERE work = ? ORDER BY id", workload);
    SQLite::Statement ranking = bound(connection, select_ranks, workload);
    all = ranked(chosen, ranking);
  });
  return all;
}

std::vector<RankedEvaluation> ranked_of_run(const Database& database, RunId run) {
  std::vector<RankedEvaluation> all;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement workload = bound(connection, "SELECT work FROM runs WHERE id = ?", run);
    if (!workload.executeStep()) return;
    SQLite::Statement chosen = bound(
        connection, "SELECT DISTINCT evaluation FROM run_evaluations WHERE run = ? ORDER BY evaluation", run);
    SQLite::Statement ranking = bound(connection, select_ranks, workload.getColumn(0).getInt64());
    all = ranked(chosen, ranking);
  });
  return all;
}

std::vector<std::int64_t> evaluations_of(const Database& database, std::int64_t workload,
                                         const Configuration& configuration) {
  std::vector<std::int64_t> all;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row =
        bound(connection, "SELECT id FROM evaluations WHERE work = ? AND configuration_key = ?", workload,
              configuration.key());
    while (row.executeStep()) all.push_back(row.getColumn(0).getInt64());
  });
  return all;
}

struct ResultReader::Statements {
  explicit Statements(SQLite::Database& connection)
      : row(connection, "SELECT * FROM results WHERE evaluation = ?"),
        configuration(connection, "SELECT configuration FROM evaluations WHERE id = ?") {}

  SQLite::Statement row, configuration;
};

ResultReader::ResultReader(const Database& database) : database_(database) {
  database.read(
      [this](SQLite::Database& connection) { statements_ = std::make_unique<Statements>(connection); });
}

ResultReader::~ResultReader() = default;

namespace {

/// Reads the row of an evaluation, and makes the statement ready for the next.
template<class Read>
auto read_one(const Database& database, SQLite::Statement& statement, std::int64_t evaluation, Read read) {
  std::optional<std::invoke_result_t<Read, SQLite::Statement&>> result;
  database.read([&](SQLite::Database&) {
    statement.bind(1, evaluation);
    if (!statement.executeStep())
      throw Error(format("there is no evaluation {} in {}", evaluation, database.path().string()));
    if (!is_readable([&] { result = read(statement); }))
      database.leave_out(format("evaluation {}", evaluation));
    statement.reset();
  });
  return result;
}

}  // namespace

std::optional<ResultRow> ResultReader::row(std::int64_t evaluation) {
  return read_one(database_, statements_->row, evaluation, result_row);
}

std::optional<Configuration> ResultReader::configuration(std::int64_t evaluation) {
  return read_one(database_, statements_->configuration, evaluation,
                  [](SQLite::Statement& row) { return configuration_from_json(text(row, "configuration")); });
}

}  // namespace tune::db
