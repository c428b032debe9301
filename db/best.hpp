// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/queries.hpp"

namespace tune::db {

/// What somebody wants to run. What is left out is not held against a record.
struct BestQuery {
  std::string problem;
  std::optional<std::string> model_key = std::nullopt;  ///< DeviceFacts::model_key(); a name does as well
  std::optional<std::string> architecture =
      std::nullopt;  ///< `sm_90`: makes a device of the same kind closer than others
  std::vector<std::pair<std::string, std::int64_t>> extents = {};  ///< empty for any size
  std::optional<std::string> settings =
      std::nullopt;  ///< settings key: other settings are other work, never offered
  std::optional<std::string> driver =
      std::nullopt;  ///< records of these versions come first among those that fit as well
  std::optional<Toolchain> toolchain = std::nullopt;  ///< an empty compiler stands for any
  Origin origin = Origin::measured;
  CacheState cache = CacheState::cold;
};

/// How well a record fits, the best first.
enum class Match { exact, other_size, other_device, other_device_and_size };
std::string_view to_string(Match match);

/// The fastest configuration of one work, and how well it fits.
struct Candidate {
  ResultRow result;
  Match match = Match::exact;
  double distance = 0;  ///< of the sizes: sum over the extents of |ln(wanted / recorded)|
  bool same_driver = true;
  bool same_compiler = true;
  bool same_sources = true;
  std::int64_t measured = 0;  ///< configurations of this work with a measurement
  /// What ties with it in its newest finals, as far as they count still, itself left out. Empty without
  /// finals.
  std::vector<ResultRow> ties = {};
  std::string why;  ///< one sentence for people: what fits and what does not
};

/// One candidate for each work of the problem that has a measurement, the best fit first: exact ones, then
/// the same device at other sizes (the nearest first), then other devices. Among equal fits: the same
/// sources, compiler and driver first, then the faster. Sizes with other extents than those wanted are left
/// out. Empty where nothing is known.
std::vector<Candidate> best(const Database& database, const BestQuery& query);

}  // namespace tune::db
