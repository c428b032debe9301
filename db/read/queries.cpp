// SPDX-License-Identifier: Apache-2.0
#include "db/read/queries.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cmath>

#include "db/read/result_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::db {
namespace {

constexpr const char* select_problems = R"(
SELECT i.problem AS problem, COUNT(DISTINCT w.instance) AS instances, COUNT(DISTINCT w.model_key) AS devices,
       SUM((SELECT COUNT(*) FROM runs r WHERE r.work = w.id)) AS runs,
       SUM((SELECT COUNT(*) FROM evaluations e WHERE e.work = w.id)) AS evaluations,
       SUM((SELECT COUNT(*) FROM evaluations e WHERE e.work = w.id AND e.phase IS NOT NULL)) AS failures,
       SUM(CASE WHEN w.origin = 'replayed' THEN (SELECT COUNT(*) FROM evaluations e WHERE e.work = w.id) ELSE 0 END)
         AS replayed,
       MAX((SELECT MAX(r.started) FROM runs r WHERE r.work = w.id)) AS last_run
FROM works w JOIN instances i ON i.id = w.instance
GROUP BY i.problem ORDER BY i.problem)";

constexpr const char* select_devices = R"(
SELECT w.model_key AS model_key,
       SUM((SELECT COUNT(*) FROM runs r WHERE r.work = w.id)) AS runs,
       SUM((SELECT COUNT(*) FROM evaluations e WHERE e.work = w.id)) AS evaluations,
       SUM(CASE WHEN w.origin = 'replayed' THEN (SELECT COUNT(*) FROM evaluations e WHERE e.work = w.id) ELSE 0 END)
         AS replayed,
       MAX((SELECT MAX(r.started) FROM runs r WHERE r.work = w.id)) AS last_run
FROM works w GROUP BY w.model_key ORDER BY w.model_key)";

constexpr const char* select_newest_properties = R"(
SELECT d.* FROM devices d JOIN runs r ON r.device = d.id
WHERE d.model_key = ? ORDER BY r.started DESC, r.id DESC LIMIT 1)";

void add_details(const Database& database, SQLite::Database& connection, DeviceSummary& device) {
  SQLite::Statement newest = bound(connection, select_newest_properties, device.model_key);
  each_readable(database, newest, "device", "id", [&] {
    device.name = text(newest, "name");
    device.architecture = text(newest, "architecture");
    device.properties = properties_from_json(text(newest, "facts"));
  });
  SQLite::Statement drivers = bound(
      connection, "SELECT DISTINCT driver FROM works WHERE model_key = ? ORDER BY driver", device.model_key);
  while (drivers.executeStep()) device.drivers.push_back(text(drivers, "driver"));
}

Where conditions(const ResultFilter& filter) {
  Where where;
  where.add("problem = ?", filter.problem);
  where.add("size = ?", filter.size);
  where.add("settings = ?", filter.settings);
  where.device(filter.device);
  where.add("evaluation IN (SELECT evaluation FROM run_evaluations WHERE run = ?)", filter.run);
  where.add("work = ?", filter.workload);
  if (filter.origin) where.add("origin = ?", std::optional(std::string(to_string(*filter.origin))));
  if (filter.cache) where.add("cache = ?", std::optional(std::string(to_string(*filter.cache))));
  if (!filter.failures) where.add("time IS NOT NULL");
  if (!filter.superseded) where.add("current");
  return where;
}

}  // namespace

std::vector<ProblemSummary> list_problems(const Database& database) {
  std::vector<ProblemSummary> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, select_problems);
    while (row.executeStep())
      result.push_back({text(row, "problem"), integer(row, "instances"), integer(row, "devices"),
                        integer(row, "runs"), integer(row, "evaluations"), integer(row, "failures"),
                        integer(row, "replayed"), text_or_empty(row, "last_run")});
  });
  return result;
}

bool has_imported(const Database& database, const std::string& problem) {
  bool found = false;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = bound(connection,
                                  "SELECT 1 FROM instances i JOIN works w ON w.instance = i.id"
                                  " WHERE i.problem = ? AND w.origin = 'imported' LIMIT 1",
                                  problem);
    found = row.executeStep();
  });
  return found;
}

std::vector<DeviceSummary> list_devices(const Database& database) {
  std::vector<DeviceSummary> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, select_devices);
    while (row.executeStep()) {
      DeviceSummary device;
      device.model_key = text(row, "model_key");
      device.runs = integer(row, "runs");
      device.evaluations = integer(row, "evaluations");
      device.replayed = integer(row, "replayed");
      device.last_run = text_or_empty(row, "last_run");
      add_details(database, connection, device);
      result.push_back(std::move(device));
    }
  });
  return result;
}

std::vector<RunSummary> list_runs(const Database& database, const RunFilter& filter) {
  Where where;
  where.add("problem = ?", filter.problem);
  where.device(filter.device);
  where.add("work = ?", filter.workload);
  where.add("run IN (SELECT id FROM runs WHERE command_line = ?)", filter.command_line);
  std::vector<RunSummary> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, "SELECT * FROM run_overview" + where.sql() +
                                          " ORDER BY started DESC, run DESC" + limit_sql(filter.limit));
    where.bind(row);
    each_readable(database, row, "run", "run", [&] { result.push_back(run_summary(row)); });
  });
  return result;
}

std::vector<ResultRow> list_results(const Database& database, const ResultFilter& filter) {
  const Where where = conditions(filter);
  std::vector<ResultRow> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, "SELECT * FROM results" + where.sql() +
                                          " ORDER BY time IS NULL, outranked, time, rank_place, evaluation" +
                                          limit_sql(filter.limit));
    where.bind(row);
    each_readable(database, row, "evaluation", "evaluation", [&] { result.push_back(result_row(row)); });
  });
  return result;
}

}  // namespace tune::db
