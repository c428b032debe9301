// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lookup/src/winners.hpp"

/// What it costs to use a configuration elsewhere than where it won, told by the records themselves.
namespace tune::lookup {

/// The databases and works of one search, with what was looked up of them.
class Records {
 public:
  Records(std::vector<Connection*> connections, const Want& want);

  const Want& want() const { return want_; }
  const std::vector<RecordedWorkload>& workloads() const { return workloads_; }
  const std::string& file_of(const RecordedWorkload& workload) const {
    return connections_[workload.source]->file();
  }
  /// Null where nothing of the work was measured.
  const RankedRecord* winner(const RecordedWorkload& workload);
  std::vector<RankedRecord> fastest(const RecordedWorkload& workload, std::size_t max_count,
                                    Order order = Order::ranking);
  std::size_t count_measured(const RecordedWorkload& workload, std::size_t max_count);
  std::optional<RecordedOutcome> outcome(const RecordedWorkload& workload,
                                         const std::string& configuration_key);
  /// By how much the outcome is slower than the winner there, 0 for none; nothing where that is not known.
  std::optional<double> loss(const RecordedWorkload& workload, const RecordedOutcome& outcome);

 private:
  std::vector<Connection*> connections_;
  Want want_;
  std::vector<RecordedWorkload> workloads_;
  std::map<const RecordedWorkload*, std::optional<RankedRecord>> winners_;
};

/// The loss to expect of a match at such a distance: leaves one record after the other out and takes the
/// winner of another for it. Of all pairs of works with equal settings and versions, on one device model for
/// `nearest_size` and on two of one architecture for `same_architecture`, the 16 whose distance is the most
/// like this one. Nothing where there is no such pair in which the winner of the one was measured in the
/// other.
std::optional<Loss> expected_loss(Records& records, Match match, double distance);

}  // namespace tune::lookup
