// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/remove.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

constexpr int minutes_of_silence = 10;  ///< after which a run without an end was killed

void refuse(SQLite::Database& connection, const Database& database, RunId run) {
  SQLite::Statement row(connection,
                        "SELECT r.ended IS NULL, MAX(r.started, COALESCE((SELECT MAX(recorded) FROM "
                        "evaluations e WHERE e.run = r.id), '')) > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?) "
                        "FROM runs r WHERE r.id = ?");
  row.bind(1, format("-{} minutes", minutes_of_silence));
  row.bind(2, run);
  if (!row.executeStep())
    throw Error(
        format("there is no run {} in {}; 'tune list runs' lists the runs", run, database.path().string()),
        Exit::no_answer);
  if (row.getColumn(0).getInt() != 0 && row.getColumn(1).getInt() != 0)
    throw Error(
        format("run {} may still be going on: end it with Ctrl-C; if it was killed, wait {} minutes "
               "after its last result",
               run, minutes_of_silence));
}

// Children go before their parents. An evaluation that another run saw, or timed again, stays with it.
constexpr const char* mark_and_move = R"(
CREATE TEMP TABLE moved AS
SELECT e.id AS id, MIN(o.run) AS run FROM evaluations e
JOIN (SELECT run, evaluation FROM run_evaluations UNION SELECT run, evaluation FROM finals) o
  ON o.evaluation = e.id AND o.run NOT IN (SELECT id FROM temp.gone)
WHERE e.run IN (SELECT id FROM temp.gone) GROUP BY e.id;
)";
constexpr const char* remove = R"(
UPDATE evaluations SET run = (SELECT m.run FROM temp.moved m WHERE m.id = evaluations.id)
  WHERE id IN (SELECT id FROM temp.moved);
DELETE FROM final_rounds WHERE run IN (SELECT id FROM temp.gone);
DELETE FROM finals WHERE run IN (SELECT id FROM temp.gone);
DELETE FROM run_evaluations WHERE run IN (SELECT id FROM temp.gone);
DELETE FROM samples WHERE evaluation IN (SELECT id FROM evaluations WHERE run IN (SELECT id FROM temp.gone));
DELETE FROM evaluations WHERE run IN (SELECT id FROM temp.gone);
DELETE FROM run_sources WHERE run IN (SELECT id FROM temp.gone);
DELETE FROM runs WHERE id IN (SELECT id FROM temp.gone);
DELETE FROM works WHERE id NOT IN (SELECT work FROM runs);
DELETE FROM instances WHERE id NOT IN (SELECT instance FROM works);
DELETE FROM toolchains WHERE id NOT IN (SELECT toolchain FROM works);
DELETE FROM devices WHERE id NOT IN (SELECT device FROM runs);
)";

}  // namespace

RemovalResult remove_runs(Database& database, const std::vector<RunId>& runs, bool try_only) {
  RemovalResult result;
  database.write(
      [&](SQLite::Database& connection) {
        const auto count = [&connection](const char* rows) {
          return connection.execAndGet(format("SELECT COUNT(*) FROM {}", rows)).getInt64();
        };
        connection.exec("CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)");
        for (const RunId run : runs) {
          refuse(connection, database, run);
          SQLite::Statement add(connection, "INSERT OR IGNORE INTO temp.gone VALUES (?)");
          add.bind(1, run);
          add.exec();
        }
        connection.exec(mark_and_move);
        const char* const own =
            "evaluations WHERE run IN (SELECT id FROM temp.gone) AND id NOT IN (SELECT id FROM temp.moved)";
        result.runs = count("temp.gone");
        result.kept = count("temp.moved");
        result.evaluations = count(own);
        result.samples = count(format("samples WHERE evaluation IN (SELECT id FROM {})", own).c_str());
        if (!try_only) connection.exec(remove);
        connection.exec("DROP TABLE temp.gone; DROP TABLE temp.moved");
      },
      Sync::now);
  return result;
}

}  // namespace tune::db
