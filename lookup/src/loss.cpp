// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/loss.hpp"

#include <algorithm>
#include <cmath>

#include "lookup/src/matching.hpp"

namespace tune::lookup {
namespace {

constexpr int max_pairs = 16;
constexpr int enough_pairs = 4;  // with the settings that are asked for, to do without others
constexpr int max_tries =
    64;  // of pairs whose winner may not have been measured there: each takes microseconds

struct Pair {
  const RecordedWorkload* from;
  const RecordedWorkload* to;
  double unlike;  ///< |ln| of the ratio of its distance to the one asked about
};

Device as_wanted(const RecordedDevice& recorded) {
  Device device;
  device.name = recorded.name;
  device.compute_major = recorded.compute_major;
  device.compute_minor = recorded.compute_minor;
  device.multiprocessors = recorded.multiprocessors;
  device.bandwidth = recorded.bandwidth;
  return device;
}

bool comparable(const RecordedWorkload& a, const RecordedWorkload& b) {
  return &a != &b && a.settings == b.settings && a.driver == b.driver && a.compiler == b.compiler &&
         a.source_hash == b.source_hash;
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

/// Uses workloads with these `settings` alone, or, where it is null, with any that are equal in both.
std::vector<Pair> pairs_of(const Records& records, Match match, double distance,
                           const std::string* settings) {
  constexpr double min = 0.01;  // distances below are alike
  std::vector<Pair> pairs;
  for (const RecordedWorkload& from : records.workloads()) {
    if (settings != nullptr && from.settings != *settings) continue;
    for (const RecordedWorkload& to : records.workloads()) {
      if (!comparable(from, to)) continue;
      if (const auto other = distance_of(to, from, match))
        pairs.push_back({&from, &to, std::abs(std::log(std::max(min, *other) / std::max(min, distance)))});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.unlike < b.unlike; });
  return pairs;
}

std::optional<Loss> loss_of(Records& records, const std::vector<Pair>& pairs) {
  Loss result;
  double sum = 0;
  int tries = 0;
  for (const Pair& pair : pairs) {
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

Records::Records(std::vector<Connection*> connections, const Want& want)
    : connections_(std::move(connections)), want_(want) {
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

std::vector<RankedRecord> Records::fastest(const RecordedWorkload& workload, std::size_t max_count,
                                           Order order) {
  return lookup::fastest(*connections_[workload.source], workload.id, want_.objective, max_count, order);
}

std::size_t Records::count_measured(const RecordedWorkload& workload, std::size_t max_count) {
  return lookup::count_measured(*connections_[workload.source], workload.id, max_count);
}

std::optional<RecordedOutcome> Records::outcome(const RecordedWorkload& workload,
                                                const std::string& configuration_key) {
  return lookup::outcome(*connections_[workload.source], workload.id, want_.objective, configuration_key);
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
    const auto loss = loss_of(records, pairs_of(records, match, distance, &settings));
    if (loss && loss->pairs >= enough_pairs) return loss;
  }
  return loss_of(records, pairs_of(records, match, distance, nullptr));
}

}  // namespace tune::lookup
