// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lookup/src/connection.hpp"
#include "lookup/src/matching.hpp"

/// The rules of the views `ranking`, `current_evaluations` and `best_by_versions` (db/schema/), by the
/// indices: the views sort all of a work, this looks at the few rows that can win.
namespace tune::lookup {

/// A measurement that counts.
struct RankedRecord {
  std::int64_t evaluation = 0;
  double value = 0;           ///< what it is ranked by: seconds, joules or their product
  double seconds = 0;         ///< its time in that ranking
  bool outranked = false;     ///< seen by finals and not chosen
  std::int64_t place = 0;     ///< in its newest finals; 0: none
  std::string configuration;  ///< JSON, in the order of declaration
  std::string key;            ///< `block_x=32,...`, sorted
};

/// The works of the problem, of the origin and with the caches that are wanted.
std::vector<RecordedWorkload> recorded_workloads(Connection& connection, std::size_t source,
                                                 const Want& want);

/// How the measurements of a work are put in order.
enum class Order {
  ranking,  ///< as the views do: what finals saw and did not choose comes last
  value,    ///< by the value alone: without `outranked` and `configuration`, superseded ones among them
};

/// At most so many of a work, the best first. Throws Failed.
std::vector<RankedRecord> fastest(Connection& connection, std::int64_t workload, RankingObjective objective,
                                  std::size_t max_count, Order order = Order::ranking);

/// Measurements of a work, counted up to `most`. Throws Failed.
std::size_t count_measured(Connection& connection, std::int64_t workload, std::size_t max_count);

/// What became of a configuration in a work.
struct RecordedOutcome {
  bool failed = false;
  RankedRecord entry;  ///< where it did not fail; without `outranked`
};
/// Nothing where it was not evaluated there, or without what the objective takes. Throws Failed.
std::optional<RecordedOutcome> outcome(Connection& connection, std::int64_t workload,
                                       RankingObjective objective, const std::string& configuration_key);

}  // namespace tune::lookup
