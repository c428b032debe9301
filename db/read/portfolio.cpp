// SPDX-License-Identifier: Apache-2.0
#include "db/read/portfolio.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "db/read/lookup_records.hpp"
#include "db/store/json.hpp"
#include "lookup/src/cover.hpp"
#include "lookup/src/search.hpp"

namespace tune::db {
namespace {

/// The works to serve, one for each device and size: a stale one only where there is no fresh one. `stale` is
/// set to those of other sources.
std::vector<const lookup::RecordedWorkload*> workloads_of(lookup::Records& records, bool any_device,
                                                          std::set<const lookup::RecordedWorkload*>& stale) {
  std::vector<lookup::Ranked> ranked;
  for (const lookup::Ranked& one : lookup::ranked_workloads(records))
    if ((any_device || one.kin == lookup::Kinship::same) && records.winner(*one.workload) != nullptr)
      ranked.push_back(one);
  std::ranges::stable_sort(ranked, {}, [](const lookup::Ranked& one) {
    return std::tuple(one.other_sources, one.other_compiler, one.other_driver);
  });
  std::set<std::tuple<std::string, std::string>> seen;
  std::vector<const lookup::RecordedWorkload*> workloads;
  for (const lookup::Ranked& one : ranked) {
    if (!seen.emplace(one.workload->device.model_key, one.workload->size).second) continue;
    workloads.push_back(one.workload);
    if (one.other_sources) stale.insert(one.workload);
  }
  std::ranges::sort(workloads, {}, [](const lookup::RecordedWorkload* workload) {
    return std::tie(workload->device.model_key, workload->extents);
  });
  return workloads;
}

}  // namespace

std::size_t Portfolio::stale() const {
  return static_cast<std::size_t>(std::ranges::count_if(workloads, &ServedWorkload::stale));
}

Portfolio portfolio(std::span<const Database* const> databases, const BestQuery& query, double bound) {
  Portfolio result;
  const bool any_device = query.device.name.empty();
  BestQuery any_size = query;
  any_size.extents.clear();
  with_records(databases, any_size, [&](lookup::Records& records) {
    std::set<const lookup::RecordedWorkload*> stale;
    const lookup::Cover cover = lookup::cover(records, workloads_of(records, any_device, stale), bound);
    result.exact = cover.exact;
    for (const lookup::RankedRecord& entry : cover.configurations)
      result.configurations.push_back(configuration_from_json(entry.configuration));
    for (const lookup::Cover::Served& one : cover.workloads) {
      const lookup::RecordedDevice& device = one.workload->device;
      result.workloads.push_back({device.name, device.compute_major, device.compute_minor,
                                  device.multiprocessors, one.workload->extents, one.workload->size,
                                  one.configuration, one.loss, stale.contains(one.workload)});
    }
  });
  return result;
}

}  // namespace tune::db
