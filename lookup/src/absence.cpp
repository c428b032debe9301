// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/absence.hpp"

#include <algorithm>
#include <set>

namespace tune::lookup {
namespace {

constexpr const char* select_problems = R"(
SELECT DISTINCT i.problem FROM instances i JOIN works w ON w.instance = i.id
WHERE w.origin = ?1 AND w.cache = ?2)";

/// A line holds so many names.
constexpr std::size_t most_names = 8;

std::string listed(const std::set<std::string>& names, const char* between) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == most_names) return text + " and " + std::to_string(names.size() - most_names) + " more";
    text += (text.empty() ? "" : between) + name;
  }
  return text;
}

std::set<std::string> recorded_problems(const std::vector<Connection*>& connections, const Want& want) {
  const std::string cache = want.query.warm_caches ? "warm" : "cold";
  std::set<std::string> problems;
  for (Connection* connection : connections) {
    Statement row = connection->prepare(select_problems);
    row.bind(1, want.origin).bind(2, cache);
    while (row.step()) problems.insert(row.text(0));
  }
  return problems;
}

std::vector<RecordedWorkload> workloads_of(const std::vector<Connection*>& connections, const Want& want) {
  std::vector<RecordedWorkload> all;
  for (std::size_t i = 0; i < connections.size(); ++i)
    for (RecordedWorkload& one : recorded_workloads(*connections[i], i, want)) all.push_back(std::move(one));
  return all;
}

/// The first setting that the problem does not have; empty where its settings are not known, or all are
/// there.
std::string unknown_setting(const Query& query) {
  if (!has_defaults(query.problem)) return {};
  std::set<std::string> known;
  for (std::size_t i = 0; i < setting_defaults_count; ++i)
    if (query.problem == setting_defaults[i].problem) known.insert(setting_defaults[i].name);
  for (const auto& [name, value] : query.settings)
    if (known.count(name) == 0) return "it has no setting '" + name + "', but " + listed(known, ", ");
  return {};
}

std::string reason_of_size(const std::vector<RecordedWorkload>& workloads, const Query& query) {
  const auto fits = [&](const RecordedWorkload& one) { return one.extents.size() == query.size.size(); };
  if (query.size.empty() || std::any_of(workloads.begin(), workloads.end(), fits)) return {};
  const std::size_t extents = workloads.front().extents.size();
  return "a size of " + query.problem + " has " + std::to_string(extents) +
         (extents == 1 ? " extent (" : " extents (") + workloads.front().size + "), that of the query " +
         std::to_string(query.size.size());
}

}  // namespace

std::string reason_of_absence(const std::vector<Connection*>& connections, const Want& want) {
  const Query& query = want.query;
  const std::string kind = query.imported ? "imported " : "";
  const std::vector<RecordedWorkload> workloads = workloads_of(connections, want);
  if (workloads.empty()) {
    std::string reason = "there are no " + kind + "records of " + query.problem +
                         (query.warm_caches ? " with warm caches" : "");
    Want other = want;
    other.query.warm_caches = !query.warm_caches;
    const std::set<std::string> problems = recorded_problems(connections, want);
    if (!workloads_of(connections, other).empty())
      reason += std::string(", but some with ") + (query.warm_caches ? "cold" : "warm") + " caches";
    else if (!problems.empty())
      reason += "; there are those of " + listed(problems, ", ");
    return reason;
  }
  if (std::string reason = reason_of_size(workloads, query); !reason.empty()) return reason;
  std::set<std::string> settings;
  for (const RecordedWorkload& one : workloads)
    settings.insert(one.settings.empty() ? "the defaults" : one.settings);
  std::string reason = "there are no " + kind + "records of " + query.problem + " with these settings";
  if (const std::string unknown = unknown_setting(query); !unknown.empty()) return reason + ": " + unknown;
  return reason + "; there are: " + listed(settings, "; ") +
         (has_defaults(query.problem) ? "" : "; name all settings that 'tune list runs' shows");
}

std::string recorded_devices(const std::vector<RecordedWorkload>& workloads) {
  std::set<std::string> names;
  for (const RecordedWorkload& one : workloads) names.insert(one.device.name);
  return "recorded devices: " + listed(names, ", ");
}

}  // namespace tune::lookup
