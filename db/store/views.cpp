// SPDX-License-Identifier: Apache-2.0
#include "db/store/views.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/store/schema.hpp"

namespace tune::db {
namespace {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

NamedTexts views_of(SQLite::Database& connection) {
  NamedTexts views;
  SQLite::Statement row(connection,
                        "SELECT name, sql FROM main.sqlite_schema WHERE type = 'view' ORDER BY rowid");
  while (row.executeStep()) views.emplace_back(row.getColumn(0).getString(), row.getColumn(1).getString());
  return views;
}

/// As all migrations together leave them.
NamedTexts views_of_schema() {
  SQLite::Database empty(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(empty, migrations());
  return views_of(empty);
}

}  // namespace

bool has_views(SQLite::Database& connection) {
  return connection.execAndGet("SELECT COUNT(*) FROM main.sqlite_schema WHERE type = 'view'").getInt() > 0;
}

void make_views(SQLite::Database& connection, ViewPlace place) {
  if (has_views(connection)) return;
  const NamedTexts views = views_of_schema();
  if (place == ViewPlace::connection) {
    constexpr std::string_view create = "CREATE ";
    for (const auto& [name, text] : views) connection.exec("CREATE TEMP " + text.substr(create.size()));
    return;
  }
  SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
  if (has_views(connection)) return;  // another process made them while this one waited
  for (const auto& [name, text] : views) connection.exec(text);
  transaction.commit();
}

void drop_views(SQLite::Database& connection) {
  for (const auto& [name, text] : views_of(connection)) connection.exec("DROP VIEW main." + name);
}

}  // namespace tune::db
