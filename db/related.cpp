// SPDX-License-Identifier: Apache-2.0
#include "db/related.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tune::db {
namespace {

constexpr std::size_t least_measured = 10;

double volume(const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  double product = 1;
  for (const auto& [name, extent] : extents) product *= static_cast<double>(extent);
  return product;
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

double different_devices(const WorkInfo& work, const DeviceFacts& device) {
  if (work.model_key == device.model_key()) return 0;
  return work.architecture == device.architecture() ? 0.3 : 1;
}

bool same_versions(const WorkInfo& work, const WorkKey& key) {
  return work.driver == key.device.driver && work.toolchain.compiler == key.toolchain.compiler &&
         work.toolchain.source_hash == key.toolchain.source_hash;
}

double distance(const WorkInfo& work, const WorkKey& key) {
  return different_settings(work.settings, key.instance) + different_devices(work, key.device) +
         std::abs(std::log2(volume(work.extents) / volume(key.instance.extents))) / 10 +
         (work.cache == key.cache ? 0 : 0.3) + (same_versions(work, key) ? 0 : 0.01);
}

bool itself(const WorkInfo& work, const WorkKey& key) {
  return work.size == key.instance.size() && work.settings == key.instance.settings_key() &&
         work.model_key == key.device.model_key() && work.cache == key.cache && same_versions(work, key);
}

}  // namespace

std::vector<RelatedWork> related_works(const Database& database, const WorkKey& key, std::size_t count) {
  ResultFilter filter;
  filter.problem = key.instance.problem;
  filter.origin = Origin::measured;
  filter.failures = true;
  std::map<std::int64_t, RelatedWork> works;
  for (ResultRow& row : list_results(database, filter)) {
    if (itself(row.work, key)) continue;
    RelatedWork& work = works[row.work.id];
    work.results.emplace_back(std::move(row.configuration), row.time);
    work.work = std::move(row.work);
  }
  std::vector<RelatedWork> related;
  for (auto& [id, work] : works) {
    const auto measured =
        std::ranges::count_if(work.results, [](auto& one) { return one.second.has_value(); });
    if (static_cast<std::size_t>(measured) < least_measured) continue;
    work.distance = distance(work.work, key);
    related.push_back(std::move(work));
  }
  std::ranges::stable_sort(related, [](const RelatedWork& a, const RelatedWork& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.results.size() > b.results.size();
  });
  if (related.size() > count) related.resize(count);
  return related;
}

}  // namespace tune::db
