// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/related_records.hpp"

#include <algorithm>
#include <limits>

#include "db/related.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::cli {
namespace {

constexpr std::size_t most_records = 2;
/// Beyond, what differs decides more than what is alike.
constexpr double most_distance = 3;
constexpr std::size_t least_valid = 10;

bool answers_itself(const WorkKey& key, const db::RelatedWork& related) {
  return key.origin == Origin::replayed && related.work.size == key.instance.size() &&
         related.work.settings == key.instance.settings_key() &&
         related.work.model_key == key.device.model_key();
}

search::RelatedRecord to_record(const db::RelatedWork& related, const search::SearchSpace& space) {
  search::RelatedRecord record;
  for (const auto& [configuration, time] : related.results)
    if (const auto id = space.find(configuration)) record.observations.push_back({*id, time});
  return record;
}

std::string label(const db::WorkInfo& work, std::size_t evaluations) {
  return format("{}{}{} on {} ({} evaluations)", work.size, work.settings.empty() ? "" : " ", work.settings,
                work.device, evaluations);
}

}  // namespace

RelatedRecords related_records(const db::Database& database, const WorkKey& key,
                               const search::SearchSpace& space) {
  // All of them: the most alike may be of no use here, and must not hide the next ones.
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  std::vector<db::RelatedWork> found = db::related_works(database, key, all);
  for (const std::filesystem::path& path : shipped_recordings()) try {
      const db::Database shipped(path, db::Access::immutable);
      for (db::RelatedWork& related : db::related_works(shipped, key, all))
        found.push_back(std::move(related));
    } catch (const Error&) {
      continue;  // a recording that cannot be read is no reason not to search
    }
  std::ranges::stable_sort(found, {}, &db::RelatedWork::distance);
  RelatedRecords result;
  for (const db::RelatedWork& related : found) {
    if (result.records.size() == most_records || related.distance > most_distance) break;
    if (answers_itself(key, related)) continue;
    search::RelatedRecord record = to_record(related, space);
    if (record.observations.size() < least_valid) continue;
    result.notice += format("{} {}", result.records.empty() ? "starting from what is known of" : " and",
                            label(related.work, record.observations.size()));
    result.records.push_back(std::move(record));
  }
  return result;
}

}  // namespace tune::cli
