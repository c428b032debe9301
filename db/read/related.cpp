// SPDX-License-Identifier: Apache-2.0
#include "db/read/related.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>

#include "db/read/result_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "lookup/src/matching.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

constexpr std::int64_t min_measured = 10, min_of_same = 1;

/// Counts in an index, up to the number of measurements that suffices.
constexpr const char* select_workloads = R"(
SELECT w.id AS work, i.problem, i.size, i.settings_key AS settings, i.extents, d.name AS device, w.model_key,
       d.architecture, w.driver, t.compiler, t.source_hash, w.origin, w.cache,
       (SELECT COUNT(DISTINCT e.configuration_key) FROM evaluations e WHERE e.work = w.id) AS configurations
FROM works w
JOIN instances i ON i.id = w.instance
JOIN toolchains t ON t.id = w.toolchain
JOIN devices d ON d.id = (SELECT MAX(r.device) FROM runs r WHERE r.work = w.id)
WHERE i.problem = :problem AND w.origin IN ('measured', 'imported')
  AND (SELECT COUNT(*) FROM (SELECT 1 FROM current_evaluations e
                             WHERE e.work = w.id AND e.time IS NOT NULL LIMIT :least)) >=
      CASE WHEN i.size = :size AND i.settings_key = :settings AND w.model_key = :model THEN :same ELSE :least END
ORDER BY w.id)";

/// The ids of a run follow one another. Their multiples of the golden section, 2654435761 / 2^32, modulo 1
/// are spread as evenly as can be: those below a share are that share of the run's course, without any
/// period.
constexpr const char* select_results = R"(
SELECT configuration, time FROM current_evaluations
WHERE work = :work
  AND (id * 2654435761 % 4294967296 < :below
       OR id IN (SELECT id FROM current_evaluations WHERE work = :work AND time IS NOT NULL
                 ORDER BY time, id LIMIT :fastest))
ORDER BY time IS NULL, time, id)";

/// The same of those that runs on some devices made.
constexpr const char* select_results_on = R"(
WITH ours AS (
  SELECT id, configuration, time FROM current_evaluations
  WHERE work = :work AND run IN (SELECT id FROM runs WHERE work = :work
                                 AND device IN (SELECT value FROM json_each(:devices))))
SELECT configuration, time FROM ours
WHERE id * 2654435761 % 4294967296 < :below
   OR id IN (SELECT id FROM ours WHERE time IS NOT NULL ORDER BY time, id LIMIT :fastest)
ORDER BY time IS NULL, time, id)";

constexpr const char* select_boards = R"(
SELECT d.id, d.uuid, json_extract(d.facts, '$.power_limit') AS power_limit
FROM devices d WHERE d.id IN (SELECT device FROM runs WHERE work = ?) ORDER BY d.id)";

/// Counts up to the number of measurements that suffices.
constexpr const char* count_on = R"(
SELECT COUNT(*) FROM (
  SELECT 1 FROM current_evaluations e
  WHERE e.work = ? AND e.time IS NOT NULL
    AND e.run IN (SELECT id FROM runs WHERE work = e.work AND device IN (SELECT value FROM json_each(?)))
  LIMIT ?))";

std::vector<std::int64_t> lengths(const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  std::vector<std::int64_t> all;
  for (const auto& [name, extent] : extents) all.push_back(extent);
  return all;
}

/// A doubling of the volume in the same shape counts 1; another number of extents has no distance.
double different_sizes(const Workload& workload, const Instance& instance) {
  const auto distance = lookup::size_distance(lengths(instance.extents), lengths(workload.extents));
  return distance ? *distance / std::numbers::ln2 : std::numeric_limits<double>::infinity();
}

double different_settings(const std::string& theirs, const Instance& instance) {
  const Configuration other = Configuration::parse(theirs);
  double different = 0;
  for (const auto& [name, value] : instance.settings) {
    const Value* found = other.find(name);
    if (found == nullptr || !(*found == value)) different += 1;
  }
  return different;
}

double different_devices(const Workload& workload, const DeviceProperties& device) {
  if (workload.origin == Origin::imported) return workload.device == device.name ? 0 : 1;
  if (workload.model_key == device.model_key()) return 0;
  return workload.architecture == device.architecture() ? 0.3 : 1;
}

bool same_versions(const Workload& workload, const WorkloadKey& key) {
  return workload.driver == key.device.driver && workload.toolchain.compiler == key.toolchain.compiler &&
         workload.toolchain.source_hash == key.toolchain.source_hash;
}

double distance(const Workload& workload, const WorkloadKey& key) {
  return different_settings(workload.settings, key.instance) + different_devices(workload, key.device) +
         different_sizes(workload, key.instance) / 10 + (workload.cache == key.cache ? 0 : 0.3) +
         (same_versions(workload, key) ? 0 : 0.01) + (workload.origin == Origin::imported ? 0.05 : 0);
}

/// As JSON.
std::string list_of(const std::vector<std::int64_t>& devices) {
  return format("[{}]", joined(devices));
}

/// Chooses the boards of a workload on the device's model whose results are used; adds to the distance where
/// they are others.
void choose_boards(SQLite::Database& connection, const DeviceProperties& device, RelatedWorkload& related) {
  if (related.workload.model_key != device.model_key()) return;
  lookup::Device wanted;
  wanted.board = device.uuid;
  wanted.power_limit = device.power_limit;
  std::map<lookup::BoardFit, std::vector<std::int64_t>> by_fit;
  SQLite::Statement row = bound(connection, select_boards, related.workload.id);
  while (row.executeStep())
    by_fit[lookup::board_fit(wanted,
                             {text_or_empty(row, "uuid"), optional_real(row, "power_limit").value_or(0)})]
        .push_back(integer(row, "id"));
  for (const auto& [fit, devices] : by_fit) {
    if (by_fit.size() > 1) {
      const std::string list = list_of(devices);
      SQLite::Statement count = bound(connection, count_on, related.workload.id, list, min_measured);
      count.executeStep();
      if (count.getColumn(0).getInt64() < min_measured) continue;
      related.devices = devices;
    }
    if (fit > lookup::BoardFit::alike) related.distance += 0.01;
    return;
  }
}

bool same_but_versions(const Workload& workload, const WorkloadKey& key) {
  return workload.size == key.instance.size() && workload.settings == key.instance.settings_key() &&
         workload.model_key == key.device.model_key();
}

bool itself(const Workload& workload, const WorkloadKey& key) {
  return same_but_versions(workload, key) && workload.cache == key.cache && same_versions(workload, key);
}

}  // namespace

std::vector<RelatedWorkload> related_workloads(const Database& database, const WorkloadKey& key) {
  std::vector<RelatedWorkload> related;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection, select_workloads);
    row.bind(":problem", key.instance.problem);
    row.bind(":least", min_measured);
    row.bind(":same", min_of_same);
    row.bind(":size", key.instance.size());
    row.bind(":settings", key.instance.settings_key());
    row.bind(":model", key.device.model_key());
    each_readable(database, row, "work", "work", [&] {
      RelatedWorkload workload{workload_info(row), static_cast<std::size_t>(integer(row, "configurations"))};
      if (itself(workload.workload, key)) return;
      workload.distance = distance(workload.workload, key);
      workload.same_but_versions = same_but_versions(workload.workload, key);
      choose_boards(connection, key.device, workload);
      related.push_back(std::move(workload));
    });
  });
  std::ranges::stable_sort(related, [](const RelatedWorkload& a, const RelatedWorkload& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.configurations > b.configurations;
  });
  return related;
}

std::vector<RelatedResult> related_results(const Database& database, const RelatedWorkload& related,
                                           std::size_t max_count) {
  const Workload& workload = related.workload;
  const std::string devices = list_of(related.devices);
  std::vector<RelatedResult> results;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement count =
        bound(connection, "SELECT COUNT(*) FROM evaluations WHERE work = ?", workload.id);
    count.executeStep();
    const double all = count.getColumn(0).getDouble(), half = std::floor(static_cast<double>(max_count) / 2);
    const double share = all <= static_cast<double>(max_count) ? 1 : half / all;
    SQLite::Statement row(connection, related.devices.empty() ? select_results : select_results_on);
    row.bind(":work", workload.id);
    if (!related.devices.empty()) row.bind(":devices", devices);
    row.bind(":fastest", static_cast<std::int64_t>(half));
    row.bind(":below", static_cast<std::int64_t>(share * 4294967296));
    each_readable(database, row, "evaluation", "evaluation", [&] {
      results.emplace_back(configuration_from_json(text(row, "configuration")), optional_real(row, "time"));
    });
  });
  return results;
}

}  // namespace tune::db
