// SPDX-License-Identifier: Apache-2.0
#include "tests/db/contents.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <initializer_list>

#include "db/maintain/copy_rows.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

/// A CTE with one text for each row of the table, from the columns that are not numbers of rows.
std::string texts(SQLite::Database& connection, const std::string& table, const std::string& more,
                  std::initializer_list<std::string_view> without) {
  return format("json_array({}{})", db::listed(db::columns_of(connection, table, without), "x."), more);
}

}  // namespace

std::multiset<std::string> contents(const db::Database& database) {
  SQLite::Database& connection = database.connection();
  const std::string with = format(
      "WITH run AS (SELECT x.id, {} AS said FROM runs x JOIN works w ON w.id = x.work"
      " JOIN instances i ON i.id = w.instance JOIN toolchains t ON t.id = w.toolchain"
      " JOIN devices d ON d.id = x.device),"
      " evaluation AS (SELECT x.id, x.run, {} AS said FROM evaluations x) ",
      texts(connection, "runs",
            ", i.problem, i.size, i.settings_key, i.extents, i.settings, w.model_key, w.driver, w.origin, "
            "w.cache,"
            " t.compiler, t.source_hash, d.facts",
            {"id", "work", "device"}),
      texts(connection, "evaluations",
            ", (SELECT group_concat(seconds) FROM (SELECT * FROM samples s WHERE s.evaluation = x.id ORDER "
            "BY ordinal))",
            {"id", "run", "work"}));
  std::multiset<std::string> lines;
  const auto add = [&](const char* what, const std::string& select) {
    SQLite::Statement row(connection, with + select);
    while (row.executeStep()) lines.insert(format("{} {}", what, row.getColumn(0).getString()));
  };
  add("run", "SELECT said FROM run");
  add("evaluation", "SELECT run.said || e.said FROM evaluation e JOIN run ON run.id = e.run");
  add("seen",
      "SELECT run.said || l.sequence || l.reused || o.said || e.said FROM run_evaluations l JOIN run ON"
      " run.id = l.run JOIN evaluation e ON e.id = l.evaluation JOIN run o ON o.id = e.run");
  for (const char* table : {"finals", "final_rounds"})
    add(table, format("SELECT run.said || e.said || {} FROM {} x JOIN run ON run.id = x.run JOIN evaluation e"
                      " ON e.id = x.evaluation",
                      texts(connection, table, "", {"run", "evaluation"}), table));
  return lines;
}

std::string damage(const db::Database& database) {
  const std::string integrity = database.connection().execAndGet("PRAGMA integrity_check").getString();
  const int dangling =
      database.connection().execAndGet("SELECT COUNT(*) FROM pragma_foreign_key_check").getInt();
  return (integrity == "ok" ? "" : integrity) + (dangling == 0 ? "" : format("; {} dangling", dangling));
}

}  // namespace tune::testing
