// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/merge_identity.hpp"

#include <algorithm>

#include "db/maintain/copy_rows.hpp"

namespace tune::db {

std::vector<RunIdentity> run_identities(SQLite::Database& connection) {
  // What a run reached, and what is computed of the problem, is no part of it.
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
    runs.push_back({row.getColumn(0).getInt64(), row_hash(row, 1, row.getColumnCount() - 1),
                    row.getColumn(1).getString() == "imported"});
  return runs;
}

EvaluationContent::EvaluationContent(SQLite::Database& connection) {
  const std::vector<std::string> columns = columns_of(connection, "evaluations", {"id", "run", "work"});
  sql_ = "SELECT e.id, e.run, " + listed(columns, "e.") + " FROM evaluations e";
  columns_ = static_cast<int>(columns.size());
}

std::string EvaluationContent::hash_of(SQLite::Statement& row) const {
  return row_hash(row, 2, columns_);
}

std::map<std::int64_t, std::string> seen_by_run(SQLite::Database& connection, std::int64_t run) {
  const std::vector<std::string> columns = columns_of(connection, "evaluations", {"id", "run", "work"});
  SQLite::Statement row(connection, "SELECT l.sequence, " + listed(columns, "e.") +
                                        " FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation"
                                        " WHERE l.run = ?");
  row.bind(1, run);
  std::map<std::int64_t, std::string> seen;
  while (row.executeStep())
    seen.emplace(row.getColumn(0).getInt64(), row_hash(row, 1, static_cast<int>(columns.size())));
  return seen;
}

bool compatible(const std::map<std::int64_t, std::string>& a, const std::map<std::int64_t, std::string>& b) {
  return std::ranges::all_of(a, [&](const auto& entry) {
    const auto found = b.find(entry.first);
    return found == b.end() || found->second == entry.second;
  });
}

}  // namespace tune::db
