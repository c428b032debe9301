// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/loss.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "lookup/src/matching.hpp"
#include "lookup/src/search.hpp"

namespace tune::lookup {
namespace {

constexpr int max_pairs = 16;
constexpr int enough_pairs = 4;  // with the settings that are asked for, to do without others
constexpr int max_tries =
    64;  // of pairs whose winner may not have been measured there: each takes microseconds

Device as_wanted(const RecordedDevice& recorded) {
  Device device;
  device.name = recorded.name;
  device.compute_major = recorded.compute_major;
  device.compute_minor = recorded.compute_minor;
  device.multiprocessors = recorded.multiprocessors;
  device.bandwidth = recorded.bandwidth;
  return device;
}

/// Equal texts for workloads that may be a pair.
std::string group_of(const RecordedWorkload& workload, Match match) {
  std::string key = std::to_string(static_cast<int>(workload.board)) + '\0';
  for (const std::string* part : {&workload.settings, &workload.driver, &workload.compiler,
                                  &workload.source_hash, &workload.device.model_key})
    if (match == Match::nearest_size || part != &workload.device.model_key) key += *part + '\0';
  return key;
}

/// The sum of the logarithms of its extents.
double log_volume(const RecordedWorkload& workload) {
  double sum = 0;
  for (const std::int64_t extent : workload.extents)
    sum += std::log(static_cast<double>(std::max<std::int64_t>(1, extent)));
  return sum;
}

/// Returns the distance of one as seen from the other, or nothing where they are not an example of such a
/// match.
std::optional<double> distance_of(const RecordedWorkload& wanted, const RecordedWorkload& recorded,
                                  Match match) {
  const bool same_model = wanted.device.model_key == recorded.device.model_key;
  if (same_model != (match == Match::nearest_size)) return std::nullopt;
  const Device device = as_wanted(wanted.device);
  if (!same_model && (device.compute_major != recorded.device.compute_major ||
                      device.compute_minor != recorded.device.compute_minor))
    return std::nullopt;
  const auto size = size_distance(wanted.extents, recorded.extents);
  if (!size) return std::nullopt;
  const double distance = *size + (same_model ? 0 : device_distance(device, recorded.device));
  return distance > 0 || !same_model ? std::optional(distance) : std::nullopt;
}

using Group = std::vector<const RecordedWorkload*>;

/// Calls `visit` with other members of the group, at most `max_partners`: all, or those nearest to member
/// `from` in the order of the group, and others spread over the rest of it.
template<class Visit>
void visit_partners(const Group& group, std::size_t from, Visit visit) {
  const std::size_t others = group.size() - 1;
  const std::size_t near = std::min(others, max_partners / 2);
  const std::size_t far = std::min(others - near, max_partners - near);
  // Steps around the group, as a ring: 1 to `others`; the near ones are half of them on each side.
  const std::size_t after = (near + 1) / 2, rest = others - near;
  const auto partner = [&](std::size_t step) { visit(*group[(from + step) % group.size()]); };
  for (std::size_t step = 1; step <= after; ++step) partner(step);
  for (std::size_t i = 0; i < far; ++i) partner(after + 1 + i * rest / far);
  for (std::size_t step = others - (near - after) + 1; step <= others; ++step) partner(step);
}

std::optional<Loss> loss_of(Records& records, const std::vector<WorkloadPair>& pairs) {
  Loss result;
  double sum = 0;
  int tries = 0;
  for (const WorkloadPair& pair : pairs) {
    if (result.pairs == max_pairs || tries++ == max_tries) break;
    const RankedRecord* winner = records.winner(*pair.from);
    if (winner == nullptr) continue;
    const auto there = records.outcome(*pair.to, winner->key);
    const auto loss = there ? records.loss(*pair.to, *there) : std::nullopt;
    if (!loss) continue;
    ++result.pairs;
    sum += *loss;
    result.worst = std::max(result.worst, *loss);
  }
  if (result.pairs == 0) return std::nullopt;
  result.expected = sum / result.pairs;
  return result;
}

}  // namespace

std::vector<WorkloadPair> pairs_of(const std::vector<RecordedWorkload>& workloads, Match match,
                                   double distance, const std::string* settings) {
  constexpr double min = 0.01;  // distances below are alike
  std::unordered_map<std::string, Group> groups;
  for (const RecordedWorkload& workload : workloads)
    if (settings == nullptr || workload.settings == *settings)
      groups[group_of(workload, match)].push_back(&workload);
  std::vector<WorkloadPair> pairs;
  for (auto& [key, group] : groups) {
    std::stable_sort(group.begin(), group.end(), [](const RecordedWorkload* a, const RecordedWorkload* b) {
      return log_volume(*a) < log_volume(*b);
    });
    for (std::size_t i = 0; i < group.size(); ++i)
      visit_partners(group, i, [&, from = group[i]](const RecordedWorkload& to) {
        if (const auto other = distance_of(to, *from, match))
          pairs.push_back({from, &to, std::abs(std::log(std::max(min, *other) / std::max(min, distance)))});
      });
  }
  std::sort(pairs.begin(), pairs.end(), [](const WorkloadPair& a, const WorkloadPair& b) {
    return std::tie(a.unlike, a.from, a.to) < std::tie(b.unlike, b.from, b.to);
  });
  return pairs;
}

Records::Records(std::vector<Connection*> connections, const Want& want, Readable readable)
    : connections_(std::move(connections)), want_(want), readable_(std::move(readable)) {
  for (std::size_t source = 0; source < connections_.size(); ++source)
    for (RecordedWorkload& workload : recorded_workloads(*connections_[source], source, want_))
      workloads_.push_back(std::move(workload));
}

const RankedRecord* Records::winner(const RecordedWorkload& workload) {
  auto found = winners_.find(&workload);
  if (found == winners_.end()) {
    std::vector<RankedRecord> first = fastest(workload, 1);
    found =
        winners_.emplace(&workload, first.empty() ? std::nullopt : std::optional(std::move(first.front())))
            .first;
  }
  return found->second ? &*found->second : nullptr;
}

bool Records::is_readable(const RecordedWorkload& workload, const RankedRecord& entry) {
  try {
    parse_configuration(entry.configuration, file_of(workload));
    if (!readable_ || readable_(entry.configuration)) return true;
  } catch (const Failed&) {
  }
  left_out_.emplace(workload.source, entry.evaluation);
  return false;
}

std::vector<RankedRecord> Records::fastest(const RecordedWorkload& workload, std::size_t max_count,
                                           Order order) {
  for (std::size_t count = max_count;;) {
    std::vector<RankedRecord> found = lookup::fastest(*connections_[workload.source], workload.id,
                                                      want_.objective, count, order, workload.devices);
    if (order == Order::value) return found;  // without configurations
    const std::size_t all = found.size();
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const RankedRecord& entry) { return !is_readable(workload, entry); }),
                found.end());
    if (found.size() >= max_count || all < count) return found;
    count = max_count + all - found.size();
  }
}

std::size_t Records::count_measured(const RecordedWorkload& workload, std::size_t max_count) {
  return lookup::count_measured(*connections_[workload.source], workload.id, max_count, workload.devices);
}

std::optional<RecordedOutcome> Records::outcome(const RecordedWorkload& workload,
                                                const std::string& configuration_key) {
  auto found = lookup::outcome(*connections_[workload.source], workload.id, want_.objective,
                               configuration_key, workload.devices);
  if (found && !found->failed && !is_readable(workload, found->entry)) return std::nullopt;
  return found;
}

Board Records::board_of(const RecordedWorkload& workload, const RankedRecord& entry) {
  return lookup::board_of(*connections_[workload.source], entry, want_.objective, workload.devices);
}

std::optional<double> Records::loss(const RecordedWorkload& workload, const RecordedOutcome& outcome) {
  const RankedRecord* best = winner(workload);
  if (best == nullptr || outcome.failed) return std::nullopt;
  return std::max(0.0, outcome.entry.value / best->value - 1);
}

std::optional<Loss> expected_loss(Records& records, Match match, double distance) {
  const Want& want = records.want();
  const std::string settings = canonical_settings(want.query.problem, want.query.settings);
  if (!want.any_settings) {
    const auto loss = loss_of(records, pairs_of(records.workloads(), match, distance, &settings));
    if (loss && loss->pairs >= enough_pairs) return loss;
  }
  return loss_of(records, pairs_of(records.workloads(), match, distance, nullptr));
}

}  // namespace tune::lookup
