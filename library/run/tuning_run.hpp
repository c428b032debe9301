// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "search/ask_tell/strategy.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/session/session.hpp"
#include "tuner/session/store.hpp"

namespace tune::run {

/// What a search may start from, and how to say so.
struct RelatedRecords {
  std::vector<search::RelatedRecord> records;  ///< the most alike first
  std::string notice;  ///< one line: `starting from what is known of ...`; empty where there are none
};

/// Of other work of the same problem, in the person's database and in the shipped recordings. A replayed run
/// is not told what its own recording holds.
RelatedRecords related_records(const db::Database& database, const WorkloadKey& key,
                               const search::SearchSpace& space);

}  // namespace tune::run

// How a run is put together, for the command line and for programs that link the library.

namespace tune::run {

/// Evaluations of a run that is given no budget, unless its strategy wants the whole space.
inline constexpr std::uint64_t default_budget = 200;

/// Fills in what a record says of the work and the device: the key but for its toolchain and origin, the
/// limit, the work's figures, and the version of this program.
void describe_workload(RunRecord& record, const Problem& problem, const Instance& instance,
                       const DeviceProperties& device, CacheState cache);

/// Before minutes are spent on inputs and reference: throws UsageError where the default configuration's
/// buffers are more than the device's memory.
void check_memory(const Problem& problem, const Instance& instance, const search::SearchSpace& space,
                  const DeviceProperties& device, const KernelSources& sources);

struct TuningOptions {
  Budget budget = {};
  RerankOptions rerank = {};
  bool fresh = false;    ///< evaluate again what the database already knows
  bool transfer = true;  ///< start from what is known of other sizes, settings and devices
  /// Evaluate the default configuration (of what is left of the space the nearest to it) before all others.
  /// Of another tuner's recording the values have an order, but no default.
  bool default_first = true;
};

/// Searches the space with the strategy and seed that the record names, and stores everything in the
/// database. `tell` hears what a person should know before the first evaluation, a line at a time; it may be
/// empty.
SessionResult tune(db::Database& database, const search::SearchSpace& space, Evaluator& evaluator,
                   RunRecord& record, const TuningOptions& options, SessionObserver& observer,
                   const std::function<void(const std::string&)>& tell);

}  // namespace tune::run
