// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lookup/include/tune/lookup.hpp"

/// Decides which record answers a question: pure computation, the one place where that is decided.
namespace tune::lookup {

/// What is minimised: what records are ranked by.
enum class RankingObjective { time, energy, edp };

/// A Query with what only the program asks for.
struct Want {
  Query query;
  bool any_settings = false;
  std::string origin = "measured";  ///< `replayed`, `imported`: of such results instead
  RankingObjective objective = RankingObjective::time;
};

/// What is known of the device of a record.
struct RecordedDevice {
  std::string model_key;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  double bandwidth = 0;  ///< bytes a second, by memory clock and bus; 0: unknown
};

/// A work of a database: what results are kept under.
struct RecordedWorkload {
  std::size_t source = 0;  ///< which of the databases that are searched
  std::int64_t id = 0;
  std::string size;  ///< `512x512x512`
  std::vector<std::int64_t> extents;
  std::string settings;  ///< canonical
  RecordedDevice device;
  std::string driver, compiler, source_hash;
};

/// How alike two devices are, the best first.
enum class Kinship { same, architecture, major, other };
Kinship kinship(const Device& wanted, const RecordedDevice& recorded);
/// Within one kinship: sum of |ln| of the ratios of multiprocessors and bandwidth, as far as both are known.
double device_distance(const Device& wanted, const RecordedDevice& recorded);
/// DeviceProperties::model_key of the program; empty where a part of it is not known.
std::string model_key(const Device& device);

/// Sum over the extents of |ln(wanted / recorded)|, plus the sum of what each of these logarithms differs
/// from their mean: what a change of the shape adds to a change of the scale. Nothing where there are not as
/// many extents; 0 where none are wanted.
std::optional<double> size_distance(const std::vector<std::int64_t>& wanted,
                                    const std::vector<std::int64_t>& recorded);

/// A work that may answer, and how well it fits.
struct Ranked {
  const RecordedWorkload* workload = nullptr;
  Match match = Match::none;  ///< never `portfolio`; `none`: of another architecture, no answer by itself
  Kinship kin = Kinship::same;
  double distance = 0;  ///< size_distance plus device_distance
  bool other_driver = false, other_compiler = false, other_sources = false;
};

/// The settings that a query asks for, canonical. Of a problem whose defaults are not known here (a
/// definition of a person's own) those that it leaves out are what the works have, where all that have the
/// others agree.
std::string wanted_settings(const std::vector<RecordedWorkload>& workloads, const Query& query);

/// Those with the same settings and as many extents, the best fit first: by match, kinship and distance; of
/// equal fit fresh ones before stale ones (sources weigh most, then the compiler, then the driver), then the
/// order of the databases. Points into `works`.
std::vector<Ranked> rank(const std::vector<RecordedWorkload>& workloads, const Want& want);
/// True where `rank` has nothing to choose between them by: then the faster is better.
bool equal_fit(const Ranked& a, const Ranked& b);

/// One sentence: what fits and what does not.
std::string explanation(const Want& want, const Ranked& ranked);

}  // namespace tune::lookup
