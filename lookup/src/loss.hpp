// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lookup/src/winners.hpp"

/// Estimates from the records what it costs to use a configuration in another workload than it won in.
namespace tune::lookup {

/// The databases and workloads of one search, with the rows that were looked up. Measurements whose
/// configuration cannot be read are left out.
class Records {
 public:
  /// True for the text of a configuration that the caller can read.
  using Readable = std::function<bool(const std::string& configuration)>;

  /// Without `readable`, what parse_configuration reads can be read.
  Records(std::vector<Connection*> connections, const Want& want, Readable readable = {});

  const Want& want() const { return want_; }
  const std::vector<RecordedWorkload>& workloads() const { return workloads_; }
  const std::string& file_of(const RecordedWorkload& workload) const {
    return connections_[workload.source]->file();
  }
  /// The measurements that were left out: the number of the database and the evaluation.
  const std::set<std::pair<std::size_t, std::int64_t>>& left_out() const { return left_out_; }
  /// Returns null where the workload has no measurement.
  const RankedRecord* winner(const RecordedWorkload& workload);
  std::vector<RankedRecord> fastest(const RecordedWorkload& workload, std::size_t max_count,
                                    Order order = Order::ranking);
  std::size_t count_measured(const RecordedWorkload& workload, std::size_t max_count);
  std::optional<RecordedOutcome> outcome(const RecordedWorkload& workload,
                                         const std::string& configuration_key);
  Board board_of(const RecordedWorkload& workload, const RankedRecord& entry);
  /// Returns by how much the outcome is slower than the winner there, as a share; nothing where that is not
  /// known.
  std::optional<double> loss(const RecordedWorkload& workload, const RecordedOutcome& outcome);

 private:
  bool is_readable(const RecordedWorkload& workload, const RankedRecord& entry);

  std::vector<Connection*> connections_;
  Want want_;
  Readable readable_;
  std::set<std::pair<std::size_t, std::int64_t>> left_out_;
  std::vector<RecordedWorkload> workloads_;
  std::map<const RecordedWorkload*, std::optional<RankedRecord>> winners_;
};

/// Two workloads of which the winner of one may be tried in the other. They point into the records.
struct WorkloadPair {
  const RecordedWorkload* from;
  const RecordedWorkload* to;
  double unlike;  ///< |ln| of the ratio of its distance to the one asked about
};

/// The workloads that one workload is paired with.
constexpr std::size_t max_partners = 64;

/// Returns pairs of comparable workloads that are examples of the match, those first whose distance is the
/// most like `distance`: all of them where there are few, at most `max_partners` for each workload where
/// there are many. Uses workloads with these `settings` alone, or, where it is null, with any that are equal
/// in both.
std::vector<WorkloadPair> pairs_of(const std::vector<RecordedWorkload>& workloads, Match match,
                                   double distance, const std::string* settings);

/// Estimates the loss of a match at such a distance: leaves one record after the other out and takes the
/// winner of another for it. Uses, of all pairs of workloads with equal settings and versions, on one device
/// model for `nearest_size` and on two of one architecture for `same_architecture`, the 16 whose distance is
/// the most like this one. Returns nothing without such a pair in which the winner of one was measured in the
/// other.
std::optional<Loss> expected_loss(Records& records, Match match, double distance);

}  // namespace tune::lookup
