// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lookup/src/connection.hpp"
#include "lookup/src/matching.hpp"

/// Applies the rules of the views `ranking`, `current_evaluations` and `best_by_versions` (db/schema/) by the
/// indices: the views sort all rows of a workload, this reads the few rows that can win.
namespace tune::lookup {

/// A current measurement.
struct RankedRecord {
  std::int64_t evaluation = 0;
  double value = 0;           ///< that it is ranked by: seconds, joules or their product
  double seconds = 0;         ///< its time in that ranking
  bool outranked = false;     ///< re-ranked and not chosen
  std::int64_t place = 0;     ///< in its newest re-ranking; 0: none
  std::string configuration;  ///< JSON, in the order of declaration
  std::string key;            ///< `block_x=32,...`, sorted
};

/// Returns the workloads of the problem, of the origin and with the cache state that are asked for. Where the
/// query names a board, one of its model with results of boards of several fits is returned once for each.
std::vector<RecordedWorkload> recorded_workloads(Connection& connection, std::size_t source,
                                                 const Want& want);

/// The order of the measurements of a workload.
enum class Order {
  ranking,  ///< as the views do: re-ranked ones that were not chosen come last
  value,    ///< by the value alone: without `outranked` and `configuration`, superseded ones among them
};

// `devices` is that of RecordedWorkload: of the results of a workload, only those of these devices are seen;
// empty: all.

/// Returns at most so many measurements of a workload, the best first. Throws Failed.
std::vector<RankedRecord> fastest(Connection& connection, std::int64_t workload,
                                  const RankingObjective& objective, std::size_t max_count,
                                  Order order = Order::ranking,
                                  const std::vector<std::int64_t>& devices = {});

/// Returns the number of measurements of a workload, counted up to the limit. Throws Failed.
std::size_t count_measured(Connection& connection, std::int64_t workload, std::size_t max_count,
                           const std::vector<std::int64_t>& devices = {});

/// Returns the board that `entry` was measured on, or re-ranked on. Throws Failed.
Board board_of(Connection& connection, const RankedRecord& entry, const RankingObjective& objective,
               const std::vector<std::int64_t>& devices = {});

/// The result of a configuration in a workload.
struct RecordedOutcome {
  bool failed = false;
  RankedRecord entry;  ///< where it did not fail; without `outranked`
};
/// Returns nothing where it was not evaluated there, or without a value that the objective needs. Throws
/// Failed.
std::optional<RecordedOutcome> outcome(Connection& connection, std::int64_t workload,
                                       const RankingObjective& objective,
                                       const std::string& configuration_key,
                                       const std::vector<std::int64_t>& devices = {});

}  // namespace tune::lookup
