// SPDX-License-Identifier: Apache-2.0
#include "db/store/schema.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <charconv>
#include <string>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::db {

/// Generated at build time from the list in CMakeLists.txt: names and texts.
std::span<const std::pair<std::string_view, std::string_view>> schema_files();

namespace {

/// The number in front of a file's name.
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
