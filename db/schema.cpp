// SPDX-License-Identifier: Apache-2.0
#include "db/schema.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <string>
#include <utility>

#include "tuner/core/format.hpp"

namespace tune::db {

/// Generated at build time from the list in CMakeLists.txt: names and texts.
std::span<const std::pair<std::string_view, std::string_view>> schema_files();

std::vector<Migration> migrations() {
  std::vector<Migration> result;
  for (const auto& [name, sql] : schema_files())
    result.push_back({static_cast<int>(result.size()) + 1, name, sql});
  return result;
}

int schema_version() {
  return static_cast<int>(schema_files().size());
}

void migrate(SQLite::Database& connection, std::span<const Migration> steps) {
  const auto version = [&connection] { return connection.execAndGet("PRAGMA user_version").getInt(); };
  for (const Migration& step : steps) {
    // Only read here: most openings find the schema current and should not wait for a writer.
    if (version() >= step.version) continue;
    SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
    // Another process may have applied it while this one waited for the lock.
    if (version() >= step.version) continue;
    connection.exec(std::string(step.sql));
    connection.exec(format("PRAGMA application_id = {}", application_id));
    connection.exec(format("PRAGMA user_version = {}", step.version));
    transaction.commit();
  }
}

}  // namespace tune::db
