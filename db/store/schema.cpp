// SPDX-License-Identifier: Apache-2.0
#include "db/store/schema.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "lookup/src/checked_pages.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {

/// Returns names and texts, generated at build time from the list in CMakeLists.txt.
std::span<const std::pair<std::string_view, std::string_view>> schema_files();

namespace {

/// Returns the number in front of a file's name.
int version_of(std::string_view name) {
  int version = 0;
  std::from_chars(name.data(), name.data() + name.size(), version);
  return version;
}

}  // namespace

std::vector<Migration> migrations() {
  std::vector<Migration> result;
  for (const auto& [name, sql] : schema_files()) result.push_back({version_of(name), name, sql});
  return result;
}

int schema_version() {
  return version_of(schema_files().back().first);
}

bool request_checksums(SQLite::Database& connection) {
  int bytes = lookup::checksum_bytes;
  sqlite3_file_control(connection.getHandle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  return bytes < lookup::checksum_bytes && connection.execAndGet("PRAGMA page_count").getInt() > 0;
}

void migrate(SQLite::Database& connection, std::span<const Migration> steps) {
  const auto number = [&connection](const char* sql) { return connection.execAndGet(sql).getInt64(); };
  const auto version = [&number] { return number("PRAGMA user_version"); };
  const int last = steps.back().version;
  // Only read here: most openings find the schema current and should not wait for a writer.
  const bool without = last >= lookup::first_checked_schema && request_checksums(connection);
  if (version() >= last && !without) return;
  for (;;) {
    const std::int64_t before = number("PRAGMA data_version");
    if (without) connection.exec("VACUUM");
    SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
    // Another process may have written since, an older program without checksums.
    if (without && number("PRAGMA data_version") != before) continue;
    for (const Migration& step : steps) {
      if (version() >= step.version) continue;
      connection.exec(std::string(step.sql));
      connection.exec(format("PRAGMA application_id = {}", application_id));
      connection.exec(format("PRAGMA user_version = {}", step.version));
    }
    transaction.commit();
    return;
  }
}

namespace {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

NamedTexts views_of(SQLite::Database& connection) {
  NamedTexts views;
  SQLite::Statement row(connection,
                        "SELECT name, sql FROM main.sqlite_schema WHERE type = 'view' ORDER BY rowid");
  while (row.executeStep()) views.emplace_back(row.getColumn(0).getString(), row.getColumn(1).getString());
  return views;
}

/// Returns the views that all migrations together leave: the last one that makes views makes all of them
/// anew. Running the migrations would take a third of the time of a lookup.
NamedTexts views_of_schema() {
  constexpr std::string_view create = "\nCREATE VIEW ";
  const auto files = schema_files();
  const auto last = std::find_if(files.rbegin(), files.rend(), [&](const auto& file) {
    return file.second.find(create) != std::string_view::npos;
  });
  NamedTexts views;
  const std::string_view sql = last->second;
  for (std::size_t at = sql.find(create); at != std::string_view::npos; at = sql.find(create, at + 1)) {
    const std::string_view text = sql.substr(at + 1, sql.find(";\n", at) - at - 1);
    const std::string_view name = text.substr(create.size() - 1);
    views.emplace_back(name.substr(0, name.find(' ')), text);
  }
  return views;
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
