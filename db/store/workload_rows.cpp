// SPDX-License-Identifier: Apache-2.0
#include "db/store/workload_rows.hpp"

#include <SQLiteCpp/Statement.h>

#include "db/store/json.hpp"
#include "tuner/base/content_hash.hpp"

namespace tune::db {
namespace {

/// The id that the statement finds with the texts bound in order.
std::optional<std::int64_t> find(SQLite::Statement& statement) {
  if (!statement.executeStep()) return std::nullopt;
  return statement.getColumn(0).getInt64();
}

template<class... Values>
SQLite::Statement bound(SQLite::Database& connection, const char* sql, const Values&... values) {
  SQLite::Statement statement(connection, sql);
  int index = 0;
  (statement.bind(++index, values), ...);
  return statement;
}

std::int64_t instance_row(SQLite::Database& connection, const Instance& instance) {
  bound(connection,
        "INSERT INTO instances (problem, size, settings_key, extents, settings) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (problem, size, settings_key) DO NOTHING",
        instance.problem, instance.size(), instance.settings_key(), to_json(instance.extents),
        to_json(instance.settings))
      .exec();
  auto row = bound(connection, "SELECT id FROM instances WHERE problem = ? AND size = ? AND settings_key = ?",
                   instance.problem, instance.size(), instance.settings_key());
  return find(row).value();
}

std::int64_t toolchain_row(SQLite::Database& connection, const Toolchain& toolchain) {
  bound(connection, "INSERT INTO toolchains (compiler, source_hash) VALUES (?, ?) ON CONFLICT DO NOTHING",
        toolchain.compiler, toolchain.source_hash)
      .exec();
  auto row = bound(connection, "SELECT id FROM toolchains WHERE compiler = ? AND source_hash = ?",
                   toolchain.compiler, toolchain.source_hash);
  return find(row).value();
}

}  // namespace

std::int64_t device_row(SQLite::Database& connection, const DeviceProperties& properties) {
  const std::string json = to_json(properties);
  const std::string hash = content_hash(json);
  bound(connection,
        "INSERT INTO devices (facts_hash, model_key, name, uuid, architecture, driver, facts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (facts_hash) DO NOTHING",
        hash, properties.model_key(), properties.name, properties.uuid, properties.architecture(),
        properties.driver, json)
      .exec();
  auto row = bound(connection, "SELECT id FROM devices WHERE facts_hash = ?", hash);
  return find(row).value();
}

std::int64_t workload_row(SQLite::Database& connection, const WorkloadKey& key) {
  const std::int64_t instance = instance_row(connection, key.instance);
  const std::int64_t toolchain = toolchain_row(connection, key.toolchain);
  bound(connection,
        "INSERT INTO works (instance, model_key, driver, toolchain, origin, cache) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (instance, model_key, driver, toolchain, origin, cache) DO NOTHING",
        instance, key.device.model_key(), key.device.driver, toolchain, std::string(to_string(key.origin)),
        std::string(to_string(key.cache)))
      .exec();
  return find_workload(connection, key).value();
}

std::optional<std::int64_t> find_workload(SQLite::Database& connection, const WorkloadKey& key) {
  auto row =
      bound(connection,
            "SELECT w.id FROM works w JOIN instances i ON i.id = w.instance"
            " JOIN toolchains t ON t.id = w.toolchain"
            " WHERE i.problem = ? AND i.size = ? AND i.settings_key = ? AND w.model_key = ?"
            " AND w.driver = ? AND t.compiler = ? AND t.source_hash = ? AND w.origin = ?"
            " AND w.cache = ?",
            key.instance.problem, key.instance.size(), key.instance.settings_key(), key.device.model_key(),
            key.device.driver, key.toolchain.compiler, key.toolchain.source_hash,
            std::string(to_string(key.origin)), std::string(to_string(key.cache)));
  return find(row);
}

}  // namespace tune::db
