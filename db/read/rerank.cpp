// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "db/read/result_rows.hpp"
#include "db/read/run_details.hpp"
#include "db/store/json.hpp"
#include "db/store/rerank_rows.hpp"
#include "db/store/rows.hpp"

namespace tune::db {
namespace {

constexpr const char* insert_place = R"(
INSERT INTO finals (run, evaluation, place, time, time_low, time_high, energy, ratio, ratio_low, ratio_high, tied,
                    rounds, reused)
VALUES (:run, :evaluation, :place, :time, :time_low, :time_high, :energy, :ratio, :ratio_low, :ratio_high, :tied,
        :rounds, :reused))";

constexpr const char* insert_round =
    "INSERT INTO final_rounds (run, evaluation, round, seconds, energy)"
    " VALUES (:run, :evaluation, :round, :seconds, :energy)";

constexpr const char* select_newest_run = R"(
SELECT r.id FROM runs r
WHERE r.work = ? AND r.objective = ? AND EXISTS (SELECT 1 FROM finals f WHERE f.run = r.id)
ORDER BY r.started DESC, r.id DESC LIMIT 1)";

constexpr const char* select_current_places = R"(
SELECT f.evaluation, e.configuration FROM finals f JOIN current_evaluations e ON e.id = f.evaluation
WHERE f.run = ? AND e.time IS NOT NULL ORDER BY f.place)";

constexpr const char* select_places = R"(
SELECT f.*, e.configuration FROM finals f JOIN evaluations e ON e.id = f.evaluation
WHERE f.run = ? ORDER BY f.place)";

std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::vector<RerankRound> rounds_of(SQLite::Database& connection, RunId run, std::int64_t evaluation) {
  SQLite::Statement row(
      connection, "SELECT seconds, energy FROM final_rounds WHERE run = ? AND evaluation = ? ORDER BY round");
  row.bind(1, run);
  row.bind(2, evaluation);
  std::vector<RerankRound> rounds;
  while (row.executeStep())
    rounds.push_back({real(row, "seconds"), optional_real(row, "energy").value_or(0)});
  return rounds;
}

RerankStanding result_of(SQLite::Statement& row) {
  RerankStanding result;
  result.run = integer(row, "run");
  result.place = integer(row, "place");
  result.rounds = integer(row, "rounds");
  result.time = rerank_interval(row, "time", "time_low", "time_high", result.rounds);
  result.ratio = rerank_interval(row, "ratio", "ratio_low", "ratio_high", result.rounds);
  result.tied = flag(row, "tied");
  return result;
}

}  // namespace

void insert_rerank(SQLite::Database& connection, const RerankKey& key, const RerankPlace& place) {
  SQLite::Statement insert(connection, insert_place);
  insert.bind(":run", key.run);
  insert.bind(":evaluation", key.evaluation);
  insert.bind(":place", key.place);
  insert.bind(":time", place.time.median);
  insert.bind(":time_low", place.time.low);
  insert.bind(":time_high", place.time.high);
  bind_optional(insert, ":energy", known(place.energy()));
  insert.bind(":ratio", place.ratio.median);
  insert.bind(":ratio_low", place.ratio.low);
  insert.bind(":ratio_high", place.ratio.high);
  insert.bind(":tied", place.tied ? 1 : 0);
  insert.bind(":rounds", static_cast<std::int64_t>(place.rounds.size()));
  insert.bind(":reused", key.reused ? 1 : 0);
  insert.exec();
  SQLite::Statement round(connection, insert_round);
  for (std::size_t i = 0; i < place.rounds.size(); ++i) {
    round.bind(":run", key.run);
    round.bind(":evaluation", key.evaluation);
    round.bind(":round", static_cast<std::int64_t>(i));
    round.bind(":seconds", place.rounds[i].seconds);
    bind_optional(round, ":energy", known(place.rounds[i].energy));
    run(round);
  }
}

RerankResult newest_rerank(SQLite::Database& connection, std::int64_t workload, Objective objective) {
  RerankResult rerank;
  rerank.objective = objective;
  SQLite::Statement newest(connection, select_newest_run);
  newest.bind(1, workload);
  newest.bind(2, std::string(to_string(objective)));
  if (!newest.executeStep()) return rerank;
  const RunId run = newest.getColumn(0).getInt64();
  SQLite::Statement row(connection, select_current_places);
  row.bind(1, run);
  while (row.executeStep()) {
    RerankPlace place;
    place.configuration = configuration_from_json(text(row, "configuration"));
    place.rounds = rounds_of(connection, run, integer(row, "evaluation"));
    rerank.places.push_back(std::move(place));
  }
  return rerank;
}

std::vector<RerankRow> rerank_of_run(const Database& database, RunId run) {
  std::vector<RerankRow> rows;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, select_places);
    row.bind(1, run);
    while (row.executeStep()) {
      RerankRow place;
      place.evaluation = integer(row, "evaluation");
      place.configuration = configuration_from_json(text(row, "configuration"));
      place.result = result_of(row);
      place.energy = optional_real(row, "energy").value_or(0);
      place.reused = flag(row, "reused");
      place.rounds = rounds_of(connection, run, place.evaluation);
      rows.push_back(std::move(place));
    }
  });
  return rows;
}

}  // namespace tune::db
