// SPDX-License-Identifier: Apache-2.0
#include "library/run/related_records.hpp"

#include <algorithm>

#include "db/read/related.hpp"
#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::run {
namespace {

constexpr std::size_t max_records = 2;
/// Beyond, what differs decides more than what is alike.
constexpr double max_distance = 3;
/// Fewer say too little, but of the same work: a run with --where knows the best after three.
constexpr std::size_t min_valid = 10, min_of_same = 1;
/// Of one record: more say no more to a search, and cost memory and time.
constexpr std::size_t max_results = 5000;

bool answers_itself(const WorkloadKey& key, const db::RelatedWorkload& related) {
  return key.origin == Origin::replayed && related.workload.size == key.instance.size() &&
         related.workload.settings == key.instance.settings_key() &&
         related.workload.model_key == key.device.model_key();
}

search::RelatedRecord to_record(const std::vector<db::RelatedResult>& results,
                                const search::SearchSpace& space) {
  search::RelatedRecord record;
  for (const auto& [configuration, time] : results)
    if (const auto id = space.find(configuration)) record.observations.push_back({*id, time});
  return record;
}

/// A work, and the database that has it.
struct Found {
  db::RelatedWorkload related;
  const db::Database* database;
};

/// Of all databases, the most alike first.
std::vector<Found> find_workloads(const std::vector<const db::Database*>& databases, const WorkloadKey& key) {
  std::vector<Found> found;
  for (const db::Database* database : databases) try {
      for (db::RelatedWorkload& related : db::related_workloads(*database, key))
        if (related.distance <= max_distance && !answers_itself(key, related))
          found.push_back({std::move(related), database});
    } catch (const Error&) {
      if (database == databases.front()) throw;  // the person's own; a recording is no reason not to search
    }
  std::ranges::stable_sort(found, {}, [](const Found& one) { return one.related.distance; });
  return found;
}

std::string label(const db::Workload& workload, std::size_t evaluations) {
  return format("{}{}{} on {} ({} evaluations)", workload.size, workload.settings.empty() ? "" : " ",
                workload.settings, workload.device, evaluations);
}

/// Nothing of a recording that cannot be read.
std::vector<db::RelatedResult> results_of(const Found& found, const db::Database& own) try {
  return db::related_results(*found.database, found.related.workload, max_results);
} catch (const Error&) {
  if (found.database == &own) throw;
  return {};
}

}  // namespace

RelatedRecords related_records(const db::Database& database, const WorkloadKey& key,
                               const search::SearchSpace& space) {
  std::vector<db::Database> shipped;
  for (const std::filesystem::path& path : shipped_recordings()) try {
      shipped.emplace_back(path, db::OpenMode::immutable);
    } catch (const Error&) {
      continue;  // a recording that cannot be read is no reason not to search
    }
  std::vector<const db::Database*> databases = {&database};
  for (const db::Database& recording : shipped) databases.push_back(&recording);
  RelatedRecords result;
  // The most alike may be of no use here, and must not hide the next ones.
  for (const Found& found : find_workloads(databases, key)) {
    if (result.records.size() == max_records) break;
    search::RelatedRecord record = to_record(results_of(found, database), space);
    if (record.observations.size() < (found.related.same_but_versions ? min_of_same : min_valid)) continue;
    result.notice += format("{} {}", result.records.empty() ? "starting from what is known of" : " and",
                            label(found.related.workload, record.observations.size()));
    result.records.push_back(std::move(record));
  }
  return result;
}

}  // namespace tune::run
