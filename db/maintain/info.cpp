// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/info.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "db/store/schema.hpp"

namespace tune::db {
namespace {

std::vector<DatabaseInfo::Count> counts(SQLite::Database& connection, const std::string& name,
                                        const std::string& joins) {
  SQLite::Statement row(connection, "SELECT " + name +
                                        " AS name, SUM(w.n) AS n FROM (SELECT work AS id, run,"
                                        " COUNT(*) AS n FROM evaluations GROUP BY work, run) w " +
                                        joins + " GROUP BY 1 ORDER BY 2 DESC, 1");
  std::vector<DatabaseInfo::Count> result;
  while (row.executeStep()) result.push_back({row.getColumn(0).getString(), row.getColumn(1).getInt64()});
  return result;
}

void count_contents(SQLite::Database& connection, DatabaseInfo& info) {
  const auto number = [&connection](const char* sql) { return connection.execAndGet(sql).getInt64(); };
  info.problems = number("SELECT COUNT(DISTINCT problem) FROM instances");
  info.instances = number("SELECT COUNT(*) FROM instances");
  info.devices = number("SELECT COUNT(DISTINCT model_key) FROM works");
  info.workloads = number("SELECT COUNT(*) FROM works");
  info.runs = number("SELECT COUNT(*) FROM runs");
  info.unended_runs = number("SELECT COUNT(*) FROM runs WHERE ended IS NULL");
  info.evaluations = number("SELECT COUNT(*) FROM evaluations");
  info.failures = number("SELECT COUNT(*) FROM evaluations WHERE phase IS NOT NULL");
  info.superseded = info.evaluations -
                    number("SELECT COUNT(*) FROM (SELECT DISTINCT work, configuration_key FROM evaluations)");
  info.samples = number("SELECT COUNT(*) FROM samples");
  if (info.schema >= 2) info.rerank = number("SELECT COUNT(DISTINCT run) FROM finals");
  info.first =
      connection.execAndGet("SELECT COALESCE(MIN(recorded), '') FROM evaluations WHERE recorded <> ''")
          .getString();
  info.last = connection.execAndGet("SELECT COALESCE(MAX(recorded), '') FROM evaluations").getString();
  const std::string workloads = "JOIN works k ON k.id = w.id ";
  info.by_problem = counts(connection, "i.problem", workloads + "JOIN instances i ON i.id = k.instance");
  // A device of another program has only a name.
  info.by_device = counts(connection, "replace(k.model_key, ' sm_00 0 SMs 0 GiB', '')", workloads);
  info.by_origin = counts(connection, "k.origin", workloads);
  info.by_toolchain = counts(connection, "t.compiler || ', driver ' || k.driver",
                             workloads + "JOIN toolchains t ON t.id = k.toolchain");
  if (info.schema >= 4)
    info.by_source =
        counts(connection, "s.file || ' (' || s.format || ')'", "JOIN run_sources s ON s.run = w.run");
}

}  // namespace

DatabaseInfo database_info(const Database& database) {
  DatabaseInfo info;
  info.program_schema = schema_version();
  info.bytes = file_bytes(database.path());
  info.log_bytes = file_bytes(database.path().string() + "-wal");
  database.read([&](SQLite::Database& connection) {
    info.schema = connection.execAndGet("PRAGMA user_version").getInt();
    info.journal = connection.execAndGet("PRAGMA journal_mode").getString();
    info.page_size = connection.execAndGet("PRAGMA page_size").getInt64();
    info.pages = connection.execAndGet("PRAGMA page_count").getInt64();
    info.free_pages = connection.execAndGet("PRAGMA freelist_count").getInt64();
    count_contents(connection, info);
  });
  return info;
}

}  // namespace tune::db
