// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/read/queries.hpp"
#include "lookup/include/tune/lookup.hpp"
#include "search/space/configuration.hpp"

namespace tune::db {

/// What somebody wants to run. What is left out is not held against a record.
struct BestQuery {
  std::string problem;
  lookup::Device device = {};  ///< empty for any; a name alone, or a model key, does
  std::vector<std::pair<std::string, std::int64_t>> extents = {};  ///< empty for any size
  std::optional<std::string> settings =
      std::nullopt;  ///< settings key: other settings are other work, never offered
  std::optional<Toolchain> toolchain = std::nullopt;  ///< an empty compiler stands for any
  Origin origin = Origin::measured;
  CacheState cache = CacheState::cold;
  Objective objective = Objective::time;
};

/// What a lookup asks about a device of which all is known.
lookup::Device lookup_device(const DeviceProperties& properties);

using lookup::Match;

/// The winner of one work, and how well it fits; lookup decides both.
struct BestCandidate {
  ResultRow result;
  Match match = Match::exact;  ///< `none`: of another architecture, no answer by itself
  double value = 0;            ///< what it won by: seconds, joules or their product
  double distance = 0;         ///< lookup::Candidate::distance
  std::optional<lookup::Loss> loss = std::nullopt;
  bool same_driver = true;
  bool same_compiler = true;
  bool same_sources = true;
  std::int64_t measured = 0;  ///< configurations of this work with a measurement
  /// What ties with it in its newest finals, as far as they count still, itself left out. Empty without
  /// finals.
  std::vector<ResultRow> ties = {};
  std::string reason;        ///< one sentence for people: what fits and what does not
  std::size_t database = 0;  ///< which of those that were asked
};

/// One candidate for each work of the problem that has a measurement, the best fit first (docs/lookup.md); of
/// equal fit the one of the earlier database. Where none fits and the device's architecture is known, the
/// portfolio's comes before those of other architectures. Works with other numbers of extents are left out.
/// Empty where nothing is known.
std::vector<BestCandidate> best(std::span<const Database* const> databases, const BestQuery& query);
std::vector<BestCandidate> best(const Database& database, const BestQuery& query);

/// A recorded work that a portfolio serves.
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

/// Few configurations for everything that was recorded.
struct Portfolio {
  std::vector<search::Configuration> configurations;
  std::vector<ServedWorkload> workloads;  ///< by device and size
  bool exact = false;                     ///< no smaller set would do

  std::size_t stale() const;  ///< how many of the works are
};

/// The smallest set of configurations with which no recorded work of the problem and settings loses more than
/// `bound` (0.05: 5 %). The query's size does not matter; its device, where one is named, leaves others out.
/// Of several works that differ in versions alone, the freshest: stale ones stand for a device and size of
/// which there is nothing fresh. No works where nothing fits. Throws Error.
Portfolio portfolio(std::span<const Database* const> databases, const BestQuery& query, double bound);

}  // namespace tune::db
