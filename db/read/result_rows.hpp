// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "db/store/rows.hpp"

/// Reads rows of the schema's views into the structs of queries.hpp: for the .cpp files of this folder only.
namespace tune::db {

Workload workload_info(const Row& row);
WorkloadCost workload_cost(const Row& row);
/// Reads a row of `results`, `best_by_versions` or `best`.
ResultRow result_row(const Row& row);
/// Reads the members that follow from the evaluation alone: all but those of its run and its re-ranking.
/// `time` is the median of its samples.
ResultRow evaluation_row(const Row& row);
/// The figures of a measurement from which every objective follows, beside its time.
struct ObjectiveFigures {
  Configuration configuration;
  std::optional<KernelResources> resources;
  double joules = 0;  ///< 0 where not measured
  Metrics metrics;

  /// What the objective minimises, at this time and energy of an execution. Nothing where it has none.
  std::optional<double> value(double seconds, double energy, const Objective& objective) const;
  /// Likewise of both quantities of a front.
  std::optional<FrontValues> both(double seconds, double energy, const Objective& objective) const;
};
/// The columns of `evaluations` that they are read from.
inline constexpr const char* objective_columns =
    "configuration, energy, metrics, registers, spill_store_bytes, spill_load_bytes, local_bytes,"
    " static_shared_memory, dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor,"
    " occupancy, limiter";
ObjectiveFigures objective_figures(const Row& row);

/// Reads a row of `finals`.
RerankStanding place_standing(const Row& row);
/// Reads the columns of these names; the confidence follows from the number of rounds.
MedianInterval rerank_interval(const Row& row, const char* median, const char* low, const char* high,
                               std::int64_t rounds);
/// Reads a row of `run_overview`.
RunSummary run_summary(const Row& row);

/// Reads phase, reason, and an example of so many failures.
FailureCount failure_count(const Row& row, std::int64_t count);
/// By phase in the order of an evaluation, then the most frequent first.
void sort_failures(std::vector<FailureCount>& failures);

}  // namespace tune::db
