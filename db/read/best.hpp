// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/read/queries.hpp"
#include "lookup/include/tune/lookup.hpp"
#include "search/space/configuration.hpp"

namespace tune::db {

/// The problem and instance that the user wants to run. Members that are left out match any record.
struct BestQuery {
  std::string problem;
  lookup::Device device = {};  ///< empty for any; a name alone, or a model key, does
  std::vector<std::pair<std::string, std::int64_t>> extents = {};  ///< empty for any size
  /// Settings key; records with other settings are never offered.
  std::optional<std::string> settings = std::nullopt;
  std::optional<Toolchain> toolchain = std::nullopt;  ///< an empty compiler stands for any
  Origin origin = Origin::measured;
  CacheState cache = CacheState::cold;
  Objective objective = Objective::time;
  bool guess = false;  ///< the portfolio answers also for a device of unknown architecture
};

/// Returns the lookup's description of a device whose properties are all known.
lookup::Device lookup_device(const DeviceProperties& properties);

using lookup::Match;

/// The winner of one workload, and how well it fits; the lookup decides both.
struct BestCandidate {
  ResultRow result;
  Match match = Match::exact;  ///< `none` for another architecture, which is not an answer by itself
  double value = 0;            ///< that it won by: seconds, joules or their product
  double distance = 0;         ///< lookup::Candidate::distance
  std::optional<lookup::Loss> loss = std::nullopt;
  bool same_driver = true;
  bool same_compiler = true;
  bool same_sources = true;
  std::int64_t measured = 0;  ///< configurations of this workload with a measurement
  /// The configurations that tie with it in its newest re-ranking and are still current, without itself.
  /// Empty without a re-ranking.
  std::vector<ResultRow> ties = {};
  std::string reason;            ///< one sentence: what fits and what does not
  std::string board_difference;  ///< lookup::Candidate::board_difference
  std::size_t database = 0;      ///< number of the database, in the order given

  /// Takes another result of the same workload instead, without ties.
  void replace_by(ResultRow row, const BestQuery& query);
};

/// Returns one candidate for each workload of the problem that has a measurement, and where the query names a
/// board, one for each fit of its boards; the best fit first (docs/reference/lookup.md); of equal fit the one
/// of the earlier database. Where none fits and the device's architecture is known, the portfolio's comes
/// before those of other architectures. Workloads with other numbers of extents are left out. Empty without
/// records. `is_answer`: the candidates behind the first one for which it returns true are not read.
std::vector<BestCandidate> best(std::span<const Database* const> databases, const BestQuery& query,
                                const std::function<bool(BestCandidate&)>& is_answer = {});
std::vector<BestCandidate> best(const Database& database, const BestQuery& query);

/// Returns the measurements of a workload that have a value of the query's objective: those whose boards fit
/// best first, and of these the best.
std::vector<ResultRow> ranked_results(const Database& database, std::int64_t workload,
                                      const BestQuery& query);

/// Makes the candidate valid: keeps its configuration where `allows` does, else takes the best of the same
/// record that it allows. Returns false where there is none.
bool make_valid(BestCandidate& candidate, const Database& database, const BestQuery& query,
                const std::function<bool(const search::Configuration&)>& allows);

/// A recorded workload that a portfolio serves.
struct ServedWorkload {
  std::string device;  ///< name
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::vector<std::int64_t> extents;
  std::string size;
  std::size_t configuration = 0;  ///< of Portfolio::configurations
  double loss = 0;                ///< against the best that was measured there
  bool stale = false;             ///< recorded with other kernel sources than asked for
};

/// Few configurations for all recorded workloads.
struct Portfolio {
  std::vector<search::Configuration> configurations;
  std::vector<ServedWorkload> workloads;  ///< by device and size
  bool exact = false;                     ///< no smaller set would do

  std::size_t stale() const;  ///< the number of stale workloads
};

/// Returns the smallest set of configurations with which no recorded workload of the problem and settings
/// loses more than `bound` (0.05: 5 %). The query's size does not matter; its device, where one is named,
/// excludes others. Of several workloads that differ in versions alone the freshest counts; a stale one only
/// where its device and size have no fresh one. Without workloads where nothing fits. Throws Error.
Portfolio portfolio(std::span<const Database* const> databases, const BestQuery& query, double bound);

}  // namespace tune::db
