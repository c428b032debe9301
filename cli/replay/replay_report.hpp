// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/replay/comparison.hpp"

namespace tune::cli {

/// All that 'tune replay' shows, whatever the format.
struct ReplayReport {
  std::span<const replay::RecordedSpace> spaces;
  std::vector<std::string> strategies;
  const replay::ComparisonOptions& options;
  std::vector<replay::SpaceResult> results;  ///< by space; scores by strategy
  std::vector<replay::SpaceGroup> groups;
  std::string warm;     ///< what strategies were given beforehand, for people; empty for nothing
  std::string held_by;  ///< what was left out in turn; empty where nothing was
  std::optional<replay::HeldOut> held;
};

/// The figures of strategy `number` (0: random search, exactly; then the strategies) over a group.
replay::Scores group_scores(const ReplayReport& report, const replay::SpaceGroup& group, std::size_t number);

/// The pseudo strategy that is computed instead of simulated.
inline constexpr const char* exact_random = "random (exact)";

/// The line that sums up what was held out.
inline constexpr const char* held_out_mean = "held out, mean";

/// A table for each space and each group, for people.
std::string to_text(const ReplayReport& report);

/// Everything of a comparison, as docs/replay.md describes it.
std::string to_json(const ReplayReport& report);

/// A row for each space (or group), strategy and budget.
std::string to_csv(const ReplayReport& report);

}  // namespace tune::cli
