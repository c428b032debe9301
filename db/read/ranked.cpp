// SPDX-License-Identifier: Apache-2.0
#include "db/read/ranked.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "db/read/result_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

using Numbers = std::vector<std::int64_t>;  ///< of evaluations, increasing

/// Says the same as the view `current_evaluations`, which would look for a later evaluation of each: in this
/// order the last of each configuration is current.
constexpr const char* select_by_configuration = R"(
SELECT configuration_key, id FROM evaluations WHERE work = ?
ORDER BY configuration_key, counts, recorded, id)";

Numbers current_of(SQLite::Database& connection, std::int64_t workload) {
  SQLite::Statement row = bound(connection, select_by_configuration, workload);
  Numbers current;
  std::string key;
  while (row.executeStep()) {
    const SQLite::Column column = row.getColumn(0);
    const std::string_view next(column.getText(), static_cast<std::size_t>(column.getBytes()));
    const std::int64_t id = row.getColumn(1).getInt64();
    if (!current.empty() && key == next) {
      current.back() = id;
    } else {
      key = next;
      current.push_back(id);
    }
  }
  std::ranges::sort(current);
  return current;
}

/// Says the same as the view `ranking` for one workload: what follows from the few re-rankings is computed
/// once, not for each evaluation.
constexpr const char* select_ranks = R"(
WITH places AS MATERIALIZED (
  SELECT f.evaluation, f.time, f.place, f.run, f.tied, f.energy,
         ROW_NUMBER() OVER (PARTITION BY f.evaluation ORDER BY r.started DESC, f.run DESC) AS age
  FROM runs r JOIN finals f ON f.run = r.id JOIN evaluations e ON e.id = f.evaluation
  WHERE r.work = ?1 AND r.objective = ?2 AND e.time IS NOT NULL)
SELECT evaluation, time, place, run, 0 AS outranked, tied, energy FROM places WHERE age = 1
UNION ALL
SELECT e.id, e.time, 0, 0,
       CASE WHEN EXISTS (SELECT 1 FROM places p JOIN current_evaluations c ON c.id = p.evaluation) THEN 1
            ELSE e.id IN (SELECT l.evaluation FROM run_evaluations l
                          WHERE l.run IN (SELECT f.run FROM runs r JOIN finals f ON f.run = r.id
                                          WHERE r.work = ?1 AND r.objective = ?2)) END, 0, 0
FROM evaluations e
WHERE e.work = ?1 AND e.time IS NOT NULL AND e.id NOT IN (SELECT evaluation FROM places))";

/// Finds an evaluation among all by number: mostly at once, because few numbers are left out.
std::vector<RankedEvaluation>::iterator find(std::vector<RankedEvaluation>& all, std::int64_t id) {
  if (all.empty() || id < all.front().evaluation) return all.end();
  const auto last = all.begin() + std::min(std::ssize(all) - 1, id - all.front().evaluation);
  if (last->evaluation == id) return last;
  const auto found = std::ranges::lower_bound(all.begin(), last, id, {}, &RankedEvaluation::evaluation);
  return found != last && found->evaluation == id ? found : all.end();
}

[[noreturn]] void refuse(const Database& database, std::int64_t evaluation) {
  throw Error(format("there is no evaluation {} in {}", evaluation, database.path().string()));
}

/// Calls `read` with the row of each evaluation, then `take` with its index and what was read.
template<class Read, class Take>
void each_in_file(const Database& database, const std::vector<RankedEvaluation>& ranked,
                  const std::string& columns, Read read, Take take) {
  constexpr std::int64_t nearby = 32;  // rows that are sooner passed than jumped over
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  order.reserve(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) order.emplace_back(ranked[i].evaluation, i);
  std::ranges::sort(order);
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement statement(
        connection, "SELECT id AS evaluation, " + columns + " FROM evaluations WHERE id >= ? ORDER BY id");
    ColumnPlaces places;
    const Row row(statement, places);
    std::int64_t at = -nearby - 1;
    for (const auto& [evaluation, index] : order) {
      if (evaluation - at > nearby) {
        statement.reset();
        statement.bind(1, evaluation);
        at = statement.executeStep() ? integer(row, "evaluation") : evaluation + 1;
      }
      while (at < evaluation && statement.executeStep()) at = integer(row, "evaluation");
      if (at != evaluation) refuse(database, evaluation);
      std::invoke_result_t<Read, const Row&> result;
      if (is_readable([&] { result = read(row); }))
        take(index, result);
      else
        database.leave_out(format("evaluation {}", evaluation));
    }
  });
}

Configuration configuration_of(const Row& row) {
  return configuration_from_json(text(row, "configuration"));
}

/// Sets the values of the measurements; those that have none keep 0.
void set_values(const Database& database, std::vector<RankedEvaluation>& ranked, const Objective& objective) {
  SQLite::Statement place(
      database.connection(),
      "SELECT metrics FROM finals WHERE run = ? AND evaluation = ? AND metrics IS NOT NULL");
  const auto set = [&](std::size_t index, ObjectiveFigures figures) {
    RankedEvaluation& one = ranked[index];
    if (one.time == 0) return;
    const double joules = one.rerank_run != 0 ? one.joules : figures.joules;
    place.bind(1, one.rerank_run);
    place.bind(2, one.evaluation);
    if (one.rerank_run != 0 && place.executeStep()) figures.metrics = metrics_of(place);
    place.reset();
    one.value = figures.value(one.time, joules, objective).value_or(0);
    one.both = figures.both(one.time, joules, objective).value_or(FrontValues{});
  };
  each_in_file(database, ranked, objective_columns, objective_figures, set);
}

/// Ranks the chosen evaluations of the workload.
std::vector<RankedEvaluation> ranked(const Database& database, SQLite::Database& connection,
                                     std::int64_t workload, const Numbers& chosen,
                                     const Objective& objective) {
  std::vector<RankedEvaluation> all;
  all.reserve(chosen.size());
  for (const std::int64_t evaluation : chosen) all.push_back({.evaluation = evaluation});
  SQLite::Statement row = bound(connection, select_ranks, workload, std::string(to_string(objective)));
  while (row.executeStep()) {
    const std::int64_t id = row.getColumn(0).getInt64();
    const auto found = find(all, id);
    if (found == all.end()) continue;
    const double time = row.getColumn(1).getDouble();
    *found = {.evaluation = id,
              .time = time,
              .value = time,
              .joules = row.getColumn(6).getDouble(),
              .place = row.getColumn(2).getInt64(),
              .rerank_run = row.getColumn(3).getInt64(),
              .outranked = row.getColumn(4).getInt() != 0,
              .tied = row.getColumn(5).getInt() != 0};
  }
  if (objective != Objective::time) {
    for (RankedEvaluation& one : all) one.value = 0;
    set_values(database, all, objective);
  }
  std::ranges::sort(all, {}, [](const RankedEvaluation& one) {
    return std::tuple(one.time == 0, one.value == 0, one.outranked, one.value, one.place, one.evaluation);
  });
  return all;
}

}  // namespace

std::vector<RankedEvaluation> ranked_of_workload(const Database& database, std::int64_t workload,
                                                 const Objective& objective) {
  std::vector<RankedEvaluation> all;
  database.read([&](SQLite::Database& connection) {
    all = ranked(database, connection, workload, current_of(connection, workload), objective);
  });
  return all;
}

std::vector<RankedEvaluation> ranked_of_run(const Database& database, RunId run, const Objective& objective) {
  std::vector<RankedEvaluation> all;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement workload = bound(connection, "SELECT work FROM runs WHERE id = ?", run);
    if (!workload.executeStep()) return;
    SQLite::Statement row = bound(
        connection, "SELECT DISTINCT evaluation FROM run_evaluations WHERE run = ? ORDER BY evaluation", run);
    Numbers seen;
    while (row.executeStep()) seen.push_back(row.getColumn(0).getInt64());
    all = ranked(database, connection, workload.getColumn(0).getInt64(), seen, objective);
    const Numbers current = current_of(connection, workload.getColumn(0).getInt64());
    for (RankedEvaluation& one : all) one.current = std::ranges::binary_search(current, one.evaluation);
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

namespace {

constexpr const char* figure_columns =
    "configuration, error, registers, spill_store_bytes, spill_load_bytes, local_bytes,"
    " static_shared_memory, dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor,"
    " occupancy, limiter, compile_seconds, reference_seconds, load_seconds, verify_seconds, measure_seconds,"
    " metrics";

}  // namespace

void each_figures(const Database& database, const std::vector<RankedEvaluation>& ranked,
                  const std::function<void(std::size_t, const EvaluationFigures&)>& take) {
  const auto figures = [](const Row& row) {
    return EvaluationFigures{configuration_of(row), optional_real(row, "error").value_or(0), resources(row),
                             phase_times(row), metrics_of(row)};
  };
  each_in_file(database, ranked, figure_columns, figures, take);
}

void each_configuration(const Database& database, const std::vector<RankedEvaluation>& ranked,
                        const std::function<void(std::size_t, const Configuration&)>& take) {
  each_in_file(database, ranked, "configuration", configuration_of, take);
}

std::vector<FrontMember> front_among(const Database& database, const std::vector<RankedEvaluation>& ranked) {
  const bool any_tied = std::ranges::any_of(ranked, &RankedEvaluation::tied);
  std::vector<RankedEvaluation> known;
  std::ranges::copy_if(ranked, std::back_inserter(known), [any_tied](const RankedEvaluation& one) {
    return one.value > 0 && (one.tied || !any_tied);
  });
  std::vector<FrontValues> values;
  for (const RankedEvaluation& one : known) values.push_back(one.both);
  std::vector<RankedEvaluation> members;
  for (const std::size_t i : front_of(values)) members.push_back(known[i]);
  std::vector<FrontMember> front;
  each_configuration(database, members, [&](std::size_t index, const Configuration& configuration) {
    front.push_back({configuration, members[index].both});
  });
  std::ranges::sort(front, {}, &FrontMember::values);
  return front;
}

std::vector<FailureCount> failures_of(const Database& database, const std::vector<RankedEvaluation>& ranked) {
  struct Group {
    std::int64_t count = 0, first = 0;  ///< the first evaluation
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  std::vector<RankedEvaluation> failed;
  std::ranges::copy_if(ranked, std::back_inserter(failed), [](const auto& one) { return one.time == 0; });
  const auto cause = [](const Row& row) { return std::pair(text(row, "phase"), text(row, "reason")); };
  each_in_file(database, failed, "phase, reason", cause, [&](std::size_t index, const auto& found) {
    Group& group = groups[found];
    if (group.count++ == 0) group.first = failed[index].evaluation;
  });
  std::vector<FailureCount> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, "SELECT * FROM evaluations WHERE id = ?");
    for (const auto& [names, group] : groups) {
      row.bind(1, group.first);
      each_readable(database, row, "evaluation", "id",
                    [&, count = group.count] { result.push_back(failure_count(row, count)); });
      row.reset();
    }
  });
  sort_failures(result);
  return result;
}

/// A row has few parts of its own: what its run decides is read once from the view `results`.
struct ResultReader::Parts {
  explicit Parts(SQLite::Database& connection)
      : whole(connection, "SELECT * FROM results WHERE evaluation = ?"),
        place(connection, "SELECT * FROM finals WHERE run = ? AND evaluation = ?"),
        own(connection,
            "SELECT e.*, e.id AS evaluation, e.time AS measured_time,"
            " (SELECT COUNT(*) FROM samples s WHERE s.evaluation = e.id) AS samples"
            " FROM evaluations e WHERE e.id = ?") {}

  /// Reads the row of an evaluation.
  ResultRow read_whole(const Row& row) {
    constexpr std::size_t most = 1'000;
    ResultRow result = result_row(row);
    if (known.size() >= most) known.clear();
    known.try_emplace(result.run, Run{result.workload, result.board, result.amount});
    return result;
  }

  struct Run {
    Workload workload;
    Board board;
    WorkloadCost amount;
  };
  SQLite::Statement whole, place, own;
  ColumnPlaces whole_places, own_places;
  std::unordered_map<RunId, Run> known;
};

ResultReader::ResultReader(const Database& database, std::size_t rows) : database_(database) {
  constexpr std::size_t many = 10'000;
  database.read([&](SQLite::Database& connection) {
    parts_ = std::make_unique<Parts>(connection);
    // KiB: in the order of ranks, pages are read again and again.
    if (rows >= many) connection.exec("PRAGMA cache_size = -65536");
  });
}

ResultReader::~ResultReader() = default;

std::optional<ResultRow> ResultReader::row(const RankedEvaluation& ranked) {
  std::optional<ResultRow> result;
  const auto read_one = [&](SQLite::Statement& statement, const auto& read) {
    statement.bind(1, ranked.evaluation);
    if (!statement.executeStep()) refuse(database_, ranked.evaluation);
    if (!is_readable(read)) {
      result.reset();
      database_.leave_out(format("evaluation {}", ranked.evaluation));
    }
    statement.reset();
  };
  const auto read_whole = [&] {
    read_one(parts_->whole, [&] { result = parts_->read_whole(Row(parts_->whole, parts_->whole_places)); });
  };
  const auto read_own = [&] {
    bool run_is_known = true;
    read_one(parts_->own, [&] {
      const Row row(parts_->own, parts_->own_places);
      const auto run = parts_->known.find(integer(row, "run"));
      run_is_known = run != parts_->known.end();
      if (!run_is_known) return;
      result = evaluation_row(row);
      result->workload = run->second.workload;
      result->board = run->second.board;
      result->amount = run->second.amount;
      result->current = ranked.current;
    });
    if (!run_is_known) read_whole();
  };
  database_.read([&](SQLite::Database&) {
    read_own();
    if (!result || ranked.time == 0) return;
    result->time = ranked.time;
    result->value = ranked.value;
    result->rerank.reset();
    if (ranked.rerank_run == 0) return;
    parts_->place.bind(1, ranked.rerank_run);
    parts_->place.bind(2, ranked.evaluation);
    if (parts_->place.executeStep()) result->rerank = place_standing(parts_->place);
    parts_->place.reset();
  });
  return result;
}

}  // namespace tune::db
